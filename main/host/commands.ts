// From what the person chose (the demo, a command line, an address) to what can be connected to, and to what is shown of it.
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { ToolSetup } from '../../app/contract/host';
import { demoTitle, type ServerSpec } from '../../app/contract/server';
import { masked } from '../../app/evidence/dsn';
import type { ProbeSpec } from '../../app/evidence/probe';
import type { DemoWire } from '../../app/wire/frame';
import { DEMO_PROBES, DEMO_TOOLS, type DemoTool } from '../demo/probes';
import { maskedUrl } from '../transports/http-headers';
import type { Target } from './session';

/** Where the demo server is and where it may write. */
export interface DemoPlace {
  /** Its script. */
  readonly script: string;
  /** Its state folder; emptied whenever the demo is connected. Over another wire than stdio it has one beside this. */
  readonly state: string;
}

/** Where the demo works over a wire: each has a folder of its own, since several may be connected at once. */
export const demoState = (over: DemoWire | undefined, { state }: DemoPlace): string => (over === undefined ? state : `${state}-${over}`);

/** Makes that folder anew. */
export function freshDemoState(over: DemoWire | undefined, demo: DemoPlace): string {
  const state = demoState(over, demo);
  rmSync(state, { recursive: true, force: true });
  mkdirSync(state, { recursive: true });
  return state;
}

/** Where Stopgap runs in Electron, its program is Node only when told so. */
export const AS_NODE = { ELECTRON_RUN_AS_NODE: '1' };

/** What to connect to. */
export function targetOf(spec: Exclude<ServerSpec, { kind: 'demo' }>): Target {
  switch (spec.kind) {
    case 'stdio':
      return { kind: 'stdio', command: { command: spec.command, args: spec.args, cwd: spec.cwd, env: spec.env } };
    case 'http':
      return { kind: 'http', address: { url: spec.url, transport: spec.transport, headers: spec.headers } };
  }
}

/** The command line or the address as it is shown and recorded. */
export function targetText(target: Target): string {
  if (target.kind === 'http') return maskedUrl(target.address.url);
  const { command, args } = target.command;
  return [command, ...args].map((word) => quoted(masked(word))).join(' ');
}

/** A word of a command line as people would write it. */
export const quoted = (word: string): string => (/^[^\s"']+$/.test(word) ? word : JSON.stringify(word));

/** How a server is called: by the person, else by its program and first argument. */
export function titleOf(spec: ServerSpec): string {
  if (spec.kind === 'demo') return demoTitle(spec.over);
  if (spec.title) return spec.title;
  if (spec.kind === 'http') return new URL(spec.url).host;
  const script = spec.args.find((arg) => !arg.startsWith('-'));
  return [spec.command, ...(script === undefined ? [] : [script])].map((word) => path.basename(masked(word))).join(' ');
}

/** The probes that come with a server. */
export const builtInProbes = (spec: ServerSpec, demo: DemoPlace): readonly ProbeSpec[] =>
  spec.kind === 'demo'
    ? Object.entries(DEMO_PROBES).map(([name, probe]) => ({
        kind: probe.kind,
        name,
        path: path.resolve(demoState(spec.over, demo), probe.path),
        match: probe.match,
        shared: false,
      }))
    : [];

/** The arrangements that come with a server's tools. */
export function builtInSetups(spec: ServerSpec): Readonly<Record<string, ToolSetup>> {
  if (spec.kind !== 'demo') return {};
  const setups: Record<string, ToolSetup> = {};
  for (const [tool, { probes, normallyMs, undo, example = { arguments: {}, normallyMs } }] of Object.entries<DemoTool>(DEMO_TOOLS))
    setups[tool] = {
      probes: [...probes],
      normallyMs,
      example: { ...example, arguments: { ...example.arguments } },
      ...(undo ? { undo: { ...undo, arguments: { ...undo.arguments } } } : {}),
    };
  return setups;
}
