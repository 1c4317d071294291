// When a stop is pressed, and how: the moments and the means of a scenario.
import { z } from 'zod';
import { type Means, requestId } from '../wire/frame';
import { byKey, duration, shortOr, strict } from './schema';

/** When a stop is pressed. */
export type When =
  | { readonly on: 'time'; readonly afterMs: number }
  /** At the n-th progress notification of the call. */
  | { readonly on: 'progress'; readonly count: number }
  | { readonly on: 'effect' }
  | { readonly on: 'reply' };

const trigger: z.ZodType<When> = byKey('a moment (300ms, say), or one', {
  progress: strict({ progress: z.number().int().min(1) }).transform(({ progress }): When => ({ on: 'progress', count: progress })),
  on: strict({ on: z.enum(['first-progress', 'effect', 'reply']) }).transform(
    ({ on }): When => (on === 'first-progress' ? { on: 'progress', count: 1 } : { on }),
  ),
});

const moment = duration.transform((afterMs): When => ({ on: 'time', afterMs }));

export const when: z.ZodType<When> = shortOr(moment, trigger);

const MEANS = ['cancel', 'abandon', 'timeout', 'drop', 'kill', 'stop-polling'] as const;

const plainMeans = z.enum(MEANS).transform((means): Means => (means === 'timeout' ? { means, silent: false } : { means }));

const otherMeans: z.ZodType<Means> = byKey('a means (cancel, say), or one', {
  timeout: strict({ timeout: z.literal('silent') }).transform((): Means => ({ means: 'timeout', silent: true })),
  notify: strict({ notify: z.literal(true) }).transform((): Means => ({ means: 'notify' })),
  'cancel-id': strict({ 'cancel-id': requestId }).transform((given): Means => ({ means: 'cancel-id', id: given['cancel-id'] })),
});

export const how: z.ZodType<Means> = shortOr(plainMeans, otherMeans);
