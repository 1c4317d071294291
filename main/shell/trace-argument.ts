// A trace file named on the command line, as a file manager does when somebody opens one with Stopgap.
import path from 'node:path';
import { EXTENSION } from '../../app/wire/tracefile';

/** The last part of trace files' extension, which is all that file dialogs know: `.ndjson`. */
export const TRACE_EXTENSION = path.extname(EXTENSION);

/**
 * The trace file among the arguments, absolute; the last one, where there are several.
 * @param folder the working directory of whoever gave the arguments
 */
export function traceArgument(args: readonly string[], folder: string): string | undefined {
  const file = args.findLast((arg) => !arg.startsWith('-') && arg.toLowerCase().endsWith(TRACE_EXTENSION));
  return file === undefined ? undefined : path.resolve(folder, file);
}
