// A tool that says it only reads fell silent: whether it stopped is not known, and little hangs on it.
import { type Rule, stopped } from '../view';

export const unknownRead: Rule = {
  id: 'unknown-read',
  title: 'A tool declared read-only fell silent after the stop; whether it stopped is not known.',
  severity: 'info',
  judge: (view) => {
    const { reply, effect, mayWrite, settled } = view;
    if (!stopped(view) || mayWrite || reply.state !== 'none' || !settled) return undefined;
    if (effect.state === 'not-seen') return undefined;
    return { severity: 'info', certainty: 'unknown', because: [...view.stop.because, ...effect.because] };
  },
};
