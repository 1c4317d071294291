// Waiting for what must come: by looking, at short intervals, with patience for a machine that has other things to do.
const LOOK_MS = 4;
const PATIENCE_MS = 60_000;

export const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Resolves with the first reading that is truthy.
 * @throws Error when that takes longer than any machine should need
 */
export async function until<T>(what: string, reading: () => T): Promise<NonNullable<T>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = reading();
    if (value) return value;
    if (performance.now() > deadline) throw new Error(`Waited ${PATIENCE_MS} ms for ${what}.`);
    await rest(LOOK_MS);
  }
}
