// Work that lets go of nothing: while it renders, the whole process reads nothing, so that a cancel and the ping behind it
// wait in the pipe until the answer has been written.
import { setImmediate as turn } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, says } from '../demo';
import { DEMO_TOOLS } from '../probes';

export function renderInvoice({ server }: Demo): void {
  server.registerTool(
    'render_invoice',
    {
      title: 'Render an invoice',
      description:
        'Renders an invoice in one go, in memory, and reports that it has begun. Reads only. Nothing else is read by this server meanwhile: a cancel is found only when the answer is out.',
      inputSchema: {
        order: z.int().min(1).default(1001).meta({ title: 'Order', description: 'Its number.' }),
        ms: z
          .int()
          .min(0)
          .max(60_000)
          .default(DEMO_TOOLS.render_invoice.normallyMs)
          .meta({ title: 'Takes (ms)', description: 'For how long the process does nothing else.' }),
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ order, ms }, call) => {
      const progressToken = call._meta?.progressToken;
      if (progressToken !== undefined)
        await call.sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 0, message: 'rendering' } });
      // What was written above leaves with this turn; where pipes are written to later, nothing would leave before the end.
      await turn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      return says(`Rendered the invoice of order ${order}`);
    },
  );
}
