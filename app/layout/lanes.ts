// Which call is drawn on which row. Rows are only ever added at the end, in the order in which requests were folded, so
// that nothing a person looks at moves while calls keep coming: the layout of a prefix is a prefix of the layout. Requests
// that nobody asked for by hand share one row per session: the client's own (initialize, tools/list) and the server's.
// Fences and idle pings have no row: a fence is drawn on the row of the call whose cancel it follows.
import type { Call, Calls } from '../trace/calls';
import type { SessionNumber } from '../wire/frame';

/** Requests that share a row: the client's own housekeeping, and what the server asks of the client. */
export type Group = 'handshake' | 'server';

export type Row =
  | { readonly kind: 'call'; readonly session: SessionNumber; readonly call: number }
  /** `calls` grows while live; they are drawn here unless the group is opened. */
  | { readonly kind: 'group'; readonly session: SessionNumber; readonly group: Group; readonly calls: readonly number[] };

export interface Lanes {
  readonly rows: readonly Row[];
  /** Indices of the rows that are groups, in order: they are lower than the others, so heights are found by counting them. */
  readonly groupRows: readonly number[];
  /** Lays out what was folded since the last time. @returns whether a row was added */
  take(calls: Calls): boolean;
  /** The row on which a call is drawn; undefined for fences and idle pings, and for calls not laid out yet. */
  rowOf(call: number): number | undefined;
  /** The first and the last row of a session. */
  span(session: SessionNumber): readonly [number, number] | undefined;
}

/** The group that a request hangs in; undefined when it has a row of its own. */
export function groupOf(call: Call): Group | undefined {
  if (call.sender === 'server') return 'server';
  return call.method === 'tools/call' ? undefined : 'handshake';
}

/**
 * An empty layout.
 * @param open groups whose requests get rows of their own, each at its place in time
 */
export function lanes(open: ReadonlySet<Group> = new Set()): Lanes {
  const rows: Row[] = [];
  const groupRows: number[] = [];
  const groups = new Map<string, { readonly row: number; readonly calls: number[] }>();
  const rowOf = new Map<number, number>();
  const spans = new Map<SessionNumber, [number, number]>();
  let taken = 0;

  const add = (row: Row): number => {
    const index = rows.push(row) - 1;
    const span = spans.get(row.session);
    if (span) span[1] = index;
    else spans.set(row.session, [index, index]);
    return index;
  };

  const group = (session: SessionNumber, name: Group) => {
    const key = `${session} ${name}`;
    const known = groups.get(key);
    if (known) return known;
    const calls: number[] = [];
    const made = { row: add({ kind: 'group', session, group: name, calls }), calls };
    groupRows.push(made.row);
    groups.set(key, made);
    return made;
  };

  const lay = (call: Call): void => {
    if (call.purpose !== 'call') return;
    const name = groupOf(call);
    const hung = name ? group(call.session, name) : undefined;
    hung?.calls.push(call.index);
    const own = name === undefined || open.has(name);
    rowOf.set(call.index, hung && !own ? hung.row : add({ kind: 'call', session: call.session, call: call.index }));
  };

  return {
    rows,
    groupRows,
    take(calls) {
      const before = rows.length;
      for (; taken < calls.all.length; taken++) {
        const call = calls.all[taken];
        if (call) lay(call);
      }
      return rows.length > before;
    },
    rowOf: (call) => rowOf.get(call),
    span: (session) => spans.get(session),
  };
}
