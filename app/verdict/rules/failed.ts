// Answered with an error, and nobody stopped it.
import { type Rule, succeeded } from '../view';

export const failed: Rule = {
  id: 'failed',
  title: 'Answered with an error; nobody stopped it.',
  severity: 'note',
  judge: ({ reply, first }) =>
    reply.state === 'in-time' && !succeeded(first) ? { severity: 'note', certainty: 'proved', because: reply.because } : undefined,
};
