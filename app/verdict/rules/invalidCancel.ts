// A cancel that the protocol forbids, or that is the wrong means for this kind of call.
import type { Rule } from '../view';

export const invalidCancel: Rule = {
  id: 'invalid-cancel',
  title: 'The cancel broke the protocol: it was forbidden here, or the wrong means.',
  severity: 'warn',
  judge: ({ stop }) =>
    stop.flags.includes('forbidden') || stop.flags.includes('wrong-means')
      ? { severity: 'warn', certainty: 'proved', because: stop.because }
      : undefined,
};
