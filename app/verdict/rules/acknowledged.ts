// The server said "cancelled". Harmless, not asked for by the specification, and proof of nothing.
import { outlasted, type Rule, stopped } from '../view';

export const acknowledged: Rule = {
  id: 'acknowledged',
  title: 'The server answered that the call was cancelled, which proves nothing about its effect.',
  severity: 'note',
  judge: (view) =>
    stopped(view) && view.reply.state === 'acknowledged' && !outlasted(view)
      ? { severity: 'note', certainty: view.reply.certainty, because: [...view.stop.because, ...view.reply.because] }
      : undefined,
};
