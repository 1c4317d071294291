// Stop was too late for the effect although the call was still open: it could not undo what had been done.
import { type Rule, stopped, succeeded } from '../view';

export const writeBeforeCancel: Rule = {
  id: 'write-before-cancel',
  title: 'The effect was there already when the stop left; Stop could not undo it.',
  severity: 'breach',
  judge: (view) => {
    const { effect, stop, reply, first } = view;
    if (!stopped(view) || effect.state !== 'before') return undefined;
    const done = succeeded(first) || effect.observations.some((o) => o.done && !o.reverted);
    return {
      severity: done ? 'breach' : 'warn',
      certainty: effect.certainty,
      because: [...effect.because, ...stop.because, ...(succeeded(first) ? reply.because : [])],
    };
  },
};
