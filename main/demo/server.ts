// The demo server: a real MCP server in a process of its own, made so that every tool shows one truth about cancelling
// (docs/demo.md lists them). Over stdio, or over HTTP. The same program is the child that `deploy` starts.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { DemoWire } from '../../app/wire/frame';
import { connectDemo } from './instance';
import { BothEras } from './modern';
import { serveHttp } from './over-http';
import { openState } from './state';
import { DemoTasks } from './tasks';
import { runRelease } from './tools/deploy';

const USAGE = `Usage: demo [--state DIR] [--http PORT [--stateless | --json | --sse] [--end-with-stdin]]
The state folder is else STOPGAP_DEMO_STATE, else a fresh folder for temporary files. Without --http it speaks over stdio.`;

interface Options {
  readonly folder: string;
  readonly release: string | undefined;
  readonly http: { readonly port: number; readonly wire: DemoWire; readonly endWithStdin: boolean } | undefined;
}

/** @throws Error with an explanation when an option is unknown, lacks its value or does not go with the others */
function readOptions(): Options {
  const flag = { type: 'boolean', default: false } as const;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { state: text, release: text, http: text, stateless: flag, json: flag, sse: flag, 'end-with-stdin': flag },
  });
  const { stateless, json, sse } = values;
  const wires: readonly DemoWire[] = [
    ...(stateless ? ['http-stateless' as const] : []),
    ...(json ? ['http-json' as const] : []),
    ...(sse ? ['sse' as const] : []),
  ];
  if (wires.length > 1) throw new Error('Expected at most one of --stateless, --json and --sse.');
  if (values.http === undefined && (wires.length > 0 || values['end-with-stdin']))
    throw new Error('Expected --http PORT with --stateless, --json, --sse and --end-with-stdin.');
  const named = values.state ?? process.env['STOPGAP_DEMO_STATE'];
  return {
    folder: named ? path.resolve(named) : mkdtempSync(path.join(tmpdir(), 'stopgap-demo-')),
    release: values.release,
    http:
      values.http === undefined
        ? undefined
        : { port: portOf(values.http), wire: wires[0] ?? 'http', endWithStdin: values['end-with-stdin'] },
  };
}

function portOf(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error(`Expected --http with a port from 0 to 65535, got ${text}.`);
  return Number(text);
}

async function serve({ folder, http }: Options): Promise<void> {
  openState(folder);
  console.error(`stopgap-demo: state folder ${folder}`);
  const desk = { folder, program: fileURLToPath(import.meta.url), tasks: new DemoTasks() };
  if (!http)
    return endWith(await connectDemo({ ...desk, transport: new BothEras(new StdioServerTransport(), desk.tasks) }), { stdin: true });
  const { url, close } = await serveHttp(http.wire, http.port, desk);
  endWith(close, { stdin: http.endWithStdin });
  if (http.endWithStdin) process.stdin.resume();
  console.log(url);
}

/**
 * Closing aborts the calls in flight, so that a held seat is given back; then the process ends without waiting for the
 * tools that ignore it.
 */
function endWith(close: () => unknown, { stdin }: { readonly stdin: boolean }): void {
  const quit = (): void => {
    close();
    setImmediate(() => process.exit(0));
  };
  if (stdin) process.stdin.once('end', quit);
  process.stdout.once('error', quit);
  process.once('SIGTERM', quit);
  process.once('SIGINT', quit);
}

try {
  const options = readOptions();
  if (options.release === undefined) await serve(options);
  else await runRelease(options.release, options.folder);
} catch (error) {
  console.error(`stopgap-demo: ${error instanceof Error ? error.message : String(error)}`);
  console.error(USAGE);
  process.exitCode = 2;
}
