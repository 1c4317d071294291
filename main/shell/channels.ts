// The names under which shell and preload script speak to each other; the page never sees them.
export const REQUEST = 'stopgap:request';
export const EVENT = 'stopgap:event';
export const PORT = 'stopgap:port';
/** The preload script has begun, and waits for a port. */
export const LISTENING = 'stopgap:listening';
