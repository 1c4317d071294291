// What a probe may ask of the server under test. A probe that has to be there before the server is holds on to this, and
// finds the session once there is one.
import type { ServerAccess } from '../../app/evidence/probe';
import type { Session } from './session';

/**
 * The server as one probe sees it.
 * @param probe name of the probe: what it asks is marked with it
 * @param sessionOf the session; undefined before there is one
 */
export const serverAccess = (probe: string, sessionOf: () => Session | undefined): ServerAccess => ({
  get open() {
    return sessionOf()?.state === 'connected';
  },
  request: async (method, params) => {
    const session = sessionOf();
    if (!session) throw new Error('the server has not been started');
    return session.ask(probe, method, params);
  },
  onResourceUpdated: (uri, listener) => sessionOf()?.onResourceUpdated(uri, listener) ?? (() => undefined),
  processes: async () => sessionOf()?.processes() ?? [],
});
