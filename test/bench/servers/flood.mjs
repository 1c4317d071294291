// Sends numbered progress notifications as fast as it can, each serialized as a server does it: `flood { count }`, then the
// answer. The same program without a client (`--bare COUNT`) sends them at once, for the baseline that only reads a pipe.
import { createInterface } from 'node:readline';

const CHUNK = 1000;

async function flood(count, token) {
  const progress = (n) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: token, progress: n, total: count, message: `${n} of ${count} pages` },
  });
  for (let first = 1; first <= count; first += CHUNK) {
    let chunk = '';
    for (let n = first; n < first + CHUNK && n <= count; n++) chunk += `${JSON.stringify(progress(n))}\n`;
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
}

const reply = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
const bare = process.argv.indexOf('--bare');
if (bare > 0) await flood(Number(process.argv[bare + 1]), 1);
else {
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') {
      const serverInfo = { name: 'bench-flood', version: '1.0.0' };
      reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
    } else if (method === 'ping') reply(id, {});
    else if (method === 'tools/list') {
      const count = { type: 'integer', default: 5000 };
      reply(id, { tools: [{ name: 'flood', inputSchema: { type: 'object', properties: { count } } }] });
    } else if (method === 'tools/call') {
      await flood(params.arguments.count, params._meta.progressToken);
      reply(id, { content: [{ type: 'text', text: String(params.arguments.count) }] });
    }
  });
}
