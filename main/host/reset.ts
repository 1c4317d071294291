// A command that is run before every attempt of a sweep, so that each begins as the first did.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import parseArgv from 'string-argv';
import { withRun } from '../../app/evidence/variables';
import { Interrupted } from './live';
import { type Reset, SweepError } from './sweeper';
import { plain } from './why';

/**
 * @param line a command line, which no shell reads; `${run}` in it is the number of the attempt
 * @returns undefined for an empty one
 */
export function commandReset(line: string): Reset | undefined {
  const [command, ...words] = parseArgv(line);
  if (command === undefined) return undefined;
  return {
    by: 'action',
    run: async (attempt, signal) => {
      await promisify(execFile)(command, withRun(words, attempt).map(String), { signal }).catch((error: unknown) => {
        if (signal.aborted) throw new Interrupted();
        throw new SweepError(`Expected the reset ${line} to succeed before attempt ${attempt}, but it failed: ${plain(error)}`);
      });
    },
  };
}
