// PostgreSQL by its usual driver. Values stay text as the server writes them, so that nothing is lost on the way (a numeric,
// a time zone) and rows compare exactly.
import pg from 'pg';
import type { Holding } from '../polled';
import { type Cell, type Connect, refuseCrowd } from './connection';

const CONNECT_MS = 8000;

/**
 * Connections of other clients to the same database that hold a transaction open: idle in one, or at work in one that has
 * been given a lock for writing. Without the rights of the other role (or pg_monitor) its state is hidden, and it is left
 * out. pg_stat_activity and pg_locks as of PostgreSQL 10.
 */
const HELD = `
select a.pid::text,
       a.xact_start::text,
       a.state,
       coalesce(nullif(a.application_name, ''), a.usename::text, ''),
       coalesce((select string_agg(distinct l.relation::regclass::text, ', ')
                   from pg_locks l
                  where l.pid = a.pid and l.granted and l.locktype = 'relation' and l.mode = any($1)
                    and l.database = (select oid from pg_database where datname = current_database())), '')
  from pg_stat_activity a
 where a.datname = current_database()
   and a.backend_type = 'client backend'
   and a.pid <> pg_backend_pid()
   and a.xact_start is not null
   and (a.state in ('idle in transaction', 'idle in transaction (aborted)')
        or exists (select 1 from pg_locks l
                    where l.pid = a.pid and l.granted
                      and (l.locktype = 'relation' and l.mode = any($1) or l.locktype = 'transactionid' and l.mode = 'ExclusiveLock')))`;

/** The locks that writing, and changing a table, take (PostgreSQL, Explicit Locking, table 13.2). */
const WRITING = [
  'RowExclusiveLock',
  'ShareUpdateExclusiveLock',
  'ShareLock',
  'ShareRowExclusiveLock',
  'ExclusiveLock',
  'AccessExclusiveLock',
];

const asText = { getTypeParser: () => (value: string) => value };

export const connectPostgres: Connect = async (dsn, limitMs) => {
  const client = new pg.Client({
    connectionString: dsn,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'stopgap',
    keepAlive: true,
    types: asText as unknown as pg.CustomTypesConfig,
  });
  let alive = true;
  const lost = (): void => {
    alive = false;
  };
  // An error beside any query: the connection is gone.
  client.on('error', lost);
  client.on('end', lost);
  let mayAsk = true;
  await client.connect();
  await client.query(`set default_transaction_read_only = on; set statement_timeout = ${Math.round(limitMs)}`);

  return {
    get alive() {
      return alive;
    },
    async rows(query) {
      const result = await client.query<Cell[]>({ text: query, rowMode: 'array' });
      if (Array.isArray(result)) throw new Error('expected one query, got several');
      refuseCrowd(result.rows.length);
      return {
        columns: result.fields.map(({ name }) => name),
        rows: result.rows.map((row) => row.map((cell) => cell ?? undefined)),
      };
    },
    async held() {
      if (!mayAsk) return undefined;
      try {
        const { rows } = await client.query<string[]>({ text: HELD, values: [WRITING], rowMode: 'array' });
        return rows.map(holding);
      } catch (error) {
        if (!isUnknownHere(error)) throw error;
        mayAsk = false;
        return undefined;
      }
    },
    destroy() {
      alive = false;
      client.end().catch(() => undefined);
    },
    async close() {
      alive = false;
      await client.end();
    },
  };
};

/** SQLSTATE class 42: no such table or column, or no right to it. Relatives of PostgreSQL keep no such books. */
const isUnknownHere = (error: unknown): boolean => error instanceof pg.DatabaseError && (error.code?.startsWith('42') ?? false);

function holding([pid = '', began = '', state = '', who = '', relations = '']: readonly string[]): Holding {
  const named = who === '' ? `connection ${pid}` : `connection ${pid} (${who})`;
  const locks = relations === '' ? '' : `, with a lock for writing on ${relations}`;
  const doing = state.startsWith('idle') ? `is ${state}` : 'is at work in a transaction';
  return { id: `${pid} ${began}`, subject: `connection ${pid}`, says: `${named} ${doing}${locks}` };
}
