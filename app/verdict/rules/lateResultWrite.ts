// Nobody watched, and the server reports success after the stop: it claims to have done what it was asked not to do.
import { type Rule, stopped, wrongMeans } from '../view';

export const lateResultWrite: Rule = {
  id: 'late-result-write',
  title: 'A tool that may write reported success after the stop, and no probe watched.',
  severity: 'warn',
  judge: (view) => {
    const { reply, effect, mayWrite, stop } = view;
    const late = reply.state === 'late-result' || reply.state === 'crossed';
    if (!stopped(view) || wrongMeans(view) || !late || !mayWrite || effect.state !== 'claimed') return undefined;
    return { severity: 'warn', certainty: 'inferred', because: [...stop.because, ...reply.because] };
  },
};
