// Long work that goes on after the cancel and can be seen going on: its progress does not stop, its answer never comes.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, pagesDone, says } from '../demo';
import { DEMO_TOOLS } from '../probes';

const PAGES = 24;
const PAGE_MS = DEMO_TOOLS.export_report.normallyMs / PAGES;

export function exportReport({ server, transport }: Demo): void {
  server.registerTool(
    'export_report',
    {
      title: 'Export a report',
      description: `Composes a report page by page, ${PAGE_MS} ms each, in memory: it writes nothing. Cancelling does not stop it: it works on to the end and goes on reporting progress, and only the answer is left out.`,
      inputSchema: {
        month: z
          .string()
          .regex(/^\d{4}-\d{2}$/)
          .default('2026-01')
          .meta({ title: 'Month', description: 'Such as 2026-01.' }),
        pages: z.int().min(1).max(400).default(PAGES).meta({ title: 'Pages', description: 'How many pages the report has.' }),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ month, pages }, call) => {
      for (let done = 1; done <= pages; done++) {
        await rest(PAGE_MS);
        const progress = pagesDone(call, done, pages);
        // Beneath the SDK: `call.sendNotification` is mute once the call is cancelled. Over HTTP it belongs to this call's stream.
        if (progress) await transport.send({ jsonrpc: '2.0', ...progress }, { relatedRequestId: call.requestId });
      }
      return says(`Report for ${month}: ${pages} pages`);
    },
  );
}
