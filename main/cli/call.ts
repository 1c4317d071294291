// `stopgap call`: one call, stopped or not, and what really happened.
import path from 'node:path';
import parseArgv from 'string-argv';
import type { ServerSpec } from '../../app/contract/server';
import type { ProbeSpec } from '../../app/evidence/probe';
import { probeOf } from '../../app/evidence/probeWord';
import type { FaultRule } from '../../app/scenario/faults';
import type { Scenario, ScenarioServer, Step } from '../../app/scenario/scenario';
import { pathText, ScenarioError } from '../../app/scenario/schema';
import type { Means } from '../../app/wire/frame';
import { plain } from '../host/why';
import { freshTrace } from './connection';
import { type ExitCode, wrongInput } from './exit';
import { type ServerOptions, serverWordOptions } from './options';
import { perform } from './perform';
import { kindOf } from './place';
import { serverOf } from './server-word';
import { tell } from './tell';
import { said } from './terminal';

export interface CallOptions extends ServerOptions {
  readonly args?: Record<string, unknown>;
  readonly stopAfter?: number;
  readonly how?: Means;
  readonly reason?: string;
  readonly probe?: readonly string[];
  readonly fault?: readonly FaultRule[];
  readonly settle?: number;
  readonly normally?: number;
  readonly task?: true;
  readonly taskTtl?: number;
}

const SETTLE_MS = 3000;

/** @throws CliError */
export async function call(server: string, tool: string, options: CallOptions, signal: AbortSignal): Promise<ExitCode> {
  const scenario = scenarioOf(serverOf(server, serverWordOptions(options)), tool, options);
  const { json, color, quiet, fence, failOn } = options;
  const performed = await perform({
    scenario,
    fence,
    failOn,
    signal,
    trace: options.trace === undefined ? undefined : await freshTrace(options.trace),
    untilAnswered: options.stopAfter === undefined && options.settle === undefined && options.fault === undefined,
    said: said(quiet),
  }).catch((error: unknown) => {
    throw error instanceof ScenarioError ? wrongInput(inOptions(error)) : error;
  });
  await tell([{ title: undefined, performed }], { json, color });
  if (performed.error) throw performed.error;
  return performed.code;
}

/** The command line as a scenario of one call. */
export function scenarioOf(spec: ServerSpec, tool: string, options: CallOptions): Scenario {
  const { stopAfter, how, reason, settle = SETTLE_MS, normally, taskTtl } = options;
  const task = options.task || taskTtl !== undefined ? { ttlMs: taskTtl } : undefined;
  if (stopAfter === undefined && (how || reason !== undefined))
    throw wrongInput('--how and --reason: expected --stop-after with them (--stop-after 0ms stops at once), got none');
  const name = tool.slice(0, 40);
  const steps: Step[] = [
    { step: 'call', name, tool, arguments: options.args ?? {}, probes: undefined, normallyMs: normally, settleMs: settle, task },
  ];
  if (stopAfter !== undefined) {
    const when = { on: 'time', afterMs: stopAfter } as const;
    steps.push({ step: 'stop', call: name, when, how: how ?? { means: 'cancel' }, reason, fence: undefined });
  }
  return {
    name: undefined,
    about: undefined,
    server: scenarioServer(spec, options.protocol),
    settleMs: settle,
    probes: probesOf(options.probe ?? []),
    faults: options.fault ?? [],
    steps,
    expect: [],
  };
}

function scenarioServer(spec: ServerSpec, protocol: string | undefined): ScenarioServer {
  if (spec.kind === 'demo') return { kind: 'demo', over: spec.over, protocol };
  if (spec.kind === 'http') return { kind: 'http', url: spec.url, transport: spec.transport, headers: spec.headers, protocol };
  const { command, args, env, cwd = process.cwd() } = spec;
  return { kind: 'stdio', command, args, env, cwd, protocol };
}

/** The probes, named by their kind: `folder`, `folder-2`. */
export function probesOf(words: readonly string[]): readonly ProbeSpec[] {
  const counts = new Map<string, number>();
  return words.map((word) => {
    const kind = word.split(':', 1)[0] ?? '';
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    try {
      return placed(probeOf(word, count === 1 ? kind || 'probe' : `${kind}-${count}`, parseArgv));
    } catch (error) {
      throw wrongInput(`--probe: ${plain(error)}`);
    }
  });
}

/** Paths count from the working directory; a file stands for itself in its folder. */
function placed(spec: ProbeSpec): ProbeSpec {
  if (spec.kind === 'command') return { ...spec, cwd: process.cwd() };
  if (spec.kind !== 'folder') return spec;
  const absolute = path.resolve(spec.path);
  return kindOf(absolute) === 'file'
    ? { ...spec, path: path.dirname(absolute), match: path.basename(absolute) }
    : { ...spec, path: absolute };
}

/** What a scenario would name by its field, by the option that it came from. */
export function inOptions({ problems }: ScenarioError): string {
  const [first] = problems;
  if (!first) return 'the call cannot be made';
  const [top, , field] = first.path;
  const option =
    top === 'probes'
      ? `--probe ${String(first.path[1])}`
      : field === 'tool'
        ? '<tool>'
        : field === 'arguments'
          ? '--args'
          : field === 'how' || field === 'task'
            ? `--${field}`
            : pathText(first.path);
  return `${option}: ${first.says}`;
}
