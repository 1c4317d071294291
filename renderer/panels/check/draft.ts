// What a report card would try of the server in focus: which tools can be called, with which arguments, and which of them are
// called for real. Read off the same plan as the host's.
import { type PlannedTool, planOf } from '../../../app/contract/check';
import type { Tool } from '../../../app/contract/host';
import { mayWrite } from '../../../app/scenario/check/plan';
import type { State } from '../../store/state';

export interface Candidate extends PlannedTool {
  readonly writes: boolean;
  /** What somebody has typed for it, or called it with; undefined where the server's own example, or its schema, gives some. */
  readonly given: Readonly<Record<string, unknown>> | undefined;
}

/** The tools of the server in focus, in their order. */
export const candidatesOf = (state: Pick<State, 'status' | 'drafts' | 'settings'>): readonly Candidate[] =>
  state.status.tools.map((tool) => {
    const given = givenFor(state, tool);
    // As if writing were allowed: whether it is comes last, and somebody is asked.
    return { ...planOf(state.status, tool, true, given), writes: mayWrite(tool), given };
  });

/** An example that comes with the server is made for this: it is short, and does no harm. */
function givenFor({ status, drafts, settings }: Pick<State, 'status' | 'drafts' | 'settings'>, tool: Tool): Candidate['given'] {
  if (status.setups[tool.name]?.example) return undefined;
  return drafts[tool.name]?.arguments ?? settings.history[status.key]?.[tool.name]?.[0];
}

/** By tool, the arguments that go with the request. */
export const argumentsOf = (
  candidates: readonly Candidate[],
  chosen: readonly string[],
): Readonly<Record<string, Record<string, unknown>>> =>
  Object.fromEntries(
    candidates.flatMap(({ tool, given }) => (given !== undefined && chosen.includes(tool.name) ? [[tool.name, { ...given }]] : [])),
  );
