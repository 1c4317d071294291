// A small server on the SDK's second version. `write_abort` heeds the signal, `write_listen` only listens for the event (and so
// misses a cancel that came before it began), `write_ignore` does neither.
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { Aborted } from '../truth/servers/effects.mjs';

/** @param perform see effects.mjs */
export function newServer(perform) {
  const server = new McpServer({ name: 'sdk-v2', version: '1.0.0' });
  const inputSchema = z.object({ as: z.string(), steps: z.array(z.record(z.string(), z.unknown())) });

  function tool(name, watch) {
    server.registerTool(name, { description: 'Does what its arguments say.', inputSchema }, async ({ as, steps }, { mcpReq }) => {
      await perform(steps, { as, aborted: watch(mcpReq.signal) }).catch((error) => {
        if (!(error instanceof Aborted)) throw error;
      });
      return { content: [{ type: 'text', text: 'done' }] };
    });
  }

  tool('write_ignore', () => () => false);
  tool('write_abort', (signal) => () => signal.aborted);
  tool('write_listen', (signal) => {
    let told = false;
    signal.addEventListener('abort', () => {
      told = true;
    });
    return () => told;
  });
  return server;
}
