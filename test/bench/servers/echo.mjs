// The fastest honest server: answers initialize, tools/list, ping and one tool, and does nothing else.
import { createInterface } from 'node:readline';

const RESULT = { content: [{ type: 'text', text: 'ok' }] };
const answers = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'bench-echo', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }),
  'tools/call': () => RESULT,
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const answer = answers[message.method];
  if (message.id !== undefined && answer)
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) })}\n`);
});
