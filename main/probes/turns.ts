// When bytes reach a socket, nobody says; Node hands them over at its next turn, and between the two a busy machine can
// write a cancel. So that what had come before the cancel is never dated after it, an arrival is dated back to the last
// moment of which it is known that everything there had been handed over.
//
// A mark is taken right behind a poll of the event loop. What a known socket held at one mark has been handed over at the
// next; a connection that waited to be accepted needs one turn more. Hence three marks: what is handed over after the last
// of them had not arrived whole at the first.
import type { Clock, Ns } from '../../app/base/time';

/** How far apart marks are, in ms, when nobody waits for one. */
const EVERY_MS = 5;

export interface Turns {
  /** A moment up to which everything that had arrived has been handed over. */
  drained(): Ns;
  /** Resolves when everything that had arrived at the time of asking has been handed over. */
  drain(): Promise<void>;
  stop(): void;
}

/** Begins to take marks, before anything can arrive. Does not keep the process alive. */
export function watchTurns(clock: Clock): Turns {
  const begun = clock.now();
  let marks: readonly [Ns, Ns, Ns] = [begun, begun, begun];
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let coming: Promise<void> | undefined;
  /** Takes the next mark behind a poll; whoever asks for one before it is taken shares it: no two marks without a poll between. */
  const mark = (): Promise<void> => {
    coming ??= new Promise((resolve) => {
      setImmediate(() => {
        coming = undefined;
        marks = [marks[1], marks[2], clock.now()];
        resolve();
      });
    });
    return coming;
  };
  const rest = (): void => {
    timer = setTimeout(async () => {
      await mark();
      if (!stopped) rest();
    }, EVERY_MS);
    timer.unref();
  };
  rest();
  return {
    drained: () => marks[0],
    async drain() {
      for (let turn = 0; turn < 3; turn++) await mark();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
