// One reading of a place at a time. Who asks while one is under way needs one that begins after the question, and shares it
// with whoever else asks until it begins.

/** @returns asks for a reading; resolves when one that began after the question is over, rejects when it failed */
export function readings(read: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const begin = (): Promise<void> => {
    running = read().finally(() => {
      running = undefined;
    });
    return running;
  };
  return () => {
    if (!running) return begin();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  };
}
