// The good case: a read that stops at the moment it is told to.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, says } from '../demo';
import { DEMO_TOOLS } from '../probes';

const ORDERS = [
  { number: 1001, customer: 'Ada Lovelace', cents: 4200, standing: 'paid' },
  { number: 1002, customer: 'Grace Hopper', cents: 1990, standing: 'open' },
  { number: 1003, customer: 'Edsger Dijkstra', cents: 12900, standing: 'paid' },
  { number: 1004, customer: 'Barbara Liskov', cents: 750, standing: 'refunded' },
  { number: 1005, customer: 'Ada Byron', cents: 3100, standing: 'open' },
] as const;

export function searchOrders({ server }: Demo): void {
  server.registerTool(
    'search_orders',
    {
      title: 'Search orders',
      description:
        'Finds orders by customer name. Reads only. Cancelling stops it at once; nothing is answered and nothing is left behind.',
      inputSchema: {
        query: z.string().max(100).default('ada').meta({ title: 'Customer', description: 'Part of the name; empty for all orders.' }),
        limit: z.int().min(1).max(50).default(10).meta({ title: 'At most', description: 'How many orders to list.' }),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ query, limit }, { signal }) => {
      await rest(DEMO_TOOLS.search_orders.normallyMs, undefined, { signal });
      const found = ORDERS.filter((order) => order.customer.toLowerCase().includes(query.toLowerCase())).slice(0, limit);
      return says(JSON.stringify(found));
    },
  );
}
