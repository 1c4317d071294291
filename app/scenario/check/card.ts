// The report card: every line that the checks give, about the server first, then tool by tool.
import { type Answer, type Check, notTried, unknown } from './answer';
import { type CheckRecord, type Court, evidenceOf } from './evidence';
import { SERVER_CHECKS, triedOf } from './server';
import { TOOL_CHECKS } from './tools';

/** Every check there is. */
export const CHECKS: readonly Check[] = [...SERVER_CHECKS, ...TOOL_CHECKS];
export const CHECK_IDS: readonly string[] = CHECKS.map(({ id }) => id);

export interface Line extends Answer {
  readonly check: string;
  /** undefined: about the whole server. */
  readonly tool: string | undefined;
  readonly source: string;
}

/**
 * Judges everything that was done so far.
 * @param skip ids of checks that are left out
 */
export function linesOf({ where, tools, exercises }: CheckRecord, court: Court, skip: readonly string[] = []): readonly Line[] {
  const line = ({ id, source }: Check, tool: string | undefined, { status, sentence, because }: Answer): Line => ({
    check: id,
    tool,
    status,
    sentence,
    source: source(where),
    because: because.filter((one, index) => because.findIndex(({ seq }) => seq === one.seq) === index),
  });
  const wanted = <C extends Check>(all: readonly C[]): readonly C[] => all.filter(({ id }) => !skip.includes(id));
  const ofServer = wanted(SERVER_CHECKS).map((check) => {
    const record = exercises.find(({ exercise }) => exercise === check.exercise);
    if (!record) return line(check, undefined, notTried('It was not come to.'));
    if (!record.tried) return line(check, undefined, notTried(record.why));
    const tried = triedOf(record, court);
    return line(check, undefined, tried ? check.judge(tried) : unknown('Its session is not in the trace.'));
  });
  const ofTools = tools.flatMap((record) => {
    const evidence = evidenceOf(record, where, court);
    return wanted(TOOL_CHECKS)
      .filter((check) => check.applies(evidence))
      .map((check) => line(check, record.tool.name, check.judge(evidence)));
  });
  return [...ofServer, ...ofTools];
}
