// SQLite by libsql: one binary for every Node and Electron, fetched by npm itself, whose queries run beside the event
// loop. The file is opened read-only, whether it keeps a rollback journal or a write-ahead log.
//
// Beside a rollback journal even a reader locks: a server that commits at that moment and does not wait (busy_timeout 0)
// fails, and would not have failed unwatched. So a file that has not been written to since the last query is not asked
// again. Beside a write-ahead log readers and writers do not meet.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { plain } from '../../store/disk';
import { type Cell, type Connect, refuseCrowd, type Table } from './connection';

/** Share of the time of a reading after which a lock of another process is no longer waited for. */
const PATIENCE = 0.8;

/** File systems tell times to 2 s at worst: two writes further apart than this have different ones, in ms. */
const SETTLED_MS = 3000;

/** What is used of a statement; the library's types leave it open. */
interface Statement {
  readonly reader: boolean;
  safeIntegers(on: boolean): Statement;
  raw(on: boolean): Statement;
  all(): Promise<readonly (readonly unknown[])[]>;
  columns(): readonly { readonly name: string }[];
}

/** The path in `sqlite:/data/app.db`, `sqlite:///data/app.db` or `sqlite:app.db`. */
export const pathOf = (dsn: string): string => path.resolve(dsn.replace(/^sqlite:/i, '').replace(/^\/\/(?=\/)/, ''));

export const connectSqlite: Connect = async (dsn, limitMs) => {
  const file = pathOf(dsn);
  const { identity } = await lookAt(file);
  // Where there is no binary for a platform everything else has to work.
  const { default: Database } = await import('libsql/promise');
  const address = `${pathToFileURL(file).href}?mode=ro`;
  // Another process that is committing is waited for.
  const database = new Database(address, { timeout: limitMs * PATIENCE });
  // One statement of each for the connection: what a statement holds is only given back when it is collected.
  const statements = new Map<string, Promise<Statement>>();
  let last: { readonly query: string; readonly written: string; readonly table: Table } | undefined;
  let alive = true;

  const ask = async (sql: string): Promise<Table> => {
    const prepared = statements.get(sql) ?? (database.prepare(sql) as Promise<Statement>);
    statements.set(sql, prepared);
    const statement = await prepared.catch((error: unknown) => {
      statements.delete(sql);
      throw error;
    });
    if (!statement.reader) throw new Error('expected a query that finds rows');
    const rows = await statement.safeIntegers(true).raw(true).all();
    refuseCrowd(rows.length);
    return { columns: statement.columns().map(({ name }) => name), rows: rows.map((row) => row.map(cellOf)) };
  };

  return {
    get alive() {
      return alive;
    },
    async rows(query) {
      const look = await lookAt(file);
      // A file that was replaced lives on under its old name for those who have it open.
      if (look.identity !== identity) {
        alive = false;
        throw new Error('the file was replaced by another one');
      }
      if (last?.query === query && last.written === look.written && look.ageMs > SETTLED_MS) return last.table;
      last = undefined;
      const [mode] = (await ask('pragma journal_mode')).rows;
      const table = await ask(query);
      if (mode?.[0] !== 'wal') last = { query, written: look.written, table };
      return table;
    },
    // SQLite tells nobody who holds what.
    held: () => Promise.resolve(undefined),
    destroy() {
      alive = false;
      database.interrupt();
    },
    async close() {
      alive = false;
      statements.clear();
      database.close();
    },
  };
};

interface Look {
  /** Tells the file from another one of its name. */
  readonly identity: string;
  /** When it was last written to, and its size then. */
  readonly written: string;
  readonly ageMs: number;
}

async function lookAt(file: string): Promise<Look> {
  const stats = await stat(file, { bigint: true }).catch((error: unknown) => {
    throw new Error(`the database ${file} cannot be opened: ${plain(error)}`);
  });
  if (!stats.isFile()) throw new Error(`the database ${file} cannot be opened: it is not a file.`);
  return {
    identity: `${stats.dev} ${stats.ino}`,
    written: `${stats.mtimeNs} ${stats.size}`,
    ageMs: Date.now() - Number(stats.mtimeMs),
  };
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return String(value);
}
