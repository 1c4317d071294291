// What is half typed about a sweep, and whether it can be asked for.
import type { Params, Tool } from '../../../app/contract/host';
import { MOST_ATTEMPTS, type ResetBy } from '../../../app/contract/lab';
import { meansOf } from '../../../app/scenario/means';
import type { Axis } from '../../../app/scenario/sweep';

export interface SweepDraft {
  readonly how: 'grid' | 'random' | 'boundary';
  readonly axis: Axis;
  /** As typed: ms, or notifications of progress. */
  readonly from: string;
  readonly to: string;
  readonly runs: string;
  /** JSON. */
  readonly arguments: string;
  readonly probes: readonly string[];
  readonly means: string;
  readonly settleMs: string;
  readonly normallyMs: string;
  readonly resetBy: ResetBy['by'];
  readonly resetTool: string;
  readonly resetArguments: string;
  readonly resetLine: string;
}

/** The ways to stop that leave the server able to take the next attempt. */
export const SWEEP_MEANS = ['cancel', 'abandon', 'timeout', 'timeout:silent', 'drop', 'kill'] as const;

export const firstDraft = (args: Readonly<Record<string, unknown>>, probes: readonly string[]): SweepDraft => ({
  how: 'boundary',
  axis: 'time',
  from: '0',
  to: '',
  runs: '12',
  arguments: JSON.stringify(args, undefined, 2),
  probes,
  means: 'cancel',
  settleMs: '1000',
  normallyMs: '',
  resetBy: 'nothing',
  resetTool: '',
  resetArguments: '{}',
  resetLine: '',
});

type Read = { readonly request: Params<'sweep.run'> } | { readonly why: string };

/** The request that a draft asks for, or what is missing from it. */
export function readDraft(draft: SweepDraft, tool: Tool, connection: number): Read {
  const args = objectIn(draft.arguments);
  if (!args) return { why: 'Expected the arguments as a JSON object.' };
  const runs = wholeIn(draft.runs);
  if (runs === undefined || runs < 1 || runs > MOST_ATTEMPTS) return { why: `Expected from 1 to ${MOST_ATTEMPTS} attempts.` };
  const from = wholeIn(draft.from) ?? 0;
  const to = wholeIn(draft.to);
  if (draft.axis === 'progress' && to === undefined) return { why: 'Expected the last count of progress to stop at.' };
  if (to !== undefined && to <= from) return { why: 'Expected the last moment to be after the first.' };
  if (draft.probes.length === 0) return { why: `Choose the probe that sees what ${tool.name} writes: without one no outcome is known.` };
  const reset = resetIn(draft);
  if ('why' in reset) return reset;
  const how = meansOf(draft.means);
  if (!how) return { why: 'Expected a way to stop.' };
  const normallyMs = wholeIn(draft.normallyMs);
  return {
    request: {
      connection,
      tool: tool.name,
      arguments: args,
      probes: [...draft.probes],
      axis: draft.axis,
      strategy: { how: draft.how, from, ...(to === undefined ? {} : { to }), runs },
      how,
      settleMs: wholeIn(draft.settleMs) ?? 1000,
      ...(normallyMs === undefined ? {} : { normallyMs }),
      reset: reset.reset,
    },
  };
}

function resetIn({ resetBy, resetTool, resetArguments, resetLine }: SweepDraft): { readonly reset: ResetBy } | { readonly why: string } {
  switch (resetBy) {
    case 'nothing':
      return { reset: { by: 'nothing' } };
    case 'tool': {
      const args = objectIn(resetArguments);
      if (resetTool === '') return { why: 'Choose the tool that resets.' };
      return args
        ? { reset: { by: 'tool', tool: resetTool, arguments: args } }
        : { why: 'Expected the arguments of the reset as a JSON object.' };
    }
    case 'command':
      return resetLine.trim() === '' ? { why: 'Type the command that resets.' } : { reset: { by: 'command', line: resetLine } };
  }
}

/** Arguments with one that varies from attempt to attempt: `order` becomes `order-${run}`. */
export function varied(args: string, name: string): string {
  const object = objectIn(args) ?? {};
  const known = object[name];
  const text = typeof known === 'string' && known !== '' ? known : name;
  return JSON.stringify({ ...object, [name]: text.includes(RUN) ? text : `${text}-${RUN}` }, undefined, 2);
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: filled in for every attempt
export const RUN = '${run}';

/** The arguments of a tool that can vary: texts without a list to choose from. */
export function variable(tool: Tool): readonly string[] {
  const { properties } = tool.inputSchema as { readonly properties?: unknown };
  if (typeof properties !== 'object' || properties === null) return [];
  return Object.entries(properties as Readonly<Record<string, unknown>>).flatMap(([name, schema]) => {
    const {
      type,
      enum: choices,
      format,
    } = (schema ?? {}) as { readonly type?: unknown; readonly enum?: unknown; readonly format?: unknown };
    return type === 'string' && choices === undefined && format === undefined ? [name] : [];
  });
}

const wholeIn = (text: string): number | undefined => (/^\d{1,8}$/.test(text.trim()) ? Number(text) : undefined);

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
