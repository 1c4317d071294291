// A small server on tmcp, which handles one message after the other: PLACE LOG GATES.
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { effects, whereOf } from '../truth/servers/effects.mjs';

const { perform } = effects(whereOf(process.argv.slice(2)));
const server = new McpServer(
  { name: 'tmcp', version: '1.0.0', description: 'A server of the truth set' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
server.tool(
  {
    name: 'write_ignore',
    description: 'Does what its arguments say.',
    schema: z.object({ as: z.string(), steps: z.array(z.record(z.string(), z.unknown())) }),
  },
  async ({ as, steps }) => {
    await perform(steps, { as });
    return { content: [{ type: 'text', text: 'done' }] };
  },
);
new StdioTransport(server).listen();
