// The other end of a port within the same process: what the command line and the tests use to ask the host exactly what
// the window asks it.
import type { EventName, Events, Params, Request, Results, ToHost, ToWindow } from '../../app/contract/host';
import type { Host } from './host';

export interface HostClient {
  /** @throws Error with the host's words when it refuses */
  request<R extends Request>(request: R, params: Params<R>): Promise<Results[R]>;
  /** Calls back about each event of a name. @returns stops it */
  on<E extends EventName>(event: E, listener: (payload: Events[E]) => void): () => void;
}

/** Attaches to a host. */
export function connectClient(host: Host): HostClient {
  const waiting = new Map<number, { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }>();
  const listeners = new Set<(message: ToWindow) => void>();
  let toHost: (message: ToHost) => void = () => undefined;
  let ids = 0;

  host.attach({
    onMessage: (listener) => {
      toHost = listener;
    },
    post: (message) => {
      if ('event' in message) for (const listener of listeners) listener(message);
      else {
        const asked = waiting.get(message.id);
        waiting.delete(message.id);
        if (message.ok) asked?.resolve(message.result);
        else asked?.reject(new Error(message.error));
      }
    },
  });

  return {
    request: (request, params) =>
      new Promise((resolve, reject) => {
        const id = ++ids;
        waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
        toHost({ id, request, params });
      }),
    on(event, listener) {
      const heard = (message: ToWindow): void => {
        if ('event' in message && message.event === event) listener(message.payload as Parameters<typeof listener>[0]);
      };
      listeners.add(heard);
      return () => listeners.delete(heard);
    },
  };
}
