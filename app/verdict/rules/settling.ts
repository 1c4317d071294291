// Stopped a moment ago: the settle window is still running.
import { type Rule, stopped } from '../view';

export const settling: Rule = {
  id: 'settling',
  title: 'Stopped a moment ago; still watching what happens.',
  severity: 'info',
  judge: (view) => (stopped(view) ? { severity: 'info', certainty: 'unknown', because: view.stop.because } : undefined),
};
