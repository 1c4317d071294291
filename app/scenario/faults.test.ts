// The words of faults: each says what the rule does, and the command line's are read back as what they say.
import { describe, expect, test } from 'vitest';
import { FAULT_WORDS, faultRule, faultsOf, PRESET_NAMES, PRESETS, presetsIn, ruleText } from './faults';

describe('words of the command line', () => {
  test.each([
    ['delay:replies:200ms', 'delay replies by 200 ms'],
    ['delay:all:s2c:2s', 'delay all messages from the server by 2 s'],
    ['hold:replies:cancel:method=tools/call', 'hold replies (tools/call) until the cancel is out'],
    ['hold:requests', 'hold requests until they are let go'],
    ['hold:requests:500ms', 'hold requests until 500 ms have passed'],
    ['drop:cancels:times=1', 'drop cancels, once'],
    ['duplicate:requests:tool=charge_card', 'send twice requests (charge_card)'],
    ['reorder:replies', 'swap replies'],
    ['cut:notifications:s2c:call=charge', 'cut the connection at notifications from the server (call charge)'],
  ])('%s', (word, says) => {
    const rules = faultsOf(word);
    expect(rules?.map(ruleText)).toEqual([says]);
    for (const rule of rules ?? []) expect(faultRule.safeParse(rule).success).toBe(true);
  });

  test.each([
    'delay:replies',
    'drop:cancels:200ms',
    'lose:cancels',
    'drop',
    'drop:everything',
    'hold:replies:soon',
    'drop:cancels:times=0',
    '',
  ])('%s is none', (word) => {
    expect(faultsOf(word)).toBeUndefined();
  });

  test('the words of the help are words', () => {
    for (const word of FAULT_WORDS) expect(faultsOf(word)).toBeDefined();
  });
});

test.each(PRESET_NAMES)('the preset %s is a word, is valid and is found again among other rules', (name) => {
  const { rules } = PRESETS[name];
  expect(faultsOf(name)).toEqual(rules);
  for (const rule of rules) expect(faultRule.parse(rule)).toEqual(rule);
  expect(presetsIn([{ fault: 'drop', on: 'replies' }, ...rules])).toEqual([name]);
  expect(presetsIn([{ fault: 'drop', on: 'replies' }])).toEqual([]);
});
