// What tests of probes share: a context that remembers everything that a probe has said.
import type { Clock } from '../../app/base/time';
import type { ProbeContext } from '../../app/evidence/probe';
import type { Effect } from '../../app/wire/frame';

export type Of<E extends Effect['effect']> = Extract<Effect, { effect: E }>;

export interface Heard {
  readonly clock: Clock;
  readonly context: ProbeContext;
  readonly effects: Effect[];
  all<E extends Effect['effect']>(kind: E): Of<E>[];
}

export function hearing(clock: Clock, more: Omit<ProbeContext, 'clock' | 'emit'> = {}): Heard {
  const effects: Effect[] = [];
  return {
    clock,
    effects,
    context: { ...more, clock, emit: (effect) => effects.push(effect) - 1 },
    all: <E extends Effect['effect']>(kind: E) => effects.filter((effect): effect is Of<E> => effect.effect === kind),
  };
}
