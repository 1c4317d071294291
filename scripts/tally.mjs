// What a run of Vitest amounts to. Its JSON report alone does not tell: a file that does not load has no tests to fail,
// and a run that found no tests has proved nothing.

/**
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} failed
 */

/**
 * @param {number} code the exit code of the run
 * @param {{ numPassedTests: number, numFailedTests: number } | undefined} report Vitest's JSON report; none when it crashed
 * @returns {Tally} with at least one failure unless tests have run and all went well
 */
export function tally(code, report) {
  const passed = report?.numPassedTests ?? 0;
  const failed = report?.numFailedTests ?? 0;
  const well = code === 0 && passed > 0;
  return { passed, failed: well ? failed : Math.max(failed, 1) };
}
