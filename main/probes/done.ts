// The person may know how an effect looks when it is complete: `done:` in a probe's settings says so as a pattern.
import type { ProbeSpec } from '../../app/evidence/probe';

/**
 * Tells whether the text of an observation says that the effect is whole.
 * @returns what to add to the observation
 * @throws Error in plain words when the pattern is none
 */
export function doneBy({ name, done }: ProbeSpec): (text: string) => { readonly done?: true } {
  if (done === undefined) return () => ({});
  const pattern = compiled(name, done);
  return (text) => (pattern.test(text) ? { done: true } : {});
}

function compiled(name: string, done: string): RegExp {
  try {
    return new RegExp(done);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Expected a regular expression as “done” of the probe ${name}, got ${done} (${why}). Mend it, or leave it away.`);
  }
}
