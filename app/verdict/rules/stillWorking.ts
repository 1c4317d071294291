// Signs of work later than anything the server may have sent before it read the cancel.
import { type Rule, stopped, wrongMeans } from '../view';

export const stillWorking: Rule = {
  id: 'still-working',
  title: 'The server went on working after the stop.',
  severity: 'warn',
  judge: (view) =>
    stopped(view) && !wrongMeans(view) && view.after.because.length > 0
      ? { severity: 'warn', certainty: view.after.certainty, because: [...view.stop.because, ...view.after.because] }
      : undefined,
};
