// One instance of the demo: an MCP server with all tools on one transport. Over stdio there is one in the process, over
// HTTP one for each session, or, where there are no sessions, one for each request.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Demo } from './demo';
import { bookSeat } from './tools/book-seat';
import { chargeCard } from './tools/charge-card';
import { crawlSite } from './tools/crawl-site';
import { createTicket } from './tools/create-ticket';
import { deploy } from './tools/deploy';
import { exportReport } from './tools/export-report';
import { hugeSearch } from './tools/huge-search';
import { refund } from './tools/refund';
import { renderInvoice } from './tools/render-invoice';
import { searchOrders } from './tools/search-orders';
import { sendEmail } from './tools/send-email';

const TOOLS = [
  searchOrders,
  crawlSite,
  hugeSearch,
  chargeCard,
  refund,
  sendEmail,
  createTicket,
  bookSeat,
  deploy,
  exportReport,
  renderInvoice,
];

/** What the demo says of itself. */
export const SERVER = {
  info: { name: 'stopgap-demo', title: 'Stopgap demo', version: '1.0.0' },
  instructions: 'Every tool shows one truth about cancelling; its description says which.',
} as const;

/** Where an instance works, and what it is spoken to through. */
export type Place = Omit<Demo, 'server'>;

/**
 * Connects a new instance to its transport.
 * @returns what closes it: the calls in flight are aborted, so that a held seat is given back
 */
export async function connectDemo(place: Place): Promise<() => Promise<void>> {
  const server = new McpServer(SERVER.info, {
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore: place.tasks,
    instructions: `${SERVER.instructions} All of it happens in ${place.folder}.`,
  });
  for (const register of TOOLS) register({ ...place, server });
  await server.connect(place.transport);
  return () => server.close();
}
