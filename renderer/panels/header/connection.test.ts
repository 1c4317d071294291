import { expect, test } from 'vitest';
import { NO_SERVER, type ServerStatus } from '../../../app/contract/host';
import { AUTOMATIC, MODERN } from '../../../app/wire/era';
import { connectionFacts, connectionLine } from './connection';

const over = (status: Partial<ServerStatus>, protocol?: string): ServerStatus => ({
  ...NO_SERVER,
  state: 'connected',
  spec: { kind: 'http', url: 'http://127.0.0.1:9/mcp', transport: 'auto', headers: {}, protocol },
  ...status,
});
const said = (status: ServerStatus): Readonly<Record<string, string>> =>
  Object.fromEntries(connectionFacts(status).map(({ name, says, hint }) => [name, hint === undefined ? says : `${says}. ${hint}`]));

test('what was offered and what was chosen stand apart, with how it came to be chosen', () => {
  const offered = [MODERN, '2025-11-25'];
  const pinned = over({ transport: 'http', protocol: MODERN, offered }, MODERN);
  expect(connectionLine(pinned)).toBe('HTTP · 2026-07-28 of 2 offered');
  expect(said(pinned)).toMatchObject({
    Offered: '2026-07-28, 2025-11-25',
    Chosen: '2026-07-28. Pinned: no other one is spoken with this server.',
    Session: 'none. This revision has no sessions: every request says what it needs.',
  });
  expect(said({ ...pinned, spec: over({}, AUTOMATIC).spec })['Chosen']).toContain(
    'the server was asked first (server/discover), and knows it',
  );
  const before = over({ transport: 'http', protocol: '2025-11-25', stateful: false }, AUTOMATIC);
  expect(said(before)).toMatchObject({ Offered: 'not asked. The handshake agrees on one revision; it lists none.' });
  expect(said(before)['Chosen']).toContain('did not know that');
  expect(said(over({ transport: 'stdio', protocol: '2025-11-25' }))['Chosen']).toBe(
    '2025-11-25. Agreed upon in the handshake (initialize).',
  );
});

test('what Stop does here, and what the server owes after it', () => {
  expect(said(over({ transport: 'http', protocol: MODERN }))['Stop']).toBe(
    'closes the response stream. Nothing is sent. What the server does afterwards cannot be heard: only a probe can show it. Afterwards the server must not send anything for that request.',
  );
  expect(said(over({ transport: 'stdio', protocol: MODERN }))['Stop']).toContain(
    'sends a cancel. notifications/cancelled on the same pipe.',
  );
  expect(said(over({ transport: 'http', protocol: '2025-11-25' }))['Stop']).toContain('closing the connection is no cancel');
  expect(said(over({ transport: 'stdio', protocol: '2025-11-25' }))['Stop']).toContain('should not reply');
});

test('nothing is said that is not known yet', () => expect(connectionFacts(over({}))).toEqual([]));
