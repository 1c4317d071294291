// Nothing came, nothing was seen, but not for long enough to say more.
import { outlasted, type Rule, silent } from '../view';

export const quiet: Rule = {
  id: 'quiet',
  title: 'Nothing came back and nothing was seen so far, but the call might have needed longer.',
  severity: 'info',
  judge: (view) => {
    const { effect, settled, held } = view;
    if (!silent(view) || !settled || outlasted(view)) return undefined;
    return { severity: 'info', certainty: 'unknown', because: [...view.stop.because, ...effect.because, ...held] };
  },
};
