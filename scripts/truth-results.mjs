// What a run of the truth set has left behind, read and put in words. The set is played by Vitest (test/truth), which knows
// passed and failed; the truth knows more kinds.
import fs from 'node:fs';
import path from 'node:path';
import { ROOT } from './setup.mjs';

const FILE = path.join(ROOT, 'dist/test/truth-results.json');
const KINDS = /** @type {const} */ (['agree', 'unknown', 'lie', 'disagreement', 'skipped']);

/**
 * @typedef {object} Result
 * @property {string} name
 * @property {'agree' | 'unknown' | 'lie' | 'disagreement' | 'skipped'} kind
 * @property {string} [says]
 */

/** Takes the results of an earlier run away. */
export const forgetTruth = () => fs.rmSync(FILE, { force: true });

/** @returns {{ results: readonly Result[] } | undefined} undefined when the run came to nothing */
export const readTruth = () => (fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE, 'utf8')) : undefined);

/**
 * One line for every case that is not what it should be, and `cases N, agree N, unknown N, lies N` at the end.
 * @param {readonly Result[]} results
 * @returns {string[]}
 */
export function truthLines(results) {
  const [agree, unknown, lies, disagree, skipped] = KINDS.map((kind) => results.filter((result) => result.kind === kind).length);
  const told = results.filter(({ kind }) => kind !== 'agree').map(({ kind, name, says }) => `${kind}: ${name}: ${says}`);
  const more = `${disagree ? `, disagree ${disagree}` : ''}${skipped ? `, not playable here ${skipped}` : ''}`;
  return [...told, `cases ${results.length}, agree ${agree}, unknown ${unknown}, lies ${lies}${more}`];
}
