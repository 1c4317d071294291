// The one good answer, and never more than inferred: the watch outlasted the time that the call would still have needed,
// half as much again, and saw nothing there.
import { outlasted, type Rule } from '../view';

export const stopped: Rule = {
  id: 'stopped',
  title: 'Nothing came back and nothing was seen for longer than the call would have taken.',
  severity: 'ok',
  judge: (view) => {
    const readings = outlasted(view);
    if (!readings) return undefined;
    const clears = readings.map(({ seq, says }) => ({ seq, says }));
    const normally = view.normally ? [{ seq: view.normally.seq, says: 'how long the call takes when nobody stops it' }] : [];
    return { severity: 'ok', certainty: 'inferred', because: [...view.stop.because, ...clears, ...normally] };
  },
};
