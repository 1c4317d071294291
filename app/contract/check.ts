// The report card of a server that is connected, made by the host for the window: what is asked for, and the whole picture that
// is sent whenever something of it changes.
import { z } from 'zod';
import type { CheckReport } from '../report/check/schema';
import { planOfTool, type ToolPlan } from '../scenario/check/plan';

import type { ProbeStatus, ServerStatus, Tool } from './host';

export const checkStart = z.object({
  connection: z.number().int().positive(),
  /** Names of the tools to be tried. */
  tools: z.array(z.string()),
  /** Somebody has agreed, with their names before them, that tools that may write are called for real. */
  allowWrites: z.boolean(),
  /** By tool; of the others the arguments are those that come with the server, or that its schema gives. */
  arguments: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
export type CheckStart = z.output<typeof checkStart>;

export interface CheckStatus {
  /** Not used again. */
  readonly run: number;
  readonly title: string;
  readonly state: 'running' | 'stopping' | 'over';
  /** Why it ended before its end. */
  readonly why: string | undefined;
  readonly done: number;
  readonly of: number;
  /** What is being done, in words. */
  readonly doing: string;
  /** What is known so far. */
  readonly report: CheckReport;
}

/** A tool of a connected server, with what would be tried of it, and what of that is known beforehand. */
export interface PlannedTool {
  readonly tool: Tool;
  readonly plan: ToolPlan;
  /** The probes that go with its calls. */
  readonly probes: readonly string[];
  readonly normallyMs: number | undefined;
}

/** What would be tried of a tool. @param given its arguments; else those that come with the server, or that its schema gives */
export function planOf(
  status: ServerStatus,
  tool: Tool,
  allowWrites: boolean,
  given: Readonly<Record<string, unknown>> | undefined,
): PlannedTool {
  const { protocol = '', transport = 'stdio', setups } = status;
  const setup = setups[tool.name];
  const normallyMs = given === undefined ? setup?.example?.normallyMs : undefined;
  const mine = status.probes.filter(({ spec, builtIn }) => !builtIn || setup?.probes.includes(spec.name));
  const names = (probes: readonly ProbeStatus[]): readonly string[] => probes.map(({ spec }) => spec.name);
  const watchedBy = names(mine.filter(({ spec }) => spec.kind !== 'process'));
  const plan = planOfTool({
    tool,
    where: { protocol, transport },
    allowWrites,
    given: given ?? setup?.example?.arguments,
    normallyMs,
    watchedBy,
  });
  return { tool, plan, probes: names(mine), normallyMs };
}
