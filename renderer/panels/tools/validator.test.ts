import { getDefaultFormState, type RJSFSchema, retrieveSchema } from '@rjsf/utils';
import { expect, test } from 'vitest';
import { check, defaultsOf, validator } from './validator';

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    amount: { type: 'integer', minimum: 1, default: 4200 },
    currency: { enum: ['EUR', 'USD'], default: 'EUR' },
    to: { $ref: '#/$defs/person' },
  },
  required: ['amount'],
  additionalProperties: false,
  $defs: { person: { type: 'object', properties: { mail: { type: 'string', minLength: 3 } }, required: ['mail'] } },
} satisfies RJSFSchema;

test('what is right has nothing wrong with it', () => {
  expect(check(SCHEMA, { amount: 1, currency: 'USD', to: { mail: 'a@b' } })).toEqual([]);
});

test('every wrong place is told once, at its own place', () => {
  expect(check(SCHEMA, { amount: 0, currency: 'GBP', to: {}, extra: 1 }).map(({ at, says }) => `${at}: ${says}`)).toEqual([
    '/amount: 0 is less than 1',
    '/currency: does not match any of ["EUR","USD"]',
    '/to: mail is missing',
    '/extra: not a property of this tool',
  ]);
  expect(check(SCHEMA, {})).toEqual([{ at: '', keyword: 'required', says: 'amount is missing' }]);
});

test('a schema that cannot be read says so instead of throwing', () => {
  const [wrong] = check({ type: 'object', properties: { a: { $ref: '#/$defs/nowhere' } } }, { a: 1 });
  expect(wrong).toMatchObject({ at: '', keyword: 'schema' });
});

test('the form is told of errors at its fields', () => {
  const { errors, errorSchema } = validator.validateFormData({ amount: 0, to: {} }, SCHEMA as RJSFSchema);
  expect(errors.map(({ property, message }) => [property, message])).toEqual([
    ['.amount', '0 is less than 1'],
    ['.to.mail', 'mail is missing'],
  ]);
  expect(errorSchema).toMatchObject({ amount: { __errors: ['0 is less than 1'] }, to: { mail: { __errors: ['mail is missing'] } } });
});

test('the form’s own machinery works with it: defaults, references, branches', () => {
  expect(defaultsOf(SCHEMA)).toEqual({ amount: 4200, currency: 'EUR' });
  const branching: RJSFSchema = {
    type: 'object',
    properties: { kind: { enum: ['card', 'cash'], default: 'cash' } },
    if: { properties: { kind: { const: 'card' } }, required: ['kind'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { properties: { number: { type: 'string' } } },
  };
  expect(retrieveSchema(validator, branching, branching, { kind: 'card' }).properties).toHaveProperty('number');
  expect(retrieveSchema(validator, branching, branching, { kind: 'cash' }).properties).not.toHaveProperty('number');
  expect(getDefaultFormState(validator, branching, {}, branching)).toEqual({ kind: 'cash' });
});
