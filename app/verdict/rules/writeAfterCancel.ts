// The breach that this product exists for: the server was told to stop, and the effect came about afterwards.
import { type Rule, told } from '../view';

export const writeAfterCancel: Rule = {
  id: 'write-after-cancel',
  title: 'The effect came about after the cancel had been sent.',
  severity: 'breach',
  judge: (view) => {
    const { effect, stop, fence } = view;
    if (!told(view) || effect.state !== 'after') return undefined;
    const says =
      fence.seq === view.taskCancel?.reply?.seq
        ? 'tasks/cancel answered: the server had read it before the effect'
        : 'ping answered: the server had read past the cancel before the effect';
    const read = effect.readFirst === 'yes' && fence.seq !== undefined ? [{ seq: fence.seq, says }] : [];
    return { severity: 'breach', certainty: effect.certainty, because: [...stop.because, ...read, ...effect.because] };
  },
};
