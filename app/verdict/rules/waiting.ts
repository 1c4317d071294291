// In flight, and nobody has stopped it.
import type { Rule } from '../view';

export const waiting: Rule = {
  id: 'waiting',
  title: 'In flight: sent and not answered yet.',
  severity: 'info',
  judge: ({ reply }) => (reply.state === 'waiting' ? { severity: 'info', certainty: 'proved', because: reply.because } : undefined),
};
