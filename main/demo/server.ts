// The demo server: a real MCP server in a process of its own, made so that every tool shows one truth about cancelling
// (docs/demo.md lists them). The same program is the child that `deploy` starts.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Demo } from './demo';
import { openState } from './state';
import { bookSeat } from './tools/book-seat';
import { chargeCard } from './tools/charge-card';
import { crawlSite } from './tools/crawl-site';
import { createTicket } from './tools/create-ticket';
import { deploy, runRelease } from './tools/deploy';
import { exportReport } from './tools/export-report';
import { hugeSearch } from './tools/huge-search';
import { refund } from './tools/refund';
import { searchOrders } from './tools/search-orders';
import { sendEmail } from './tools/send-email';

const TOOLS = [searchOrders, crawlSite, hugeSearch, chargeCard, refund, sendEmail, createTicket, bookSeat, deploy, exportReport];

interface Options {
  readonly folder: string;
  readonly release: string | undefined;
}

/** @throws TypeError with Node's own explanation when an option is unknown or lacks its value. */
function readOptions(): Options {
  const { values } = parseArgs({ options: { state: { type: 'string' }, release: { type: 'string' } } });
  const named = values.state ?? process.env['STOPGAP_DEMO_STATE'];
  return { folder: named ? path.resolve(named) : mkdtempSync(path.join(tmpdir(), 'stopgap-demo-')), release: values.release };
}

async function serve(folder: string): Promise<void> {
  openState(folder);
  console.error(`stopgap-demo: state folder ${folder}`);
  const server = new McpServer(
    { name: 'stopgap-demo', title: 'Stopgap demo', version: '1.0.0' },
    { instructions: `Every tool shows one truth about cancelling; its description says which. All of it happens in ${folder}.` },
  );
  const transport = new StdioServerTransport();
  const demo: Demo = { server, transport, folder, program: fileURLToPath(import.meta.url) };
  for (const register of TOOLS) register(demo);

  // Closing aborts the calls in flight, so that a held seat is given back; then the process ends without waiting for
  // the tools that ignore it.
  const quit = () => {
    void server.close();
    setImmediate(() => process.exit(0));
  };
  process.stdin.once('end', quit);
  process.stdout.once('error', quit);
  process.once('SIGTERM', quit);
  process.once('SIGINT', quit);
  await server.connect(transport);
}

try {
  const { folder, release } = readOptions();
  if (release === undefined) await serve(folder);
  else await runRelease(release, folder);
} catch (error) {
  console.error(`stopgap-demo: ${error instanceof Error ? error.message : String(error)}`);
  console.error('Usage: demo [--state DIR]   (else STOPGAP_DEMO_STATE, else a fresh folder for temporary files)');
  process.exitCode = 2;
}
