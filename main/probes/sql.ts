// The sql probe: a query asked again and again, over a connection that can only read and is opened again when it is lost.
// The rows that differ are the evidence; transactions that others hold open are told beside them. The address may hold a
// password: whatever is said here, by us or by a driver, is masked.
import { withoutSecretsOf } from '../../app/evidence/dsn';
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';
import type { Item } from './changes';
import { checkByReading, limitMs, message, type Reading, type Source, startPolled } from './polled';
import type { Cell, Connect, Connection, Table } from './sql/connection';
import { connectMysql } from './sql/mysql';
import { connectPostgres } from './sql/postgres';
import { connectSqlite } from './sql/sqlite';

type SqlSpec = SpecOf<'sql'>;

interface Database {
  readonly title: string;
  readonly connect: Connect;
}

const POSTGRES: Database = { title: 'PostgreSQL', connect: connectPostgres };
const MYSQL: Database = { title: 'MySQL', connect: connectMysql };
const DATABASES: Readonly<Record<string, Database>> = {
  postgres: POSTGRES,
  postgresql: POSTGRES,
  mysql: MYSQL,
  mariadb: { ...MYSQL, title: 'MariaDB' },
  sqlite: { title: 'SQLite', connect: connectSqlite },
};

/**
 * Starts polling a query.
 * @throws Error in plain words when there is no connection, or the query does not work
 */
export const startSqlProbe = async (spec: SqlSpec, context: ProbeContext): Promise<Probe> => startPolled(spec, context, sqlSource(spec));

/** Says whether a query can be asked. @returns undefined when it can, else why not and what to try */
export const checkSql = (spec: SqlSpec): Promise<string | undefined> => checkByReading(spec, () => sqlSource(spec));

function databaseOf(dsn: string): Database {
  const scheme = /^([a-z0-9+]+):/i.exec(dsn)?.[1]?.toLowerCase() ?? '';
  const database = DATABASES[scheme];
  if (database) return database;
  throw new Error(
    `Expected an address that begins with postgres://, mysql:// or sqlite:, got ${scheme === '' ? 'one without any of them' : `${scheme}:`}.`,
  );
}

/** How long a connection is given to end in good order, in ms. */
const FAREWELL_MS = 1000;

async function farewell(connection: Connection): Promise<void> {
  if (connection.alive) await connection.close().catch(() => connection.destroy());
}

/** One query on one database. */
function sqlSource(spec: SqlSpec): Source {
  const { dsn, query, everyMs } = spec;
  const { title, connect } = databaseOf(dsn);
  let open: Promise<Connection> | undefined;
  const failure = (what: string, error: unknown): Error => new Error(`${what}: ${withoutSecretsOf(dsn, driverMessage(error))}`);

  const connected = async (): Promise<Connection> => {
    const connection = await open?.catch(() => undefined);
    if (connection?.alive) return connection;
    open = undefined;
    if (connection) throw new Error(`The connection to ${title} was lost.`);
    open = connect(dsn, limitMs(everyMs));
    return open.catch((error: unknown) => {
      throw failure(`Expected to reach ${title}, but it could not be opened`, error);
    });
  };

  const ask = async (connection: Connection): Promise<Reading> => {
    try {
      const items = itemsOf(await connection.rows(query));
      const held = await connection.held();
      return held === undefined ? { items } : { items, held };
    } catch (error) {
      if (connection.alive) throw failure(`Expected ${title} to answer the query, but it says`, error);
      // It is said now; the next reading opens another one.
      open = undefined;
      throw failure(`The connection to ${title} was lost`, error);
    }
  };

  return {
    async read(signal) {
      const connection = await connected();
      const giveUp = (): void => connection.destroy();
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp);
      try {
        return await ask(connection);
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
    async close() {
      // A server that does not answer must not hold up the end.
      await Promise.race([open?.then(farewell, () => undefined), new Promise((over) => setTimeout(over, FAREWELL_MS).unref())]);
    },
  };
}

/** A host name that leads to several addresses fails with one error for each, and no words of its own. */
function driverMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return [...new Set(error.errors.map(message))].join('; ');
  const said = message(error);
  return said === '' && error instanceof Error && 'code' in error ? String(error.code) : said;
}

// ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const shown = (cell: Cell): string => cell ?? 'NULL';
const identity = (row: readonly Cell[]): string => JSON.stringify(row.map((cell) => cell ?? null));

/** A query of one cell asks for a value; any other for rows, of which the first column names the row where it can. */
function itemsOf({ columns, rows }: Table): readonly Item[] {
  const [column = 'the value'] = columns;
  if (columns.length !== 1) return rows.map((row) => ({ ...rowOf(row), key: shown(row[0]) }));
  // An empty key cannot be that of a row.
  if (rows.length === 1) return rows.map((row) => ({ ...rowOf(row), key: '', name: column }));
  return rows.map(rowOf);
}

const rowOf = (row: readonly Cell[]): Item => ({ id: identity(row), text: row.map(shown).join(' | '), noun: 'row' });
