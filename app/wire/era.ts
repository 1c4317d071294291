// What each revision of the protocol says of cancelling, in one table: the rules ask it, and compare no revisions
// themselves. Every column names the clause that it is read from.

/** Revisions in which a session begins with `initialize`, oldest first. */
export const LEGACY_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
/** The revision without a handshake: every request says in its `_meta` which revision it speaks. */
export const MODERN = '2026-07-28';
/** Asks for {@link MODERN} by `server/discover`, and shakes hands as before where the server does not know that. */
export const AUTOMATIC = 'auto';

/** What may be asked of a server: a revision to insist on, or to find out what it speaks. */
export const PROTOCOLS = [...LEGACY_REVISIONS, MODERN, AUTOMATIC] as const;

export interface Era {
  /** 2026-07-28 or later: no `initialize`, no session, per-request `_meta`. */
  readonly modern: boolean;
  /**
   * What closing a response stream over Streamable HTTP tells the server. `unsaid`: 2024-11-05 has no such transport.
   * `no-cancel`: 2025-03-26, Transports: "Disconnection SHOULD NOT be interpreted as the client cancelling its request."
   * `cancel`: 2026-07-28, Transports and Cancellation: closing the response stream is the cancel, and nothing is sent.
   */
  readonly disconnect: 'unsaid' | 'no-cancel' | 'cancel';
  /**
   * What a server may still send for a cancelled request. Legacy revisions, Cancellation: it SHOULD NOT send a response.
   * 2026-07-28, Cancellation: it MUST NOT send anything further.
   */
  readonly afterCancel: 'should-not-reply' | 'must-send-nothing';
  /**
   * What `tasks/cancel` does to a task. 2025-11-25, Tasks: it MUST be cancelled before that is answered, and MUST stay so even if
   * the work goes on to its end. Extension of 2026-07-28: it is only acknowledged, and the task may still end otherwise.
   */
  readonly taskCancel: 'unsaid' | 'stays-cancelled' | 'only-acknowledged';
  /** A request that any server answers at once. 2026-07-28 has removed `ping`; `server/discover` is what every server must answer. */
  readonly cheapRead: 'ping' | 'server/discover';
}

const FIRST: Era = { modern: false, disconnect: 'unsaid', afterCancel: 'should-not-reply', taskCancel: 'unsaid', cheapRead: 'ping' };
const STREAMABLE: Era = { ...FIRST, disconnect: 'no-cancel' };
const WITH_TASKS: Era = { ...STREAMABLE, taskCancel: 'stays-cancelled' };
const WITHOUT_HANDSHAKE: Era = {
  modern: true,
  disconnect: 'cancel',
  afterCancel: 'must-send-nothing',
  taskCancel: 'only-acknowledged',
  cheapRead: 'server/discover',
};

const STREAMABLE_SINCE = '2025-03-26';
const TASKS_SINCE = '2025-11-25';

/**
 * The rules of a revision. Revisions are dates and in force until the next one: one that is not known has the rules of the last
 * before it. @param revision undefined where none was agreed upon: then the rules that accuse the least
 */
export function eraOf(revision: string | undefined): Era {
  if (revision === undefined) return STREAMABLE;
  if (revision >= MODERN) return WITHOUT_HANDSHAKE;
  if (revision >= TASKS_SINCE) return WITH_TASKS;
  return revision >= STREAMABLE_SINCE ? STREAMABLE : FIRST;
}

/** Whether closing the response stream of a request is its cancel. */
export const closingCancels = (revision: string | undefined, transport: string | undefined): boolean =>
  transport === 'http' && eraOf(revision).disconnect === 'cancel';
