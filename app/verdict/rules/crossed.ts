// The reply and the cancel passed each other on the wire.
import { type Rule, stopped } from '../view';

export const crossed: Rule = {
  id: 'crossed',
  title: 'The reply and the cancel crossed on the wire.',
  severity: 'info',
  judge: (view) =>
    stopped(view) && view.reply.state === 'crossed'
      ? { severity: 'info', certainty: 'unknown', because: [...view.stop.because, ...view.reply.because] }
      : undefined,
};
