// A retry after a Stop that came too late does the thing twice. Two effects are needed, each somebody's own.
import type { Attributed, EffectLane } from '../verdict';
import type { Rule } from '../view';

export const doubleWrite: Rule = {
  id: 'double-write',
  title: 'The stopped call and its retry each had an effect of their own.',
  severity: 'breach',
  judge: ({ effect, retried }) => {
    const pair = retried?.stopped ? distinct(retried.effect, effect) : undefined;
    if (!pair) return undefined;
    const [first, second] = pair;
    return {
      severity: 'breach',
      certainty: first.certainty === 'proved' && second.certainty === 'proved' ? 'proved' : 'inferred',
      because: [
        { seq: first.seq, says: `the stopped call: ${first.says}` },
        { seq: second.seq, says: `its retry: ${second.says}` },
      ],
    };
  },
};

/** Two different observations, one for each call, at least one of which can be nobody else's. */
function distinct(first: EffectLane, second: EffectLane): readonly [Attributed, Attributed] | undefined {
  const standing = (lane: EffectLane): Attributed[] => lane.observations.filter((o) => !o.reverted);
  for (const a of standing(first)) {
    for (const b of standing(second)) if (a.seq !== b.seq && (a.certainty === 'proved' || b.certainty === 'proved')) return [a, b];
  }
  return undefined;
}
