// The client stopped waiting and the server never learned of it: what many chat clients call "stop".
import type { Rule } from '../view';

export const neverTold: Rule = {
  id: 'never-told',
  title: 'The server was never told to stop.',
  severity: 'breach',
  judge: ({ stop, reply, effect }) => {
    const untold = stop.state === 'not-sent' || stop.state === 'misaddressed' || stop.state === 'undelivered';
    // A reply that had come, and that a fault of ours kept from the client, left nothing to be told.
    if (!untold || reply.state === 'in-time' || (reply.at !== undefined && stop.at !== undefined && reply.at < stop.at)) return undefined;
    const landed = effect.state === 'after' || effect.state === 'straddles';
    return {
      severity: landed ? 'breach' : 'warn',
      certainty: landed && stop.certainty === 'proved' ? effect.certainty : stop.certainty,
      because: [...stop.because, ...(effect.worst ? effect.because : [])],
    };
  },
};
