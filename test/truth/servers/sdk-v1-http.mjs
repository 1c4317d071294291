// The small server on the SDK's first version (sdk-v1-server.mjs) over HTTP: PLACE LOG GATES MODE. Modes: `sessions`, `json`,
// `stateless`, `resumable` (events have ids, and a call's stream may be closed in between, by the step `poll`), `sse` (the
// transport of 2024-11-05).
import { randomUUID } from 'node:crypto';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { effects, whereOf } from './effects.mjs';
import { listen } from './over-http.mjs';
import { newServer } from './sdk-v1-server.mjs';

const mode = process.argv[5];
const doings = effects(whereOf(process.argv.slice(2)));

const fresh = () => newServer(`sdk-v1-${mode}`, doings.perform);

/** Every event that was sent, so that a stream can be taken up again behind one of them. */
function eventStore() {
  const events = [];
  return {
    storeEvent: async (stream, message) => String(events.push({ stream, message })),
    replayEventsAfter: async (last, { send }) => {
      const { stream } = events[Number(last) - 1];
      for (const [at, event] of events.entries())
        if (at >= Number(last) && event.stream === stream && event.message.jsonrpc) await send(String(at + 1), event.message);
      return stream;
    },
  };
}

const sessions = new Map();

const notFound = (response) =>
  response
    .writeHead(404, { 'content-type': 'application/json' })
    .end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}');

async function inSession(request, response, body) {
  const id = request.headers['mcp-session-id'];
  let transport = sessions.get(id);
  if (id !== undefined && !transport) return notFound(response);
  if (!transport) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: mode === 'json',
      ...(mode === 'resumable' && { eventStore: eventStore(), retryInterval: 20 }),
      onsessioninitialized: (fresh) => void sessions.set(fresh, transport),
      onsessionclosed: (gone) => void sessions.delete(gone),
    });
    await fresh().connect(transport);
  }
  await transport.handleRequest(request, response, body);
}

/** As the SDK's own example does it: whoever goes away takes the instance along. */
async function alone(request, response, body) {
  if (request.method !== 'POST') return response.writeHead(405).end();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  const server = fresh();
  await server.connect(transport);
  response.once('close', () => void server.close());
  await transport.handleRequest(request, response, body);
}

async function oldSse(request, response, body) {
  const { searchParams } = new URL(request.url, 'http://localhost');
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/mcp', response);
    sessions.set(transport.sessionId, transport);
    return fresh().connect(transport);
  }
  const transport = sessions.get(searchParams.get('sessionId'));
  if (transport) await transport.handlePostMessage(request, response, body);
  else response.writeHead(405).end();
}

listen(doings, mode === 'stateless' ? alone : mode === 'sse' ? oldSse : inSession);
