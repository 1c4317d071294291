// Killing the server's process does not kill what it had started.
import type { Rule } from '../view';

export const outlivedKill: Rule = {
  id: 'outlived-kill',
  title: 'The effect came about after the server had been killed.',
  severity: 'breach',
  judge: ({ stop, effect }) =>
    stop.state === 'killed' && effect.state === 'after'
      ? { severity: 'breach', certainty: effect.certainty, because: [...stop.because, ...effect.because] }
      : undefined,
};
