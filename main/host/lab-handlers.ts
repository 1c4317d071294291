// What the window asks of the laboratory: scenario files read and written, runs, and what a person just did as a scenario.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import type { REQUESTS, Request, Results, Settings, SettingsPatch } from '../../app/contract/host';
import { type ServerSpec, secretsOf } from '../../app/contract/server';
import { type Recorded, recordedScenario, variableName } from '../../app/scenario/record';
import type { Scenario, ScenarioServer } from '../../app/scenario/scenario';
import { writeScenario } from '../../app/scenario/write';
import { plain } from '../store/disk';
import type { Secrets } from '../store/secrets';
import { argumentsOf } from './call-arguments';
import type { Connections } from './connections';
import type { Lab } from './lab';
import type { Environment } from './scenario-server';
import { completed } from './server-secrets';

type LabRequest = Extract<Request, `scenario.${string}` | `sweep.${string}` | `lab.${string}`>;
type Given<R extends LabRequest> = z.output<(typeof REQUESTS)[R]>;
export type LabHandlers = { readonly [R in LabRequest]: (params: Given<R>) => Results[R] | Promise<Results[R]> };

export interface LabHandlersOptions {
  readonly lab: Lab;
  readonly servers: Connections;
  readonly settings: () => Settings;
  readonly patch: (patch: SettingsPatch) => Promise<void>;
}

const RECENT = 20;
/** A scenario is written by hand: what is larger is something else. */
const LARGEST = 1_000_000;

export function labHandlers({ lab, servers, settings, patch }: LabHandlersOptions): LabHandlers {
  const remember = (file: string): Promise<void> =>
    patch({ recentScenarios: [file, ...settings().recentScenarios.filter((other) => other !== file)].slice(0, RECENT) });
  return {
    'scenario.read': async ({ path: file }) => {
      const text = await textOf(whole(file, SCENARIO_NAMES));
      await remember(file);
      return { path: file, text };
    },
    'scenario.write': async ({ path: file, text }) => {
      await replace(whole(file, SCENARIO_NAMES), text);
      await remember(file);
      return {};
    },
    'scenario.record': async ({ calls }) => ({ text: await recorded(calls, servers) }),
    'scenario.run': (params) => lab.run(params),
    'scenario.step': ({ run, to }) => {
      lab.step(run, to);
      return {};
    },
    'sweep.run': (params) => lab.sweep(params),
    'sweep.write': async ({ path: file, text }) => {
      await replace(whole(file, /\.json$/i), text);
      return {};
    },
    'lab.stop': ({ run }) => {
      lab.stop(run);
      return {};
    },
  };
}

const SCENARIO_NAMES = /\.ya?ml$/i;

/** A path from a window belongs to no folder that somebody could have meant, and to no other kind of file. */
function whole(file: string, names: RegExp): string {
  if (path.isAbsolute(file) && names.test(file)) return file;
  throw new Error(`Expected the whole path of a file that ends in ${names === SCENARIO_NAMES ? '.yaml' : '.json'}, got “${file}”.`);
}

async function textOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`${file}: expected a scenario file that can be read, but ${plain(error)}`);
  });
  if (text.length > LARGEST) throw new Error(`${file}: expected a scenario file, got one of ${text.length} letters.`);
  return text;
}

async function replace(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new Error(`${file}: expected a place that can be written to, but ${plain(error)}`);
  });
}

/** @throws Error in plain words when the calls are not of one server that is still described */
async function recorded(indices: readonly number[], servers: Connections): Promise<string> {
  const { recording } = servers;
  if (!recording) throw new Error('Nothing has been recorded yet, so there is no call.');
  const calls: Recorded['calls'][number][] = [];
  for (const index of [...indices].sort((a, b) => a - b)) {
    const call = recording.judge.calls.all[index];
    if (!call) throw new Error(`There is no call ${index}.`);
    const { arguments: args } = await argumentsOf(recording, index);
    calls.push({ call, verdict: recording.judge.verdict(index), arguments: args });
  }
  const [status, ...others] = new Set(calls.map(({ call }) => servers.statuses.find(({ sessions }) => sessions.includes(call.session))));
  if (others.length > 0) throw new Error('Expected calls of one server: a scenario has one. Choose those of one of them.');
  if (!status?.spec)
    throw new Error(
      'Expected a server that is still connected: of another it is not known how it was started. Connect it again, and call anew.',
    );
  const probes = status.probes.flatMap(({ spec, builtIn }) => (builtIn ? [] : [spec]));
  const { scenario, notes } = recordedScenario({ server: serverOf(status.spec), probes, faults: status.faults.rules, calls });
  return writeScenario(scenario, undefined, notes);
}

function serverOf(spec: ServerSpec): ScenarioServer {
  switch (spec.kind) {
    case 'demo':
      return { kind: 'demo', over: spec.over, protocol: undefined };
    case 'stdio': {
      const { command, args, env, cwd = process.cwd(), protocol } = spec;
      return { kind: 'stdio', command, args, env, cwd, protocol };
    }
    case 'http': {
      const { url, transport, headers, protocol } = spec;
      return { kind: 'http', url, transport, headers, protocol };
    }
  }
}

/**
 * What a scenario may take from the environment: variables that are set, and the secrets that are kept for the same server,
 * by their names.
 */
export async function environmentFor(
  scenario: Scenario,
  { savedServers, recentServers }: Settings,
  secrets: Secrets,
): Promise<Environment> {
  const like = [...savedServers, ...recentServers].filter((spec) => isLike(spec, scenario.server));
  const kept: Record<string, string> = {};
  for (const spec of like.reverse()) {
    const values = secretsOf(await completed(secrets, spec));
    for (const [name, value] of Object.entries(values)) if (value !== '') kept[variableName(name)] = value;
  }
  return { ...kept, ...process.env };
}

/** The same program with the same arguments, or the same address: whoever may have its secrets has them already. */
function isLike(spec: ServerSpec, server: ScenarioServer): boolean {
  if (spec.kind === 'http') return server.kind === 'http' && server.url === spec.url;
  if (spec.kind !== 'stdio' || server.kind !== 'stdio') return false;
  return server.command === spec.command && JSON.stringify(server.args) === JSON.stringify(spec.args);
}
