// Stop came after the reply.
import type { Rule } from '../view';

export const finishedFirst: Rule = {
  id: 'finished-first',
  title: 'The call had been answered before it could be stopped.',
  severity: 'info',
  judge: ({ stop, reply }) =>
    stop.state === 'too-late' || (stop.state !== 'none' && reply.state === 'in-time')
      ? { severity: 'info', certainty: 'proved', because: [...reply.because, ...stop.because] }
      : undefined,
};
