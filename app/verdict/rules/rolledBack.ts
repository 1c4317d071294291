// What had come about was taken back: by the server itself, or by an undo.
import { type Rule, stopped } from '../view';

export const rolledBack: Rule = {
  id: 'rolled-back',
  title: 'Effects were seen, and every one of them was taken back.',
  severity: 'note',
  judge: (view) => {
    const seen = view.effect.observations;
    if (!stopped(view) || seen.length === 0 || !seen.every((o) => o.reverted)) return undefined;
    const certainty = seen.every((o) => o.certainty === 'proved') ? 'proved' : 'inferred';
    return {
      severity: 'note',
      certainty,
      because: [...view.stop.because, ...seen.map((o) => ({ seq: o.seq, says: `${o.probe}: ${o.says}, then taken back` }))],
    };
  },
};
