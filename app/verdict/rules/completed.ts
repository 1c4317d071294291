// Answered with a result, and nobody stopped it.
import { type Rule, succeeded } from '../view';

export const completed: Rule = {
  id: 'completed',
  title: 'Answered with a result; nobody stopped it.',
  severity: 'ok',
  judge: ({ reply, first }) =>
    reply.state === 'in-time' && succeeded(first) ? { severity: 'ok', certainty: 'proved', because: reply.because } : undefined,
};
