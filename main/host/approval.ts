// A command that came from a file runs only after a yes that showed it whole. Whoever changes the file changes what is
// shown, and the yes is asked for again.
import type { ServerSpec } from '../../app/contract/server';
import { targetOf, targetText } from './commands';

/**
 * What has to be agreed to before a server may be started: its whole command line, where it runs, and the names of the
 * variables that it is given.
 * @returns undefined where nothing has: nobody but the person has written the command
 */
export function approvalOf(spec: ServerSpec): string | undefined {
  if (spec.kind !== 'stdio' || spec.importedFrom === undefined) return undefined;
  const names = Object.keys(spec.env).sort();
  return [
    targetText(targetOf(spec)),
    spec.cwd === undefined ? undefined : `in the folder ${spec.cwd}`,
    names.length === 0 ? undefined : `with values for ${names.join(', ')}`,
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}
