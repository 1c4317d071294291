// The stop was a moment ago: the settle window is still running.
import { type Rule, stopped } from '../view';

export const settling: Rule = {
  id: 'settling',
  title: 'The stop was a moment ago; it is too early to say anything.',
  severity: 'info',
  judge: (view) => (stopped(view) ? { severity: 'info', certainty: 'unknown', because: view.stop.because } : undefined),
};
