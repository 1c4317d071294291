// A result after the stop, harmless as far as anybody saw.
import { type Rule, stopped } from '../view';

export const lateResult: Rule = {
  id: 'late-result',
  title: 'The result came after the stop; nothing was seen to be written.',
  severity: 'note',
  judge: (view) => {
    const { reply, effect, mayWrite } = view;
    if (!stopped(view) || reply.state !== 'late-result') return undefined;
    if (mayWrite && effect.state !== 'not-seen') return undefined;
    return { severity: 'note', certainty: 'proved', because: [...view.stop.because, ...reply.because] };
  },
};
