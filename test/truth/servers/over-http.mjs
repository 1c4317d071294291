// What the servers of the truth set that speak over HTTP have in common: they listen on a free port of loopback, print their
// address, and write down when a call or a cancel was read. They end with their stdin.
import { createServer } from 'node:http';

/** Where a request of revision 2026-07-28 says so. */
const REVISION = 'io.modelcontextprotocol/protocolVersion';

/**
 * A call with a `hold` among its arguments is read when that gate has been opened, as one that was overtaken on its way.
 * @param doings see effects.mjs
 * @param answer answers a request whose body, JSON or undefined, has been read
 */
export function listen({ note, stamp, passed }, answer) {
  /** The names of the calls, by request id. */
  const names = new Map();
  const told = ({ id, method, params }) => {
    if (method === 'tools/call') {
      names.set(id, params.arguments.as);
      note({ entry: 'call', as: params.arguments.as, id, at: stamp() });
    }
    if (method === 'notifications/cancelled') note({ entry: 'cancel', id: params.requestId, at: stamp(), as: names.get(params.requestId) });
  };
  /** Under 2026-07-28 a client that closes the response of a call has cancelled it. */
  const mayBeCut = (response, { id, method, params }) => {
    if (method !== 'tools/call' || params._meta?.[REVISION] === undefined) return;
    response.once('close', () => {
      if (!response.writableFinished) note({ entry: 'cancel', id, at: stamp(), as: params.arguments.as });
    });
  };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (more) => {
      text += more;
    });
    request.once('end', async () => {
      const body = text === '' ? undefined : JSON.parse(text);
      const hold = body?.params?.arguments?.hold;
      if (hold !== undefined) await passed(hold);
      if (body) told(body);
      if (body) mayBeCut(response, body);
      void answer(request, response, body);
    });
  });
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  process.stdin.once('end', () => process.exit(0)).resume();
}
