// What is known of the connection in focus: in one line for the header, and at length for whoever asks. What was offered and
// what was chosen stand apart, and so does how it came to be chosen. Pure, so that a test can read it.
import type { ServerStatus } from '../../../app/contract/host';
import { AUTOMATIC, closingCancels, eraOf } from '../../../app/wire/era';
import type { TransportName } from '../../../app/wire/frame';

const SHORT: Readonly<Record<TransportName, string>> = { stdio: 'stdio', http: 'HTTP', sse: 'HTTP+SSE' };
const LONG: Readonly<Record<TransportName, string>> = { stdio: 'stdio', http: 'Streamable HTTP', sse: 'HTTP+SSE, the older transport' };

/** The connection in a line. */
export function connectionLine({ transport, fellBack, stateful, protocol, offered, pid, auth }: ServerStatus): string {
  const facts = [
    transport && SHORT[transport],
    fellBack && 'fallen back',
    stateful === false ? 'without a session' : undefined,
    offered && offered.length > 1 ? `${protocol} of ${offered.length} offered` : protocol,
    pid === undefined ? undefined : `pid ${pid}`,
    auth?.state === 'granted' ? 'authorized' : undefined,
  ];
  return facts.filter(Boolean).join(' · ');
}

export interface ConnectionFact {
  readonly name: string;
  readonly says: string;
  /** What it means, for somebody who has not met it. */
  readonly hint?: string;
}

/** Everything that is known of the connection, in the order in which it was found out. */
export function connectionFacts(status: ServerStatus): readonly ConnectionFact[] {
  const { transport, fellBack, server, pid, auth } = status;
  return [
    ...(server ? [{ name: 'Server', says: `${server.name} ${server.version}` }] : []),
    ...(transport
      ? [{ name: 'Transport', says: LONG[transport], ...(fellBack ? { hint: `Streamable HTTP was refused: ${fellBack.why}` } : {}) }]
      : []),
    ...revision(status),
    ...session(status),
    ...stopping(status),
    ...(pid === undefined ? [] : [{ name: 'Process', says: `pid ${pid}` }]),
    ...(auth?.state === 'granted' ? [{ name: 'Authorization', says: auth.says }] : []),
  ];
}

function revision(status: ServerStatus): readonly ConnectionFact[] {
  const { protocol, offered } = status;
  if (protocol === undefined) return [];
  return [
    {
      name: 'Offered',
      says: offered ? offered.join(', ') : 'not asked',
      ...(offered ? {} : { hint: 'The handshake agrees on one revision; it lists none.' }),
    },
    { name: 'Chosen', says: protocol, hint: howChosen(status, protocol) },
  ];
}

function howChosen({ spec }: ServerStatus, protocol: string): string {
  const asked = spec && 'protocol' in spec ? spec.protocol : undefined;
  if (asked === undefined) return 'Agreed upon in the handshake (initialize).';
  if (asked !== AUTOMATIC) return 'Pinned: no other one is spoken with this server.';
  return eraOf(protocol).modern
    ? 'Found out: the server was asked first (server/discover), and knows it.'
    : 'Found out: the server was asked first (server/discover) and did not know that, so the handshake of before was used.';
}

function session({ stateful, protocol }: ServerStatus): readonly ConnectionFact[] {
  if (eraOf(protocol).modern)
    return [{ name: 'Session', says: 'none', hint: 'This revision has no sessions: every request says what it needs.' }];
  if (stateful === undefined) return [];
  return [
    stateful
      ? { name: 'Session', says: 'the server gave out an id' }
      : { name: 'Session', says: 'none', hint: 'Each request stands alone: nothing connects a cancel with its call.' },
  ];
}

/** What Stop does here, and what the server owes afterwards. */
function stopping({ transport, protocol }: ServerStatus): readonly ConnectionFact[] {
  if (transport === undefined || protocol === undefined) return [];
  const owes =
    eraOf(protocol).afterCancel === 'must-send-nothing'
      ? 'Afterwards the server must not send anything for that request.'
      : 'Afterwards the server should not reply.';
  const closes = closingCancels(protocol, transport);
  const how = closes
    ? 'Nothing is sent. What the server does afterwards cannot be heard: only a probe can show it.'
    : transport === 'stdio'
      ? 'notifications/cancelled on the same pipe.'
      : 'notifications/cancelled by a POST of its own; closing the connection is no cancel.';
  return [{ name: 'Stop', says: closes ? 'closes the response stream' : 'sends a cancel', hint: `${how} ${owes}` }];
}
