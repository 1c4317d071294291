// SQLite by libsql: one binary for every Node and Electron, fetched by npm itself, whose queries run beside the event
// loop. The file is opened read-only, whether it keeps a rollback journal or a write-ahead log.
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { plain } from '../../store/disk';
import { type Cell, type Connect, refuseCrowd } from './connection';

/** Share of the time of a reading after which a lock of another process is no longer waited for. */
const PATIENCE = 0.8;

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
  const identity = await identityOf(file);
  // Where there is no binary for a platform everything else has to work.
  const { default: Database } = await import('libsql/promise');
  const address = `${pathToFileURL(file).href}?mode=ro`;
  // Another process that is committing is waited for.
  const database = new Database(address, { timeout: limitMs * PATIENCE });
  let prepared: Promise<Statement> | undefined;
  let alive = true;

  return {
    get alive() {
      return alive;
    },
    async rows(query) {
      // A file that was replaced lives on under its old name for those who have it open.
      if ((await identityOf(file)) !== identity) {
        alive = false;
        throw new Error('the file was replaced by another one');
      }
      // One statement for the connection: what a statement holds is only given back when it is collected.
      prepared ??= database.prepare(query) as Promise<Statement>;
      const statement = await prepared;
      if (!statement.reader) throw new Error('expected a query that finds rows');
      const rows = await statement.safeIntegers(true).raw(true).all();
      refuseCrowd(rows.length);
      return { columns: statement.columns().map(({ name }) => name), rows: rows.map((row) => row.map(cellOf)) };
    },
    // SQLite tells nobody who holds what.
    held: () => Promise.resolve(undefined),
    destroy() {
      alive = false;
      database.interrupt();
    },
    async close() {
      alive = false;
      database.close();
    },
  };
};

async function identityOf(file: string): Promise<string> {
  const stats = await stat(file).catch((error: unknown) => {
    throw new Error(`the database ${file} cannot be opened: ${plain(error)}`);
  });
  if (!stats.isFile()) throw new Error(`the database ${file} cannot be opened: it is not a file.`);
  return `${stats.dev} ${stats.ino}`;
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
  return String(value);
}
