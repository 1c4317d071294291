// The effect and the stop are closer together than anybody could look. The honest answer is that the order is not known.
import { type Rule, stopped } from '../view';

export const writeOrderUnknown: Rule = {
  id: 'write-order-unknown',
  title: 'The effect and the stop are too close together to tell which came first.',
  severity: 'warn',
  judge: (view) =>
    stopped(view) && view.effect.state === 'straddles'
      ? { severity: 'warn', certainty: view.effect.certainty, because: [...view.stop.because, ...view.effect.because] }
      : undefined,
};
