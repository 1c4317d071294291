// The one good answer, and never more than inferred: the watch outlasted the time that the call would still have needed,
// half as much again, and saw nothing there.
import { type Rule, told, stopped as wasStopped } from '../view';

export const stopped: Rule = {
  id: 'stopped',
  title: 'Nothing came back and nothing was seen for longer than the call would have taken.',
  severity: 'ok',
  judge: (view) => {
    const { reply, effect, settled, outlasted, held } = view;
    if (
      held.length > 0 ||
      !wasStopped(view) ||
      !told(view) ||
      !settled ||
      reply.state !== 'none' ||
      effect.state !== 'not-seen' ||
      !outlasted
    )
      return undefined;
    const normally = view.normally ? [{ seq: view.normally.seq, says: 'how long the call takes when nobody stops it' }] : [];
    return { severity: 'ok', certainty: 'inferred', because: [...view.stop.because, ...outlasted, ...normally] };
  },
};
