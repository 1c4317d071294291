// A small server on the SDK's second version. `write_abort` heeds the signal, `write_listen` only listens for the event (and so
// misses a cancel that came before it began), `write_ignore` does neither, `read_abort` is declared to write nothing.
// `asks_ignore` and `asks_abort` want to know the client's folders first, and begin in their second round.
// Steps beside those of effects.mjs: `progress`; `tell`, progress beneath the call, which a cancel does not mute.
import { inputRequired, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Aborted } from '../truth/servers/effects.mjs';

/** @param perform see effects.mjs */
export function newServer(perform) {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  const inputSchema = z.object({ as: z.string(), steps: z.array(z.record(z.string(), z.unknown())) });

  function tool(name, watch, annotations, asks = false) {
    const config = { description: 'Does what its arguments say.', inputSchema, ...(annotations && { annotations }) };
    server.registerTool(name, config, async ({ as, steps }, { mcpReq }) => {
      if (asks && mcpReq.inputResponses === undefined) return inputRequired({ inputRequests: { where: inputRequired.listRoots() } });
      const news = (progress) => ({
        method: 'notifications/progress',
        params: { progressToken: mcpReq._meta?.progressToken, progress },
      });
      const step = async (one) => {
        // Whoever goes on although the client has gone is not stopped by that nobody listens.
        if (one.progress !== undefined) await mcpReq.notify(news(one.progress)).catch(() => undefined);
        else if (one.tell !== undefined) await server.server.notification(news(one.tell));
        else return false;
        return true;
      };
      await perform(steps, { as, aborted: watch(mcpReq.signal), step }).catch((error) => {
        if (!(error instanceof Aborted)) throw error;
      });
      return { content: [{ type: 'text', text: 'done' }] };
    });
  }
  const heeding = (signal) => () => signal.aborted;

  tool('write_ignore', () => () => false);
  tool('write_abort', heeding);
  tool('read_abort', heeding, { readOnlyHint: true });
  tool('asks_ignore', () => () => false, undefined, true);
  tool('asks_abort', heeding, undefined, true);
  tool('write_listen', (signal) => {
    let told = false;
    signal.addEventListener('abort', () => {
      told = true;
    });
    return () => told;
  });
  return server;
}
