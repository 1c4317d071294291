// The process or the connection went away with the call in it: whatever it had begun is unknown.
import type { Rule } from '../view';

export const lost: Rule = {
  id: 'lost',
  title: 'The server went away before it answered; the outcome is not known.',
  severity: 'warn',
  judge: ({ stop, reply }) =>
    reply.state === 'lost' || (stop.state === 'killed' && reply.state !== 'in-time')
      ? { severity: 'warn', certainty: 'unknown', because: [...stop.because, ...(reply.state === 'lost' ? reply.because : [])] }
      : undefined,
};
