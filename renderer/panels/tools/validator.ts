// The validator that the schema form asks, over @cfworker/json-schema: it interprets schemas instead of compiling them,
// so it works under a policy without `unsafe-eval`. Errors are said in words of our own and told once, at the deepest
// place that is wrong.
import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema';
import {
  type CustomValidator,
  createErrorHandler,
  type ErrorTransformer,
  getDefaultFormState,
  type RJSFSchema,
  type RJSFValidationError,
  toErrorSchema,
  unwrapErrorHandler,
  type ValidationData,
  type ValidatorType,
  validationDataMerge,
} from '@rjsf/utils';

export interface Wrong {
  /** JSON pointer into the arguments: `/amount`; '' for the whole. */
  readonly at: string;
  readonly keyword: string;
  readonly says: string;
}

/** Keywords that only say that something beneath them is wrong. */
const OUTER: ReadonlySet<string> = new Set([
  'properties',
  'items',
  'allOf',
  '$ref',
  'prefixItems',
  'additionalProperties',
  'dependentSchemas',
  'then',
  'else',
]);

/**
 * Checks a value against a JSON Schema (2020-12, the draft that MCP tools use).
 * @returns what is wrong; a single entry about the schema itself when it cannot be read
 */
export function check(schema: unknown, value: unknown): readonly Wrong[] {
  try {
    const { errors } = new Validator(bare(schema) as Schema, '2020-12', false).validate(value);
    const deepest = errors.filter((error) => !OUTER.has(error.keyword));
    return (deepest.length > 0 ? deepest : errors).filter((error) => !echoes(error, deepest)).map(wrong);
  } catch (error) {
    return [
      { at: '', keyword: 'schema', says: `The tool's schema cannot be used: ${error instanceof Error ? error.message : String(error)}` },
    ];
  }
}

/** The library calls a property that is wrong inside "not allowed" as well: only what nothing else explains is not allowed. */
const echoes = (error: OutputUnit, all: readonly OutputUnit[]): boolean =>
  error.keyword === 'false' &&
  all.some(({ keyword, instanceLocation: at }) => keyword !== 'false' && `${at}/`.startsWith(`${error.instanceLocation}/`));

const wrong = ({ instanceLocation, keyword, error }: OutputUnit): Wrong => ({
  at: instanceLocation.slice(1),
  keyword,
  says: words(keyword, error),
});

/** The library's sentences name the keyword first; a person wants what was expected. */
function words(keyword: string, error: string): string {
  const missing = /required property "(.+?)"/.exec(error)?.[1];
  if (keyword === 'required' && missing !== undefined) return `${missing} is missing`;
  if (keyword === 'false') return 'not a property of this tool';
  return error.replace(/^Instance /, '').replace(/\.$/, '');
}

/** A missing property is reported at the object; the form shows it at the field. */
function propertyOf({ at, keyword, says }: Wrong): string {
  const path = at.split('/').filter(Boolean).map(unescapePointer);
  if (keyword === 'required') path.push(says.slice(0, -' is missing'.length));
  return path.length === 0 ? '' : `.${path.join('.')}`;
}

const unescapePointer = (part: string): string => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');

const asFormError = (wrong: Wrong): RJSFValidationError => ({
  name: wrong.keyword,
  message: wrong.says,
  property: propertyOf(wrong),
  stack: wrong.says,
});

/** `$schema` names drafts under addresses that the validator need not know. */
function bare(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || !('$schema' in schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** References such as `#/$defs/x` point into the whole schema; its definitions come along. */
function within(schema: RJSFSchema, root: RJSFSchema): RJSFSchema {
  if (typeof schema === 'boolean') return schema;
  return { ...schema, ...(root.$defs ? { $defs: root.$defs } : {}), ...(root.definitions ? { definitions: root.definitions } : {}) };
}

type Form = Record<string, unknown>;

export const validator: ValidatorType<Form, RJSFSchema, Form> = {
  validateFormData(
    formData: Form | undefined,
    schema: RJSFSchema,
    customValidate?: CustomValidator<Form, RJSFSchema, Form>,
    transformErrors?: ErrorTransformer<Form, RJSFSchema, Form>,
  ): ValidationData<Form> {
    const found = check(schema, formData).map(asFormError);
    const errors = transformErrors ? transformErrors(found) : found;
    const data: ValidationData<Form> = { errors, errorSchema: toErrorSchema<Form>(errors) };
    if (!customValidate) return data;
    const custom = unwrapErrorHandler(customValidate(formData, createErrorHandler<Form>(formData ?? {}), {}));
    return validationDataMerge(data, custom);
  },
  isValid: (schema, formData, root) => check(within(schema, root), formData).length === 0,
  rawValidation: (schema, formData) => ({ errors: check(schema, formData).map(asFormError) as never[] }),
};

/** What a schema proposes for arguments that nobody has typed yet. */
export function defaultsOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  try {
    return getDefaultFormState<Form>(validator, schema as RJSFSchema, {}, schema as RJSFSchema, false) as Form;
  } catch {
    // A schema that the form cannot read has the raw JSON side left; it begins empty.
    return {};
  }
}
