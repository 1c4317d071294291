// A tool that may write was stopped and nobody can tell whether it did. Silence is not success.
import { type Rule, stopped } from '../view';

export const unknownWrite: Rule = {
  id: 'unknown-write',
  title: 'The tool may write and nobody watched: assume that it may have happened.',
  severity: 'warn',
  judge: (view) => {
    const { reply, effect, mayWrite, settled, stop } = view;
    if (!stopped(view) || !mayWrite) return undefined;
    const silent = reply.state === 'none' && settled;
    const refused = reply.state === 'acknowledged' || reply.state === 'late-error';
    const blind = effect.state === 'watch-gap' && (silent || refused || reply.state === 'late-result');
    const unprobed = effect.state === 'not-probed' && (silent || refused);
    if (!blind && !unprobed) return undefined;
    return { severity: 'warn', certainty: 'unknown', because: [...stop.because, ...(silent ? [] : reply.because), ...effect.because] };
  },
};
