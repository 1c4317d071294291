// What the three kinds of databases have in common, as far as a probe needs it: a query's rows as text, who else holds
// something open, and errors that are worth reading.
import type { Holding } from '../polled';

/** A value as the database writes it; undefined is NULL. */
export type Cell = string | undefined;

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Connection {
  /** False once it was lost: another one has to be opened. */
  readonly alive: boolean;
  /** @throws Error as the driver says it */
  rows(query: string): Promise<Table>;
  /** Transactions of other connections that are open; undefined where they cannot be told, not now or not at all. */
  held(): Promise<readonly Holding[] | undefined>;
  /** Ends it at once, whatever is under way. */
  destroy(): void;
  close(): Promise<void>;
}

/**
 * Opens a connection that can only read.
 * @param limitMs after this a query has to be given up by the database itself, where it can
 * @throws Error as the driver says it
 */
export type Connect = (dsn: string, limitMs: number) => Promise<Connection>;

/** More rows than this are not a question any more. */
export const MOST_ROWS = 20_000;

export function refuseCrowd(rows: number): void {
  if (rows > MOST_ROWS)
    throw new Error(`the query finds ${rows} rows, more than ${MOST_ROWS}; narrow it with WHERE, or ask for count(*) or the latest rows`);
}
