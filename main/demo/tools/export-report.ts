// Long work that goes on after the cancel and can be seen going on: as a call its progress does not stop, and its answer never
// comes. As a task it shows something else: what a cancelled task says of itself, and what it does, are two things.
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import type { CreateTaskRequestHandlerExtra } from '@modelcontextprotocol/sdk/experimental/tasks';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { type Demo, pagesDone, says } from '../demo';
import { DEMO_TOOLS } from '../probes';
import { freshId, writeWhole } from '../state';

const PAGES = 24;
const PAGE_MS = DEMO_TOOLS.export_report.normallyMs / PAGES;
/** How long a task is kept where nobody asks for anything else. */
const TTL_MS = 300_000;

const inputSchema = {
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .default('2026-01')
    .meta({ title: 'Month', description: 'Such as 2026-01.' }),
  pages: z.int().min(1).max(400).default(PAGES).meta({ title: 'Pages', description: 'How many pages the report has.' }),
  when_cancelled: z.enum(['stop', 'pretend']).default('stop').meta({
    title: 'When its task is cancelled',
    description: 'stop: it stops. pretend: it says “cancelled”, works on and files the report. Of a plain call it changes nothing.',
  }),
};

interface Report {
  readonly month: string;
  readonly pages: number;
  readonly when_cancelled: 'stop' | 'pretend';
}

export function exportReport(demo: Demo): void {
  const { server, transport, folder, tasks } = demo;

  /** The work behind a task; behind that of a plain call the SDK waits for its result. */
  async function work({ month, pages, when_cancelled }: Report, id: string, call: CreateTaskRequestHandlerExtra): Promise<void> {
    const asked = tasks.wasAsked(id);
    const works = async (): Promise<boolean> => (await tasks.getTask(id, call.sessionId))?.status === 'working';
    // The call of a task has been answered long before: its progress belongs to no response.
    const way = asked ? {} : { relatedRequestId: call.requestId };
    // Whoever has gone cannot be told; the work goes on all the same.
    const tell = (message: JSONRPCMessage): Promise<void> => transport.send(message, way).catch(() => undefined);
    for (let done = 1; done <= pages; done++) {
      await rest(PAGE_MS);
      const cancelled = !(await works());
      if (cancelled && when_cancelled === 'stop') return;
      const progress = cancelled ? undefined : pagesDone(call, done, pages);
      // Beneath the SDK: `call.sendNotification` is mute once the call is cancelled.
      if (progress) await tell({ jsonrpc: '2.0', ...progress });
    }
    const file = asked ? path.join('reports', `${month}-${freshId('r_')}.txt`) : undefined;
    if (file !== undefined) writeWhole(folder, file, `Report for ${month}: ${pages} pages\n`);
    const result = says(`Report for ${month}: ${pages} pages${file === undefined ? '' : `, filed as ${file}`}`);
    if (!(await works())) return;
    await tasks.storeTaskResult(id, 'completed', result, call.sessionId);
    // What nobody has asked for is not told of, either.
    if (asked)
      await tell({ jsonrpc: '2.0', method: 'notifications/tasks/status', params: { ...(await tasks.getTask(id, call.sessionId)) } });
  }

  server.experimental.tasks.registerToolTask(
    'export_report',
    {
      title: 'Export a report',
      description: `Composes a report page by page, ${PAGE_MS} ms each. As a call it stays in memory and writes nothing; cancelling does not stop it: it works on to the end and goes on reporting progress, and only the answer is left out. As a task it files the finished report in reports/; cancelled, it stops, or only says so (when_cancelled).`,
      inputSchema,
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      execution: { taskSupport: 'optional' },
    },
    {
      createTask: async (report, call) => {
        const task = await call.taskStore.createTask({ ttl: call.taskRequestedTtl ?? TTL_MS });
        void work(report, task.taskId, call).catch((error: unknown) => console.error(`stopgap-demo: export_report: ${String(error)}`));
        return { task };
      },
      getTask: async (_, call) => call.taskStore.getTask(call.taskId),
      getTaskResult: async (_, call) => says(JSON.stringify(await call.taskStore.getTaskResult(call.taskId))),
    },
  );
}
