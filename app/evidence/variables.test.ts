// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the templates under test
import { describe, expect, test } from 'vitest';
import { argumentsFrom, unfilled, variablesIn, variablesOf, withArguments, withNames, withVariables } from './variables';

const variables = variablesOf([
  { name: 'hook', offers: { url: 'http://127.0.0.1:1/t' } },
  { name: 'spans', offers: { url: 'http://127.0.0.1:2/t' } },
]);

describe('variables of probes', () => {
  test('are filled into every text of a value, and nothing else is touched', () => {
    const command = { args: ['--hook=${probes.hook.url}/x', '${HOME}', 3], env: { OTEL: '${probes.spans.url}' }, watch: undefined };
    expect(withVariables(command, variables)).toEqual({
      args: ['--hook=http://127.0.0.1:1/t/x', '${HOME}', 3],
      env: { OTEL: 'http://127.0.0.1:2/t' },
      watch: undefined,
    });
    expect(variablesIn(command)).toEqual(['probes.hook.url', 'probes.spans.url']);
  });

  test('are names again where their values are not to be seen', () => {
    expect(withNames('node x --hook=http://127.0.0.1:1/t/x http://127.0.0.1:3/t', variables)).toBe(
      'node x --hook=${probes.hook.url}/x http://127.0.0.1:3/t',
    );
    expect(withNames('as it is', new Map([['probes.none.url', '']]))).toBe('as it is');
  });

  test('what no probe offers stays as it is written, and can be said beforehand', () => {
    const args = ['${probes.hook.url}', '${probes.hok.url}'];
    expect(withVariables(args, variables)).toEqual(['http://127.0.0.1:1/t', '${probes.hok.url}']);
    expect(unfilled(args, variables)).toBe(
      'Expected variables that a probe of this server offers, but found ${probes.hok.url}; its probes offer ${probes.hook.url}, ${probes.spans.url}. Add a probe of that name that has an address (an HTTP sink, OpenTelemetry), or correct the name.',
    );
    expect(unfilled(args, new Map())).toContain('found ${probes.hook.url}, ${probes.hok.url}; no probe of this server');
    expect(unfilled(['${HOME}', args[0]], variables)).toBeUndefined();
  });
});

describe('arguments of a call', () => {
  const args = { id: 7, order: { id: 'o-1', lines: [{ sku: 'a' }] }, 'a.b': 'dotted', dry: false, none: null };

  test.each([
    ['order ${id}', 'order 7'],
    ['${order.id}/${order.lines.0.sku} ${a.b} ${dry}', 'o-1/a dotted false'],
    ['no hole', 'no hole'],
    ['${missing}', undefined],
    ['${order}', undefined],
    ['${none}', undefined],
    ['${toString} ${order.constructor.name}', undefined],
  ])('%s', (template, text) => {
    expect(withArguments(template, args)).toBe(text);
  });

  test('make the arguments of an undo: a value keeps its type, what is not there is left out', () => {
    const templates = {
      id: '${arguments.id}',
      lines: '${arguments.order.lines}',
      note: 'undo of ${arguments.order.id}',
      fixed: 'yes',
      missing: '${arguments.missing}',
      half: 'undo of ${arguments.missing}',
      outside: '${id}',
    };
    expect(argumentsFrom(templates, args)).toEqual({ id: 7, lines: [{ sku: 'a' }], note: 'undo of o-1', fixed: 'yes' });
  });
});
