// An error after the stop that does not speak of cancelling.
import { type Rule, stopped } from '../view';

export const lateError: Rule = {
  id: 'late-error',
  title: 'An error came after the stop.',
  severity: 'note',
  judge: (view) =>
    stopped(view) && view.reply.state === 'late-error'
      ? { severity: 'note', certainty: 'proved', because: [...view.stop.because, ...view.reply.because] }
      : undefined,
};
