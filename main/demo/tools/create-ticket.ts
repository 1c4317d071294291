// A write that can be stopped cleanly: it looks at its signal between its steps and writes only in the last.
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, says } from '../demo';
import { DEMO_TOOLS } from '../probes';
import { freshId, writeWhole } from '../state';

const STEPS = 3;

export function createTicket({ server, folder }: Demo): void {
  server.registerTool(
    'create_ticket',
    {
      title: 'Create a ticket',
      description:
        'Files a ticket in tickets/ in three steps of 400 ms and writes only at the very end. Cancelled at any time before that it stops with its step, writes nothing and answers nothing.',
      inputSchema: {
        title: z.string().min(1).max(200).meta({ title: 'Title', description: 'What is wrong.', default: 'The door sticks' }),
        priority: z.enum(['low', 'normal', 'high']).default('normal').meta({ title: 'Priority' }),
        details: z.string().max(10_000).optional().meta({ title: 'Details' }),
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
    async ({ title, priority, details }, { signal }) => {
      for (let step = 0; step < STEPS; step++) {
        await rest(DEMO_TOOLS.create_ticket.normallyMs / STEPS);
        signal.throwIfAborted();
      }
      const ticket = { id: freshId('t_'), at: new Date().toISOString(), title, priority, details };
      writeWhole(folder, path.join('tickets', `${ticket.id}.json`), `${JSON.stringify(ticket)}\n`);
      return says(`Created ${ticket.id}: ${title}`);
    },
  );
}
