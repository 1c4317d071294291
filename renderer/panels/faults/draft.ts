// A fault as the form has it, and the rule that it makes.
import { FAULT_SUBJECTS, type FaultRule, type FaultSubject, faultRule } from '../../../app/scenario/faults';
import { FAULTS, type Fault } from '../../../app/wire/frame';

/** Until when a message is held, as a person chooses it. */
export const UNTILS = ['key', 'cancels', 'replies', 'requests', 'time'] as const;
export type UntilChoice = (typeof UNTILS)[number];

export interface FaultDraft {
  readonly fault: Fault;
  readonly on: FaultSubject;
  readonly dir: 'both' | 'c2s' | 's2c';
  readonly method: string;
  readonly tool: string;
  readonly call: string;
  readonly times: string;
  readonly ms: string;
  readonly until: UntilChoice;
}

export const NEW_FAULT: FaultDraft = {
  fault: 'hold',
  on: 'replies',
  dir: 'both',
  method: '',
  tool: '',
  call: '',
  times: '',
  ms: '500',
  until: 'key',
};

export const FAULT_CHOICES: readonly { readonly value: Fault; readonly label: string }[] = FAULTS.map((value) => ({
  value,
  label: {
    delay: 'Delay',
    hold: 'Hold',
    drop: 'Drop',
    duplicate: 'Send twice',
    reorder: 'Swap with the next',
    cut: 'Cut the connection at',
  }[value],
}));

export const SUBJECT_CHOICES: readonly { readonly value: FaultSubject; readonly label: string }[] = FAULT_SUBJECTS.map((value) => ({
  value,
  label: value === 'all' ? 'all messages' : value,
}));

export const UNTIL_CHOICES: readonly { readonly value: UntilChoice; readonly label: string }[] = [
  { value: 'key', label: 'I let go' },
  { value: 'cancels', label: 'its cancel is out' },
  { value: 'replies', label: 'a reply has passed' },
  { value: 'requests', label: 'a request has passed' },
  { value: 'time', label: 'some time has passed' },
];

export const needsTime = ({ fault, until }: FaultDraft): boolean => fault === 'delay' || (fault === 'hold' && until === 'time');

const given = (text: string): string | undefined => (text.trim() === '' ? undefined : text.trim());

/** @returns the rule, or which field is wrong and what was expected there */
export function ruleOf(draft: FaultDraft): { readonly rule: FaultRule } | { readonly field: 'ms' | 'times'; readonly says: string } {
  const { fault, on, dir, until } = draft;
  const ms = Number(draft.ms);
  if (needsTime(draft) && !(ms > 0 && ms <= 86_400_000)) return { field: 'ms', says: 'Expected milliseconds, from 1 to a day.' };
  const times = given(draft.times);
  if (times !== undefined && !/^[1-9]\d*$/.test(times))
    return { field: 'times', says: 'Expected a whole number from 1, or nothing for every time.' };
  const [method, tool, call] = [given(draft.method), given(draft.tool), given(draft.call)];
  const rule = faultRule.parse({
    fault,
    on,
    ...(dir === 'both' ? {} : { dir }),
    ...(method === undefined ? {} : { method }),
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call }),
    ...(times === undefined ? {} : { times: Number(times) }),
    ...(fault === 'delay' ? { ms } : {}),
    ...(fault === 'hold' ? { until: until === 'key' ? { until } : until === 'time' ? { until, ms } : { until: 'frame', on: until } } : {}),
  });
  return { rule };
}
