// Nothing came, nothing was seen, but not for long enough to say more.
import { type Rule, stopped, told } from '../view';

export const quiet: Rule = {
  id: 'quiet',
  title: 'Nothing came back and nothing was seen so far, but the call might have needed longer.',
  severity: 'info',
  judge: (view) => {
    const { reply, effect, settled, outlasted, held } = view;
    if (!stopped(view) || !told(view) || !settled || reply.state !== 'none' || effect.state !== 'not-seen') return undefined;
    if (outlasted && held.length === 0) return undefined;
    return { severity: 'info', certainty: 'unknown', because: [...view.stop.because, ...effect.because, ...held] };
  },
};
