// Report cards for the window: one at a time, on a server that is connected. The same runs, exercises and lines as the command
// line's; when it is over the server is connected again as it was.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CheckStart, CheckStatus } from '../../app/contract/check';
import type { Settings } from '../../app/contract/host';
import { type CheckReport, checkReportOf } from '../../app/report/check/schema';
import { mayWrite } from '../../app/scenario/check/plan';
import { check } from './checker';
import type { Connections } from './connections';
import { Live } from './live';
import type { Recording } from './recording';
import type { Server } from './server';
import { plain } from './why';

export interface ChecksOptions {
  readonly servers: Connections;
  readonly settings: () => Settings;
  readonly onStatus: (status: CheckStatus) => void;
}

interface Active {
  readonly run: number;
  readonly abort: AbortController;
  readonly live: Live;
  readonly ended: Promise<void>;
}

/** In the window somebody waits: shorter than the command line's. */
const SETTLE_MS = 1000;
const PATIENCE_MS = 30_000;
const BUDGET_MS = 600_000;

export class Checks {
  readonly #options: ChecksOptions;
  #runs = 0;
  #active: Active | undefined;
  #status: CheckStatus | undefined;

  constructor(options: ChecksOptions) {
    this.#options = options;
  }

  /** What is being made, or was made last. */
  get status(): CheckStatus | undefined {
    return this.#status;
  }

  /** To be called whenever anything has changed: a server's picture, the trace. */
  look(): void {
    this.#active?.live.look();
  }

  /** @throws Error in plain words while one is being made */
  free(): void {
    if (this.#active) throw new Error('A report card is being made already. Stop it first, or wait for its end.');
  }

  /** @throws Error in plain words when it cannot be begun */
  start(request: CheckStart): { readonly run: number } {
    const { servers, settings } = this.#options;
    this.free();
    const server = servers.of(request.connection);
    const { recording } = servers;
    const { state, tools, title, protocol = '', transport = 'stdio', server: named } = server.status;
    if (state !== 'connected' || !recording) throw new Error('Expected a connected server. Connect it first, then check it.');
    const known = tools.map(({ name }) => name);
    const unknown = request.tools.find((name) => !known.includes(name));
    if (unknown !== undefined) throw new Error(`Expected tools of this server (${known.join(', ')}), got “${unknown}”.`);
    const writing = tools.filter((tool) => request.tools.includes(tool.name) && mayWrite(tool));
    if (writing.length > 0 && !request.allowWrites)
      throw new Error(`Expected a yes first: ${writing.map(({ name }) => name).join(', ')} may write, and would be called for real.`);
    const run = ++this.#runs;
    const abort = new AbortController();
    const live = new Live({ server, recording, fence: settings().fence, protocol: undefined, signal: abort.signal });
    const report: CheckReport = checkReportOf({
      server: { name: named?.name ?? '', version: named?.version ?? '', protocol, transport },
      lines: [],
      interrupted: false,
    });
    this.#status = { run, title, state: 'running', why: undefined, done: 0, of: 0, doing: 'beginning', report };
    this.#active = { run, abort, live, ended: this.#made(request, live, recording) };
    this.#options.onStatus(this.#status);
    return { run };
  }

  /** Ends it; what there is by then counts. */
  stop(run: number): void {
    if (this.#active?.run !== run) return;
    this.#tell({ state: 'stopping' });
    this.#active.abort.abort();
    this.#active.live.look();
  }

  /** Resolves when nothing of it runs any more. */
  async end(): Promise<void> {
    if (!this.#active) return;
    this.stop(this.#active.run);
    await this.#active.ended;
  }

  async #made(request: CheckStart, live: Live, recording: Recording): Promise<void> {
    // What is asked for is answered first, and told of afterwards.
    await Promise.resolve();
    const first = live.status.session;
    try {
      const card = await check({
        live,
        tools: request.tools,
        allowWrites: request.allowWrites,
        arguments: request.arguments,
        skip: [],
        settleMs: SETTLE_MS,
        patienceMs: PATIENCE_MS,
        budgetMs: BUDGET_MS,
        onProgress: ({ done, of, doing, card: soFar }) => {
          recording.advance();
          this.#tell({ done, of, doing, report: checkReportOf(soFar()) });
        },
        warn: (why) => this.#tell({ why }),
      });
      await connectedAgain(live.server, first);
      recording.advance();
      this.#tell({ report: checkReportOf(card()) });
    } catch (error) {
      this.#tell({ why: plain(error) });
    } finally {
      this.#active = undefined;
      this.#tell({ state: 'over', doing: '' });
    }
  }

  #tell(change: Partial<CheckStatus>): void {
    if (!this.#status) return;
    this.#status = { ...this.#status, ...change };
    this.#options.onStatus(this.#status);
  }
}

/** A server that was started without a handshake, or that has died of it, is connected again as it was. */
async function connectedAgain(server: Server, first: number): Promise<void> {
  if (server.status.state === 'connected' || server.status.session === first) return;
  await server.restart();
}

const CARD_NAMES = /\.(?:md|json|xml|html)$/i;

/** @throws Error in plain words when it cannot be written there */
export async function writeCard(file: string, text: string): Promise<void> {
  if (!path.isAbsolute(file) || !CARD_NAMES.test(file))
    throw new Error(`Expected the whole path of a file that ends in .md, .json, .xml or .html, got “${file}”.`);
  await writeFile(file, text).catch((error: unknown) => {
    throw new Error(`${file}: expected a file that can be written, but ${plain(error)}`);
  });
}
