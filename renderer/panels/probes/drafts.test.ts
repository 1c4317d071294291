import { expect, test } from 'vitest';
import { PROBE_KINDS, type ProbeKind, type ProbeSpec } from '../../../app/evidence/probe';
import { draftOfSpec, dsnOf, emptyDraft, freeName, type ProbeDraft, partsOfDsn, proposedName, specOf } from './drafts';

const SPECS: Readonly<Record<ProbeKind, ProbeSpec>> = {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: how a template is written
  folder: { kind: 'folder', name: 'ledger', shared: true, path: '/state', match: '*.jsonl', done: 'paid$', owns: 'order ${id}' },
  http: { kind: 'http', name: 'hook', shared: false, port: 4000, status: 503, delayMs: 20 },
  sql: {
    kind: 'sql',
    name: 'orders',
    shared: false,
    dsn: 'postgres://ada:s%40cret@db:5432/shop',
    query: 'select * from orders',
    everyMs: 80,
  },
  read: { kind: 'read', name: 'tickets', shared: false, read: { tool: 'list_tickets', arguments: { open: true } }, everyMs: 250 },
  command: { kind: 'command', name: 'git', shared: false, command: ['git', 'log', '-1', '--format=%H %s'], cwd: '/repo', everyMs: 250 },
  process: { kind: 'process', name: 'tree', shared: false, everyMs: 100 },
  otel: { kind: 'otel', name: 'spans', shared: false, port: 0 },
};

const filled = (kind: ProbeKind, change: Partial<ProbeDraft> = {}): ProbeDraft => ({ ...emptyDraft(kind, 'x'), ...change });

test.each(Object.keys(PROBE_KINDS) as ProbeKind[])('a %s probe comes back from its form as it went in', (kind) => {
  expect(specOf(draftOfSpec(SPECS[kind]))).toEqual({ spec: SPECS[kind] });
});

test('what a form lacks is said, one thing at a time', () => {
  const why = (draft: ProbeDraft): string => {
    const read = specOf(draft);
    return 'why' in read ? read.why : 'nothing';
  };
  expect([
    why(filled('folder')),
    why(filled('folder', { path: '/x', name: ' ' })),
    why(filled('folder', { path: '/x', done: '(' })).slice(0, 60),
    why(filled('http', { port: '70000' })).slice(0, 5),
    why(filled('http', { port: 'x' })).slice(0, 5),
    why(filled('sql', { address: 'db/shop' })),
    why(filled('sql', { address: 'db/shop', query: 'select 1', password: 'p' })),
    why(filled('sql', { database: 'sqlite', query: 'select 1' })),
    why(filled('read')),
    why(filled('read', { tool: 'a', arguments: '[1]' })),
    why(filled('read', { readBy: 'resource' })),
    why(filled('command')),
    why(filled('process')),
  ]).toEqual([
    'Choose the folder to watch.',
    'Give it a name; that is what verdicts and reports call it.',
    'The pattern for a whole effect is not a regular expression: ',
    'Port:',
    'Port:',
    'Give the query whose rows would change.',
    'Give the user who has this password before the host: user@host/database.',
    'Give the path of the database’s file.',
    'Choose the tool to ask.',
    'Its arguments are a JSON object: { "name": value }.',
    'Choose the resource to read.',
    'Give the command whose output would change.',
    'nothing',
  ]);
});

test('a database’s password leaves its address for a field of its own, and goes back', () => {
  const pairs = [
    ['postgres://ada:s%40cret@db:5432/shop', 'postgres', 'ada@db:5432/shop', 's@cret'],
    ['postgresql://ada:p@ss@db/shop', 'postgres', 'ada@db/shop', 'p@ss'],
    ['mysql://root@localhost/test', 'mysql', 'root@localhost/test', ''],
    ['sqlite:/data/shop.db', 'sqlite', '/data/shop.db', ''],
    ['/data/shop.db', 'sqlite', '/data/shop.db', ''],
  ] as const;
  for (const [dsn, database, address, password] of pairs) expect(partsOfDsn(dsn)).toEqual({ database, address, password });
  expect(pairs.map(([dsn]) => dsnOf(partsOfDsn(dsn)))).toEqual([
    'postgres://ada:s%40cret@db:5432/shop',
    'postgres://ada:p%40ss@db/shop',
    'mysql://root@localhost/test',
    'sqlite:/data/shop.db',
    'sqlite:/data/shop.db',
  ]);
});

test('a probe is named after where it looks, and never like another', () => {
  expect([
    proposedName(filled('folder', { path: '/var/spool/out/' })),
    proposedName(filled('sql', { query: 'SELECT id FROM orders WHERE x' })),
    proposedName(filled('sql', { query: 'SELECT 1' })),
    proposedName(filled('command', { command: '/usr/bin/git log' })),
    freeName('my orders', ['x']),
    freeName('hook', ['hook', 'hook-2']),
    freeName('', []),
  ]).toEqual(['out', 'orders', 'rows', 'git', 'my-orders', 'hook-3', 'probe']);
});
