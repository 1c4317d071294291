// MySQL and MariaDB by their usual driver. Values stay text, as with PostgreSQL.
import mysql from 'mysql2/promise';
import type { Holding } from '../polled';
import { type Cell, type Connect, refuseCrowd } from './connection';

const CONNECT_MS = 8000;

/**
 * Transactions of other connections to the same database: idle in one, or at work in one that has changed or locked
 * something. Needs the PROCESS privilege; without it nothing is reported.
 */
const HELD = `
select t.trx_mysql_thread_id, t.trx_started, p.command, p.user, t.trx_rows_modified
  from information_schema.innodb_trx t
  join information_schema.processlist p on p.id = t.trx_mysql_thread_id
 where t.trx_mysql_thread_id <> connection_id()
   and p.db = database()
   and (p.command = 'Sleep' or t.trx_rows_modified > 0 or t.trx_tables_locked > 0)`;

/** InnoDB makes this picture anew only when nobody has looked at it for 100 ms: it is not to be asked more often, in ms. */
const HELD_MS = 150;

/** Errors that mean missing rights: ER_SPECIFIC_ACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR. */
const NO_RIGHTS: ReadonlySet<unknown> = new Set(['ER_SPECIFIC_ACCESS_DENIED_ERROR', 'ER_TABLEACCESS_DENIED_ERROR']);

export const connectMysql: Connect = async (dsn, limitMs) => {
  const connection = await mysql.createConnection({
    uri: dsn.replace(/^mariadb:/i, 'mysql:'),
    connectTimeout: CONNECT_MS,
    enableKeepAlive: true,
    rowsAsArray: true,
    typeCast: (field) => field.string(),
  });
  let alive = true;
  let mayAsk = true;
  let asked = Number.NEGATIVE_INFINITY;
  connection.on('error', () => {
    alive = false;
  });
  connection.on('end', () => {
    alive = false;
  });

  const rows = async (query: string): Promise<{ columns: string[]; rows: Cell[][] }> => {
    const [result, fields] = await connection.query<mysql.RowDataPacket[][]>(query).catch((error: unknown) => {
      if (isFatal(error)) alive = false;
      throw error;
    });
    if (!Array.isArray(result)) throw new Error('expected a query that finds rows');
    refuseCrowd(result.length);
    return {
      columns: fields.map(({ name }) => name),
      rows: result.map((row) => (row as unknown as (string | null)[]).map((cell) => cell ?? undefined)),
    };
  };
  await connection.query('set session transaction read only');
  // The one is MySQL's name for it, in ms, the other MariaDB's, in seconds.
  await connection
    .query(`set session max_execution_time = ${Math.round(limitMs)}`)
    .catch(() => connection.query(`set session max_statement_time = ${limitMs / 1000}`))
    .catch(() => undefined);

  return {
    get alive() {
      return alive;
    },
    rows,
    async held() {
      if (!mayAsk || performance.now() - asked < HELD_MS) return undefined;
      try {
        return (await rows(HELD)).rows.map(holding);
      } catch (error) {
        if (!NO_RIGHTS.has((error as { code?: unknown }).code)) throw error;
        mayAsk = false;
        return undefined;
      } finally {
        asked = performance.now();
      }
    },
    destroy() {
      alive = false;
      connection.destroy();
    },
    async close() {
      alive = false;
      await connection.end();
    },
  };
};

const isFatal = (error: unknown): boolean => error instanceof Error && 'fatal' in error && error.fatal === true;

function holding([id = '', began = '', command = '', user = '', modified = '0']: readonly Cell[]): Holding {
  const doing = command === 'Sleep' ? 'is idle in a transaction' : 'is at work in a transaction';
  const changed = modified === '0' ? '' : `, ${modified === '1' ? '1 row' : `${modified} rows`} changed and not committed`;
  return { id: `${id} ${began}`, subject: `connection ${id}`, says: `connection ${id} (${user}) ${doing}${changed}` };
}
