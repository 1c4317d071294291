// A tool's arguments as a form, made from the JSON Schema that its server sent. The look is ours: compact, labels above
// fields, errors beneath them. Titles and descriptions come from the server and are text, never markup.
// Not the package's front door, which also brings a validator that compiles schemas to code.
import Form from '@rjsf/core/lib/components/Form.js';
import type {
  ArrayFieldItemTemplateProps,
  DescriptionFieldProps,
  FieldErrorProps,
  FieldTemplateProps,
  IconButtonProps,
  RJSFSchema,
  TemplatesType,
  TitleFieldProps,
  UiSchema,
  WidgetProps,
} from '@rjsf/utils';
import { ArrowDown, ArrowUp, Copy, Plus, X } from 'lucide-react';
import { type ComponentType, useEffect, useRef } from 'react';
import { Check } from '../../ui/Check';
import { validator } from './validator';

type Value = Record<string, unknown>;

function FieldTemplate({
  id,
  label,
  required,
  children,
  errors,
  rawDescription,
  displayLabel,
  hidden,
  schema,
}: FieldTemplateProps<Value, RJSFSchema, Value>) {
  if (hidden) return <div hidden>{children}</div>;
  if (!displayLabel) {
    return (
      <div className="form-field">
        {children}
        {errors}
      </div>
    );
  }
  return (
    <div className="form-field">
      <span className="form-label">
        <label htmlFor={id}>
          {label}
          {required ? <span aria-hidden> *</span> : null}
        </label>
        <small id={`${id}__description`} className="hint clip" title={rawDescription}>
          {[range(schema), rawDescription].filter(Boolean).join(' · ')}
        </small>
      </span>
      {children}
      {errors}
    </div>
  );
}

/** The limits of a number, as somebody would say them. */
const range = ({ minimum, maximum }: RJSFSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return `${minimum.toLocaleString('en')}–${maximum.toLocaleString('en')}`;
  if (minimum !== undefined) return `≥ ${minimum}`;
  return maximum !== undefined ? `≤ ${maximum}` : '';
};

function FieldErrorTemplate({ errors }: FieldErrorProps<Value, RJSFSchema, Value>) {
  if (!errors || errors.length === 0) return null;
  return (
    <span className="error" role="alert">
      {errors.join('; ')}
    </span>
  );
}

const DescriptionFieldTemplate = ({ id, description }: DescriptionFieldProps<Value, RJSFSchema, Value>) =>
  description ? (
    <small id={id} className="hint">
      {description}
    </small>
  ) : null;

const TitleFieldTemplate = ({ id, title, required }: TitleFieldProps<Value, RJSFSchema, Value>) => (
  <legend id={id} className="form-legend">
    {title}
    {required ? ' *' : ''}
  </legend>
);

function ArrayFieldItemTemplate({ children, buttonsProps, hasToolbar, registry }: ArrayFieldItemTemplateProps<Value, RJSFSchema, Value>) {
  const Buttons = registry.templates.ArrayFieldItemButtonsTemplate;
  return (
    <div className="form-item">
      <div className="grow">{children}</div>
      {hasToolbar ? (
        <span className="row form-item-buttons">
          <Buttons {...buttonsProps} />
        </span>
      ) : null}
    </div>
  );
}

const iconButton =
  (Icon: ComponentType<{ readonly size: number }>, label: string) =>
  ({
    icon: _icon,
    iconType: _type,
    registry: _registry,
    uiSchema: _ui,
    className: _class,
    ...rest
  }: IconButtonProps<Value, RJSFSchema, Value>) => (
    <button {...rest} type="button" className="icon-button quiet tiny" aria-label={label} title={label}>
      <Icon size={13} />
    </button>
  );

function CheckboxWidget({ id, value, disabled, readonly, label, onChange }: WidgetProps<Value, RJSFSchema, Value>) {
  return (
    <Check className="row form-check" id={id} checked={value === true} disabled={disabled || readonly || false} onChange={onChange}>
      {label}
    </Check>
  );
}

const templates: Partial<Omit<TemplatesType<Value, RJSFSchema, Value>, 'ButtonTemplates'>> & {
  ButtonTemplates: Partial<TemplatesType<Value, RJSFSchema, Value>['ButtonTemplates']>;
} = {
  FieldTemplate,
  FieldErrorTemplate,
  DescriptionFieldTemplate,
  TitleFieldTemplate,
  ArrayFieldItemTemplate,
  ButtonTemplates: {
    AddButton: iconButton(Plus, 'Add'),
    RemoveButton: iconButton(X, 'Remove'),
    CopyButton: iconButton(Copy, 'Copy'),
    MoveUpButton: iconButton(ArrowUp, 'Move up'),
    MoveDownButton: iconButton(ArrowDown, 'Move down'),
    SubmitButton: () => null,
  },
};

const uiSchema: UiSchema<Value, RJSFSchema, Value> = { 'ui:title': '', 'ui:description': '', 'ui:submitButtonOptions': { norender: true } };

interface Props {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
  readonly onChange: (value: Readonly<Record<string, unknown>>) => void;
  /** Marks what is wrong although nothing was typed yet. */
  readonly showErrors: boolean;
}

export default function SchemaForm({ schema, value, onChange, showErrors }: Props) {
  const form = useRef<Form<Value, RJSFSchema, Value>>(null);
  useEffect(() => {
    if (showErrors) form.current?.validateForm();
  }, [showErrors]);
  const properties = schema['properties'];
  const none = typeof properties !== 'object' || properties === null || Object.keys(properties).length === 0;
  if (none && schema['additionalProperties'] !== true) return <p className="hint">It takes no arguments.</p>;
  return (
    <Form<Value, RJSFSchema, Value>
      ref={form}
      tagName="div"
      className="schema-form"
      idPrefix="argument"
      schema={schema as RJSFSchema}
      uiSchema={uiSchema}
      formData={{ ...value }}
      validator={validator}
      templates={templates}
      widgets={{ CheckboxWidget }}
      noHtml5Validate
      showErrorList={false}
      liveValidate="onChange"
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipEmptyDefaults' }}
      onChange={({ formData }) => onChange(formData ?? {})}
    />
  );
}
