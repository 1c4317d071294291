// Faults as a scenario file writes them: a preset by its name, a word as on the command line, or the keys of a rule.
import { z } from 'zod';
import { FAULT_SUBJECTS, FAULT_WORDS, type FaultRule, type FaultSubject, faultsOf, PRESET_NAMES, type Until } from './faults';
import { meant } from './nearest';
import { byKey, duration, shortOr, show, strict, text } from './schema';

const subject = z.enum(FAULT_SUBJECTS);

const common = {
  dir: z.enum(['c2s', 's2c']).optional(),
  method: text.optional(),
  tool: text.optional(),
  call: text.optional(),
  times: z.number().int().min(1).optional(),
};

interface Common {
  readonly dir?: 'c2s' | 's2c' | undefined;
  readonly method?: string | undefined;
  readonly tool?: string | undefined;
  readonly call?: string | undefined;
  readonly times?: number | undefined;
}

const ofMessages = (on: FaultSubject, { dir, method, tool, call, times }: Common) => ({
  on,
  ...(dir === undefined ? {} : { dir }),
  ...(method === undefined ? {} : { method }),
  ...(tool === undefined ? {} : { tool }),
  ...(call === undefined ? {} : { call }),
  ...(times === undefined ? {} : { times }),
});

const WAITS = { cancel: 'cancels', reply: 'replies', request: 'requests', notification: 'notifications' } as const;

/** `key`, `cancel`, `reply`, `request`, `notification`, or a length of time. */
const shortUntil: z.ZodType<Until> = z.unknown().transform((value, context): Until => {
  if (value === 'key') return { until: 'key' };
  if (typeof value === 'string' && Object.hasOwn(WAITS, value)) return { until: 'frame', on: WAITS[value as keyof typeof WAITS] };
  const ms = duration.safeParse(value);
  if (ms.success) return { until: 'time', ms: ms.data };
  const known = ['key', ...Object.keys(WAITS)];
  const near = meant(String(value), known);
  context.addIssue({
    code: 'custom',
    message: `expected one of ${known.join(', ')}, or a duration such as 250ms, got ${show(value)}${near}`,
  });
  return z.NEVER;
});

const longUntil: z.ZodType<Until> = strict({ frame: subject, dir: z.enum(['c2s', 's2c']).optional(), method: text.optional() }).transform(
  ({ frame, dir, method }): Until => ({
    until: 'frame',
    on: frame,
    ...(dir === undefined ? {} : { dir }),
    ...(method === undefined ? {} : { method }),
  }),
);

const rule: z.ZodType<FaultRule> = byKey<string, Readonly<Record<string, z.ZodType<FaultRule>>>>('a fault', {
  delay: strict({ delay: subject, by: duration, ...common }).transform(
    (given): FaultRule => ({ fault: 'delay', ...ofMessages(given.delay, given), ms: given.by }),
  ),
  hold: strict({ hold: subject, until: shortOr(shortUntil, longUntil).optional(), ...common }).transform(
    (given): FaultRule => ({ fault: 'hold', ...ofMessages(given.hold, given), until: given.until ?? { until: 'key' } }),
  ),
  drop: strict({ drop: subject, ...common }).transform((given): FaultRule => ({ fault: 'drop', ...ofMessages(given.drop, given) })),
  duplicate: strict({ duplicate: subject, ...common }).transform(
    (given): FaultRule => ({ fault: 'duplicate', ...ofMessages(given.duplicate, given) }),
  ),
  reorder: strict({ reorder: subject, ...common }).transform(
    (given): FaultRule => ({ fault: 'reorder', ...ofMessages(given.reorder, given) }),
  ),
  cut: strict({ cut: subject, ...common }).transform((given): FaultRule => ({ fault: 'cut', ...ofMessages(given.cut, given) })),
});

const named: z.ZodType<readonly FaultRule[]> = z.unknown().transform((value, context): readonly FaultRule[] => {
  const rules = faultsOf(String(value));
  if (rules) return rules;
  const message = `expected a preset (${PRESET_NAMES.join(', ')}), a word such as ${FAULT_WORDS.at(-2)}, or the keys of a fault, got ${show(value)}${meant(String(value), PRESET_NAMES)}`;
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** The list of a scenario's `faults:`. An empty one turns them off. */
export const faultList: z.ZodType<readonly FaultRule[]> = z
  .array(
    shortOr(
      named,
      rule.transform((one): readonly FaultRule[] => [one]),
    ),
  )
  .transform((lists) => lists.flat());
