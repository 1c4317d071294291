// Plays cases, a few at a time, and says what each amounts to.
import type { TruthCase } from './case';
import { type Judgement, judgementOf, lieOf } from './judgement';
import { Scene } from './scene';

/** What a case amounts to; `skipped` says why it cannot be played here. */
export type Result = { readonly name: string } & (Judgement | { readonly kind: 'skipped'; readonly says: string });

async function play(one: TruthCase): Promise<Result> {
  const { name } = one;
  const missing = one.missing?.();
  if (missing !== undefined) return { name, kind: 'skipped', says: missing };
  const scene = await Scene.set();
  try {
    const judged = await one.run(scene);
    const outcome = await scene.end(judged);
    const account = scene.account();
    for (const { handle, verdict } of outcome.all) {
      const lie = lieOf({ verdict, truth: outcome.truth, as: handle.as, retryOf: handle.retryOf?.as });
      if (lie !== undefined) return { name, kind: 'lie', says: `${handle.as}: ${lie}\n${account}` };
    }
    const judgement = judgementOf(outcome.verdict, one.acceptable);
    if (judgement.kind !== 'agree') return { name, ...judgement };
    const complaint = one.also?.(outcome);
    return complaint === undefined ? { name, kind: 'agree' } : { name, kind: 'disagreement', says: complaint };
  } catch (error) {
    return {
      name,
      kind: 'disagreement',
      says: `could not be played to its end: ${error instanceof Error ? error.message : String(error)}\n${scene.account()}`,
    };
  } finally {
    await scene.clear();
  }
}

/**
 * Plays cases in a pool.
 * @returns one promise for each case, in their order
 */
export function playAll(cases: readonly TruthCase[], atOnce: number): readonly Promise<Result>[] {
  const free: (() => void)[] = [];
  let running = 0;
  const turn = async (): Promise<void> => {
    if (running >= atOnce) await new Promise<void>((resolve) => free.push(resolve));
    else running++;
  };
  const done = (): void => {
    const next = free.shift();
    if (next) next();
    else running--;
  };
  return cases.map(async (one) => {
    await turn();
    try {
      return await play(one);
    } finally {
      done();
    }
  });
}
