// The read probe: asks the server under test itself, by a read-only tool or a resource of its own. Its requests are marked
// as the probe's. A server that does one thing after the other lets the probe wait as well: that time is a gap.
import type { Probe, ProbeContext, ServerAccess, SpecOf } from '../../app/evidence/probe';
import { checkByReading, type Source, startPolled } from './polled';
import { itemsOfResource, itemsOfResult } from './read/items';

type ReadSpec = SpecOf<'read'>;

/**
 * Starts reading a tool or a resource of the server.
 * @throws Error in plain words when there is no server, or it refuses
 */
export async function startReadProbe(spec: ReadSpec, context: ProbeContext): Promise<Probe> {
  const { server } = context;
  if (!server) throw new Error('Expected a connected server to read from, but there is none. Connect one first.');
  const source = await readSource(spec, server);
  return startPolled(spec, context, source);
}

/** Nothing can be said without asking a server. */
export const checkRead = (spec: ReadSpec): Promise<string | undefined> =>
  checkByReading(spec, () => ({ read: async () => ({ items: [] }), close: async () => undefined }));

async function readSource({ read }: ReadSpec, server: ServerAccess): Promise<Source> {
  if ('tool' in read) {
    const { tool, arguments: args } = read;
    return {
      read: async () => ({ items: itemsOfResult(await asked(server, 'tools/call', { name: tool, arguments: args }), tool) }),
      close: async () => undefined,
    };
  }
  const { resource: uri } = read;
  const subscribed = await server.request('resources/subscribe', { uri }).then(
    () => true,
    // Many servers cannot: the resource is polled all the same.
    () => false,
  );
  return {
    read: async () => ({ items: itemsOfResource(await asked(server, 'resources/read', { uri }), uri) }),
    onHint: (listener) => server.onResourceUpdated(uri, listener),
    async close() {
      if (subscribed && server.open) await server.request('resources/unsubscribe', { uri }).catch(() => undefined);
    },
  };
}

async function asked(server: ServerAccess, method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (!server.open) throw new Error('the session is over');
  return server.request(method, params);
}
