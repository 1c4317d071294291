// The form of a fault: what is chosen is the rule, and what makes no rule says which field and why.
import { expect, test } from 'vitest';
import { ruleText } from '../../../app/scenario/faults';
import { FAULT_CHOICES, NEW_FAULT, ruleOf } from './draft';

test.each(FAULT_CHOICES)('$label makes a rule of its own', ({ value }) => {
  const made = ruleOf({ ...NEW_FAULT, fault: value });
  expect('rule' in made && made.rule.fault).toBe(value);
});

test('every field that is filled in is in the rule, and none that is empty', () => {
  const made = ruleOf({ ...NEW_FAULT, dir: 's2c', method: ' tools/call ', tool: 'charge_card', call: '#7', times: '2', until: 'cancels' });
  expect('rule' in made && ruleText(made.rule)).toBe(
    'hold replies from the server (tools/call, charge_card, call #7) until the cancel is out, 2 times',
  );
  const bare = ruleOf(NEW_FAULT);
  expect('rule' in bare && Object.keys(bare.rule).sort()).toEqual(['fault', 'on', 'until']);
});

test.each([
  [{ fault: 'delay', ms: 'soon' }, 'ms'],
  [{ fault: 'hold', until: 'time', ms: '0' }, 'ms'],
  [{ times: '1.5' }, 'times'],
] as const)('%o is refused at its field', (change, field) => {
  const made = ruleOf({ ...NEW_FAULT, ...change });
  expect('field' in made && made.field).toBe(field);
});
