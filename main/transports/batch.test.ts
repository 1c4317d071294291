import fc from 'fast-check';
import { expect, test } from 'vitest';
import { elementsOf } from './batch';

test('each element is what stood there, to the letter', () => {
  expect(elementsOf(' [ {"a": [1, 2]} ,{"b":"],[{\\"}"}, "x" ]')).toEqual(['{"a": [1, 2]}', '{"b":"],[{\\"}"}', '"x"']);
  expect(elementsOf('[]')).toEqual([]);
});

test('of any array, written in any way', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (values, indent) => {
      const text = JSON.stringify(values, undefined, indent);
      expect(elementsOf(text).map((element) => JSON.parse(element))).toEqual(JSON.parse(text));
    }),
  );
});
