// What may be done on purpose to messages between client and server, so that a race happens when somebody wants it to:
// rules that name messages, the presets that are known by a name, and the words for both on the command line and on screen.
import { z } from 'zod';
import { unreachable } from '../base/unreachable';
import type { Fault } from '../wire/frame';
import { durationMs } from './duration';

/** Which messages a rule is about. A reply answers a request; a cancel is `notifications/cancelled`, or the closing of a stream where that is one. */
export const FAULT_SUBJECTS = ['all', 'requests', 'replies', 'cancels', 'notifications'] as const;
export type FaultSubject = (typeof FAULT_SUBJECTS)[number];

const subject = z.enum(FAULT_SUBJECTS);
const direction = z.enum(['c2s', 's2c']);
const ms = z.number().positive().max(86_400_000);
const word = z.string().min(1);

/** Which messages: all that are given have to be so. */
const named = {
  on: subject,
  dir: direction.optional(),
  /** Of the message; of a reply and of a cancel the method of the request that it is about. */
  method: word.optional(),
  /** Of a call of this tool. */
  tool: word.optional(),
  /** Of the call with this name in a scenario, or with this id (`#7`). */
  call: word.optional(),
  /** So often, and then no more. */
  times: z.number().int().positive().optional(),
  /** What the rule is called: a preset by its name. */
  title: word.optional(),
};

/** Until when a message is held. */
export const until = z.discriminatedUnion('until', [
  /** Until a person lets it go. */
  z.object({ until: z.literal('key') }),
  z.object({ until: z.literal('time'), ms }),
  /** Until such a message has passed; where both are about a request, one about the same. */
  z.object({ until: z.literal('frame'), on: subject, dir: direction.optional(), method: word.optional() }),
]);
export type Until = z.infer<typeof until>;

export const faultRule = z.discriminatedUnion('fault', [
  z.object({ fault: z.literal('delay'), ...named, ms }),
  z.object({ fault: z.literal('hold'), ...named, until }),
  z.object({ fault: z.literal('drop'), ...named }),
  z.object({ fault: z.literal('duplicate'), ...named }),
  /** Lets the next message that the rule names overtake it. */
  z.object({ fault: z.literal('reorder'), ...named }),
  /** Closes what carries the message: behind it towards the server, before it gets through towards the client. */
  z.object({ fault: z.literal('cut'), ...named }),
]);
export type FaultRule = z.infer<typeof faultRule>;

export interface Preset {
  readonly title: string;
  /** What it is for, in a sentence. */
  readonly says: string;
  readonly rules: readonly FaultRule[];
}

const SLOW_MS = 150;

/** Ready faults, each the making of one race. */
export const PRESETS = {
  'slow-network': {
    title: 'slow network',
    says: `Every message takes ${SLOW_MS} ms longer, in both directions.`,
    rules: [{ fault: 'delay', on: 'all', ms: SLOW_MS, title: 'slow network' }],
  },
  'perfect-crossing': {
    title: 'the perfect crossing',
    says: 'The answer to a call is held back until its cancel is out: the two cross every time.',
    rules: [
      {
        fault: 'hold',
        on: 'replies',
        dir: 's2c',
        method: 'tools/call',
        until: { until: 'frame', on: 'cancels', dir: 'c2s' },
        title: 'the perfect crossing',
      },
    ],
  },
  'lost-cancel': {
    title: 'lost cancel',
    says: 'Every cancel is lost on its way: Stop was pressed, and the server never hears of it.',
    rules: [{ fault: 'drop', on: 'cancels', dir: 'c2s', title: 'lost cancel' }],
  },
  'early-cancel': {
    title: 'cancel before the call is read',
    says: 'A call is held back until its cancel is out: the server reads the cancel of a call that it does not know yet.',
    rules: [
      {
        fault: 'hold',
        on: 'requests',
        dir: 'c2s',
        method: 'tools/call',
        until: { until: 'frame', on: 'cancels', dir: 'c2s' },
        title: 'cancel before the call is read',
      },
    ],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export const PRESET_NAMES = [
  'slow-network',
  'perfect-crossing',
  'lost-cancel',
  'early-cancel',
] as const satisfies readonly (keyof typeof PRESETS)[];
export type PresetName = (typeof PRESET_NAMES)[number];

const DOES: Readonly<Record<Fault, string>> = {
  delay: 'delay',
  hold: 'hold',
  drop: 'drop',
  duplicate: 'send twice',
  reorder: 'swap',
  cut: 'cut the connection at',
};

const WAY = { c2s: ' to the server', s2c: ' from the server' } as const;

const subjectText = (on: FaultSubject, dir: 'c2s' | 's2c' | undefined): string =>
  `${on === 'all' ? 'all messages' : on}${dir === undefined ? '' : WAY[dir]}`;

function endText(rule: FaultRule): string {
  switch (rule.fault) {
    case 'delay':
      return ` by ${timeText(rule.ms)}`;
    case 'hold':
      return ` until ${untilText(rule.until)}`;
    case 'drop':
    case 'duplicate':
    case 'cut':
    case 'reorder':
      return '';
    default:
      return unreachable(rule);
  }
}

function untilText(end: Until): string {
  switch (end.until) {
    case 'key':
      return 'they are let go';
    case 'time':
      return `${timeText(end.ms)} have passed`;
    case 'frame': {
      const which = end.on === 'all' ? 'another message' : ONE[end.on];
      const method = end.method === undefined ? '' : ` (${end.method})`;
      return end.on === 'cancels' && end.method === undefined ? 'the cancel is out' : `${which}${method} has passed`;
    }
    default:
      return unreachable(end);
  }
}

const ONE = { requests: 'a request', replies: 'a reply', cancels: 'a cancel', notifications: 'a notification' } as const;

const timeText = (time: number): string => (time % 1000 === 0 ? `${time / 1000} s` : `${time} ms`);

/** A rule in words, as the trace keeps it: `hold replies from the server (tools/call) until the cancel is out`. */
export function ruleText(rule: FaultRule): string {
  const { on, dir, method, tool, call, times } = rule;
  const of = [method, tool, call === undefined ? undefined : `call ${call}`].filter((part) => part !== undefined).join(', ');
  const often = times === undefined ? '' : times === 1 ? ', once' : `, ${times} times`;
  return `${DOES[rule.fault]} ${subjectText(on, dir)}${of === '' ? '' : ` (${of})`}${endText(rule)}${often}`;
}

/** What a rule is called where there is little room: its preset, else its words. */
export const ruleName = (rule: FaultRule): string => rule.title ?? ruleText(rule);

/** The word of the command line for faults of one's own, in help and in errors. */
export const FAULT_WORDS = [
  ...PRESET_NAMES,
  'delay:replies:200ms',
  'hold:replies:cancel',
  'drop:cancels',
  'duplicate:requests:tool=NAME',
] as const;

/**
 * Reads a word of the command line: the name of a preset, or `FAULT:SUBJECT`, then in any order a time, `key`, what is waited
 * for (`cancel`, `reply`, `request`), `c2s`, `s2c`, `method=…`, `tool=…`, `call=…`, `times=…`.
 * @returns undefined for a word that is none of them
 */
export function faultsOf(text: string): readonly FaultRule[] | undefined {
  const preset = PRESET_NAMES.find((name) => name === text);
  if (preset !== undefined) return PRESETS[preset].rules;
  const [fault, on, ...rest] = text.split(':');
  const given: Record<string, unknown> = { fault, on };
  for (const part of rest) if (!take(part, given)) return undefined;
  if (fault === 'hold') given['until'] ??= { until: 'key' };
  if (fault === 'hold' && given['ms'] !== undefined) {
    given['until'] = { until: 'time', ms: given['ms'] };
    delete given['ms'];
  }
  const read = strictly(fault).safeParse(given);
  return read.success ? [read.data] : undefined;
}

/** As {@link faultRule}, and nothing else in it: a time given to a fault that takes none is a mistake. */
function strictly(fault: string | undefined): z.ZodType<FaultRule> {
  const option = faultRule.options.find((one) => one.shape.fault.value === fault);
  return option ? (option.strict() as z.ZodType<FaultRule>) : faultRule;
}

const WAITS_FOR = { cancel: 'cancels', reply: 'replies', request: 'requests', notification: 'notifications' } as const;

/** @returns false where the part means nothing */
function take(part: string, given: Record<string, unknown>): boolean {
  const [key = '', ...values] = part.split('=');
  const value = values.join('=');
  if (key === 'method' || key === 'tool' || key === 'call') given[key] = value;
  else if (key === 'times') given['times'] = Number(value);
  else if (part === 'c2s' || part === 's2c') given['dir'] = part;
  else if (part === 'key') given['until'] = { until: 'key' };
  else if (Object.hasOwn(WAITS_FOR, part)) given['until'] = { until: 'frame', on: WAITS_FOR[part as keyof typeof WAITS_FOR] };
  else {
    const time = durationMs(part);
    if (time === undefined) return false;
    given['ms'] = time;
  }
  return true;
}

/** The presets whose rules are all among these: what a menu marks as on. */
export const presetsIn = (rules: readonly FaultRule[]): readonly PresetName[] =>
  PRESET_NAMES.filter((name) => PRESETS[name].rules.every((rule) => rules.some((other) => ruleKey(other) === ruleKey(rule))));

/** The rules with a preset's turned on, or off where they were all on. */
export function toggled(rules: readonly FaultRule[], name: PresetName): readonly FaultRule[] {
  const own = PRESETS[name].rules.map(ruleKey);
  const others = rules.filter((rule) => !own.includes(ruleKey(rule)));
  return presetsIn(rules).includes(name) ? others : [...others, ...PRESETS[name].rules];
}

/** Two rules with the same key are the same rule. */
export const ruleKey = (rule: FaultRule): string => `${ruleText(rule)} ${JSON.stringify(rule.fault === 'hold' ? rule.until : '')}`;
