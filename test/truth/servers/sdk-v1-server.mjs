// A small server on the SDK's first version. `write_abort` heeds the signal, `write_ignore` does not, `read_abort` is declared to
// write nothing. Steps beside those of effects.mjs: `progress`; `tell`, progress beneath the call, which a cancel does not mute;
// `poll`, which closes the call's stream in between.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { Aborted } from './effects.mjs';

/** @param perform see effects.mjs */
export function newServer(name, perform) {
  const server = new McpServer({ name, version: '1.0.0' });
  const inputSchema = { as: z.string(), steps: z.array(z.record(z.string(), z.unknown())) };
  const tool = (name, annotations, watch) =>
    server.registerTool(name, { description: 'Does what its arguments say.', inputSchema, annotations }, async ({ as, steps }, extra) => {
      const news = (progress) => ({
        method: 'notifications/progress',
        params: { progressToken: extra._meta?.progressToken, progress },
      });
      const step = async (one) => {
        if (one.progress !== undefined) await extra.sendNotification(news(one.progress));
        else if (one.tell !== undefined) await server.server.notification(news(one.tell));
        else if (one.poll) extra.closeSSEStream();
        else return false;
        return true;
      };
      await perform(steps, { as, aborted: watch(extra.signal), step }).catch((error) => {
        if (!(error instanceof Aborted)) throw error;
      });
      return { content: [{ type: 'text', text: 'done' }] };
    });
  const heeding = (signal) => () => signal.aborted;
  tool('write_abort', undefined, heeding);
  tool('write_ignore', undefined, () => () => false);
  tool('read_abort', { readOnlyHint: true }, heeding);
  return server;
}
