// Sends progress notifications at a steady pace: `steady { count, rate }`, then the answer. Timers are coarse, so every few
// milliseconds as many are sent as are due by then.
import { createInterface } from 'node:readline';

const EVERY_MS = 4;

async function steady(count, rate, token) {
  const since = performance.now();
  for (let sent = 0; sent < count; ) {
    const due = Math.min(count, Math.ceil(((performance.now() - since) / 1000) * rate));
    let chunk = '';
    for (; sent < due; sent++) {
      const params = { progressToken: token, progress: sent + 1, total: count };
      chunk += `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n`;
    }
    if (chunk && !process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}

const reply = (id, result) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    const serverInfo = { name: 'bench-steady', version: '1.0.0' };
    reply(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
  } else if (method === 'ping') reply(id, {});
  else if (method === 'tools/list') {
    const properties = { count: { type: 'integer', default: 30000 }, rate: { type: 'integer', default: 5000 } };
    reply(id, { tools: [{ name: 'steady', inputSchema: { type: 'object', properties } }] });
  } else if (method === 'tools/call') {
    await steady(params.arguments.count, params.arguments.rate, params._meta.progressToken);
    reply(id, { content: [{ type: 'text', text: String(params.arguments.count) }] });
  }
});
