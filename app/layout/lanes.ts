// Which call is drawn on which row, in one of two ways. By call: one row each, and one row per session for what nobody
// asked for by hand (the client's own initialize and tools/list; the server's questions). Packed: calls that do not
// overlap share a lane, and lanes belong to a server, a tool or a direction. Either way rows are only ever added at the
// end, in the order in which requests appear in the trace, so that nothing a person looks at moves while calls keep
// coming: the layout of a prefix is a prefix of the layout. Fences and idle pings have no row: a fence is drawn on the row
// of the call whose cancel it follows.
import type { Call, Calls } from '../trace/calls';
import type { Trace } from '../trace/trace';
import type { Severity, Verdict } from '../verdict/verdict';
import type { SessionNumber } from '../wire/frame';
import { extentOf, type Facts } from './extent';
import { type Endings, endings } from './pack';
import { sessionName } from './sessions';
import { Strip } from './strip';

export const GROUPINGS = ['call', 'server', 'tool', 'direction'] as const;
/** What has rows of its own: every call, or packed lanes for each server, tool or direction. */
export type Grouping = (typeof GROUPINGS)[number];

export type Row = { readonly kind: 'call'; readonly session: SessionNumber; readonly call: number } | Lane;

/** A row that calls share. */
export interface Lane {
  readonly kind: 'lane';
  /** The session of its first call. */
  readonly session: SessionNumber;
  readonly group: string;
  /** 0 for the first lane of its group, 1 for the next one … */
  readonly nth: number;
  /** The server asks: the bands are swapped. */
  readonly swapped: boolean;
  readonly strip: Strip;
}

/** A call whose verdict should be seen even when its row is out of view. */
export interface Alarm {
  readonly row: number;
  readonly call: number;
  readonly severity: Extract<Severity, 'warn' | 'breach'>;
}

export interface Lanes {
  readonly grouping: Grouping;
  readonly rows: readonly Row[];
  /** Calls with a row, in the order of the trace; of lanes and rows alike. */
  readonly order: readonly number[];
  /** Warnings and breaches, by row. */
  readonly alarms: readonly Alarm[];
  readonly bytes: number;
  /** How many frames have been taken in. */
  readonly frames: number;
  /** Some calls get no row. */
  readonly hides: boolean;
  /**
   * Lays out what was folded, and takes in what has become known of calls laid out before.
   * @param goOn asked now and then; on no, the rest is left for the next time
   * @returns whether everything has been laid out
   */
  take(goOn?: () => boolean): boolean;
  /** The row on which a call is drawn; undefined for fences and idle pings, and for calls not laid out yet. */
  rowOf(call: number): number | undefined;
  /** The place of a call on its lane. */
  placeOf(call: number): number;
  /** How many of the rows before this one are shared: they are lower than the others. */
  sharedBefore(row: number): number;
  /** The first and the last row of a session. */
  span(session: SessionNumber): readonly [number, number] | undefined;
  /** Tells lanes which calls a filter lets through; all of them without one. */
  light(passes: ((call: number) => boolean) | undefined): void;
}

/** Calls laid out, and changes taken in, between two questions whether to go on. */
const SLICE = 256;
/** Frames read between two questions. */
const FRAMES = 16_384;

/** Names of the groups of what is not a tool's call. */
const HANDSHAKE = 'handshake';
const ASKS = 'server asks';

/**
 * An empty layout of a trace.
 * @param shows which calls get a row, asked once for each; all of them without it
 */
export function lanes(facts: Facts, grouping: Grouping = 'call', shows?: (call: number) => boolean): Lanes {
  return new Layout(facts, grouping, shows);
}

class Layout implements Lanes {
  readonly grouping: Grouping;
  readonly rows: Row[] = [];
  readonly order: number[] = [];
  readonly #facts: Facts;
  readonly #trace: Trace;
  readonly #calls: Calls;
  readonly #endings: Endings;
  readonly #shows: ((call: number) => boolean) | undefined;
  /** By call: its row, −1 for none, and its place on a lane. */
  readonly #rowOf: number[] = [];
  readonly #placeOf: number[] = [];
  readonly #groups = new Map<string, number[]>();
  /** Rows that are lanes, ascending. */
  readonly #shared: number[] = [];
  readonly #spans = new Map<SessionNumber, [number, number]>();
  /** Verdicts as they were when they were taken in. */
  readonly #seen: (Verdict | undefined)[] = [];
  /** Frames up to here have been looked at for calls that changed, and verdicts up to there. */
  #looked = 0;
  #judged = 0;
  #alarms: Alarm[] | undefined = [];
  #passes: ((call: number) => boolean) | undefined;

  constructor(facts: Facts, grouping: Grouping, shows: ((call: number) => boolean) | undefined) {
    this.#facts = facts;
    this.#shows = shows;
    this.#trace = facts.trace;
    this.#calls = facts.calls;
    this.grouping = grouping;
    this.#endings = endings(facts.trace, facts.calls);
  }

  get alarms(): readonly Alarm[] {
    this.#alarms ??= this.#findAlarms();
    return this.#alarms;
  }

  get bytes(): number {
    const strips = this.rows.reduce((sum, row) => sum + (row.kind === 'lane' ? row.strip.bytes : 0), 0);
    return strips + 4 * (this.#rowOf.length + this.#placeOf.length + this.#seen.length + this.order.length) + 32 * this.rows.length;
  }

  get frames(): number {
    return this.#looked;
  }

  get hides(): boolean {
    return this.#shows !== undefined;
  }

  take(goOn: () => boolean = () => true): boolean {
    return this.#layCalls(goOn) && this.#lookAtFrames(goOn) && this.#lookAtVerdicts(goOn);
  }

  rowOf(call: number): number | undefined {
    const row = this.#rowOf[call] ?? -1;
    return row < 0 ? undefined : row;
  }

  placeOf(call: number): number {
    return this.#placeOf[call] ?? 0;
  }

  sharedBefore(row: number): number {
    let low = 0;
    let high = this.#shared.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#shared[middle] ?? 0) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  span(session: SessionNumber): readonly [number, number] | undefined {
    return this.#spans.get(session);
  }

  light(passes: ((call: number) => boolean) | undefined): void {
    this.#passes = passes;
    for (const row of this.rows) {
      if (row.kind !== 'lane') continue;
      for (const [place, call] of row.strip.calls.entries()) row.strip.light(place, passes?.(call) ?? true);
    }
  }

  #layCalls(goOn: () => boolean): boolean {
    const { all } = this.#calls;
    for (let laid = 1; this.#rowOf.length < all.length; laid++) {
      if (laid % SLICE === 0 && !goOn()) return false;
      const call = all[this.#rowOf.length];
      if (!call) break;
      if (this.grouping !== 'call') this.#endings.read(call.sent.seq + 1);
      this.#lay(call);
    }
    return true;
  }

  #lay(call: Call): void {
    if (call.purpose !== 'call' || this.#shows?.(call.index) === false) {
      this.#rowOf.push(-1);
      this.#placeOf.push(0);
      return;
    }
    const row = this.#rowFor(call);
    const at = this.rows[row];
    const place = at?.kind === 'lane' ? at.strip.push(call.index, extentOf(this.#facts, call)) : 0;
    if (at?.kind === 'lane' && this.#passes) at.strip.light(place, this.#passes(call.index));
    this.#rowOf.push(row);
    this.#placeOf.push(place);
    this.order.push(call.index);
    const span = this.#spans.get(call.session);
    if (span) {
      span[0] = Math.min(span[0], row);
      span[1] = Math.max(span[1], row);
    } else this.#spans.set(call.session, [row, row]);
  }

  #rowFor(call: Call): number {
    if (this.grouping === 'call' && call.sender === 'client' && call.method === 'tools/call')
      return this.rows.push({ kind: 'call', session: call.session, call: call.index }) - 1;
    const group = groupOf(call, this.grouping);
    const known = this.#groups.get(group);
    if (!known) {
      const row = this.#addLane(call, 0);
      this.#groups.set(group, [row]);
      return row;
    }
    // By call, what nobody asked for by hand shares one row however much of it overlaps.
    const free = this.grouping === 'call' ? known[0] : known.find((row) => this.#isFree(row, call));
    if (free !== undefined) return free;
    const row = this.#addLane(call, known.length);
    known.push(row);
    return row;
  }

  #isFree(index: number, call: Call): boolean {
    const row = this.rows[index];
    const last = row?.kind === 'lane' ? row.strip.calls.at(-1) : undefined;
    return last === undefined || this.#endings.freeAt(last) <= call.sent.t;
  }

  #addLane(call: Call, nth: number): number {
    const row = this.rows.length;
    const group = titleOf(call, this.grouping, this.#calls);
    this.rows.push({ kind: 'lane', session: call.session, group, nth, swapped: call.sender === 'server', strip: new Strip() });
    this.#shared.push(row);
    return row;
  }

  /** Calls that frames since the last time belong to reach farther now. */
  #lookAtFrames(goOn: () => boolean): boolean {
    const { folded } = this.#calls;
    for (let first = true; this.#looked < folded; first = false) {
      if (!first && !goOn()) return false;
      // Frames of one call come in numbers, those of calls side by side in turns: each call is looked at once for all of them.
      const touched = new Set<Call>();
      const end = Math.min(folded, this.#looked + FRAMES);
      for (; this.#looked < end; this.#looked++) {
        const call = this.#calls.ofFrame(this.#looked);
        if (call) touched.add(call);
      }
      for (const call of touched) this.#renewWithGuarded(call);
    }
    return true;
  }

  #renewWithGuarded(call: Call): void {
    this.#renew(call);
    const guarded = call.guards === undefined ? undefined : this.#calls.all[call.guards];
    if (guarded) this.#renew(guarded);
  }

  #lookAtVerdicts(goOn: () => boolean): boolean {
    const { all } = this.#calls;
    for (let looked = 1; this.#judged < all.length; this.#judged++, looked++) {
      if (looked % (SLICE * 16) === 0 && !goOn()) return false;
      const verdict = this.#facts.verdict(this.#judged);
      const before = this.#seen[this.#judged];
      if (verdict === before) continue;
      this.#seen[this.#judged] = verdict;
      if (isAlarm(verdict) || isAlarm(before)) this.#alarms = undefined;
      const call = all[this.#judged];
      if (call) this.#renew(call);
    }
    this.#judged = 0;
    return true;
  }

  #renew(call: Call): void {
    const row = this.rows[this.#rowOf[call.index] ?? -1];
    if (row?.kind !== 'lane') return;
    const place = this.placeOf(call.index);
    row.strip.set(place, extentOf(this.#facts, call));
    if (this.#passes) row.strip.light(place, this.#passes(call.index));
  }

  #findAlarms(): Alarm[] {
    const found = this.#seen.flatMap((verdict): Alarm[] => {
      const row = verdict && this.rowOf(verdict.call);
      return row !== undefined && isAlarm(verdict) ? [{ row, call: verdict.call, severity: verdict.severity }] : [];
    });
    return found.sort((a, b) => a.row - b.row);
  }
}

const isAlarm = (verdict: Verdict | undefined): verdict is Verdict & { readonly severity: Alarm['severity'] } =>
  verdict?.severity === 'warn' || verdict?.severity === 'breach';

/** What tells groups apart. What the server asks never shares a lane with what it is asked. */
function groupOf(call: Call, grouping: Grouping): string {
  const asks = call.sender === 'server';
  switch (grouping) {
    case 'call':
      return `${call.session} ${asks ? ASKS : HANDSHAKE}`;
    case 'server':
      return `${call.session} ${asks ? ASKS : ''}`;
    case 'tool':
      return asks ? ASKS : `tool ${call.tool ?? ''}`;
    case 'direction':
      return call.sender;
  }
}

/** A group's name for people. */
function titleOf(call: Call, grouping: Grouping, calls: Calls): string {
  if (call.sender === 'server') return ASKS;
  switch (grouping) {
    case 'call':
      return HANDSHAKE;
    case 'server':
      return sessionName(calls, call.session);
    case 'tool':
      return call.tool ?? HANDSHAKE;
    case 'direction':
      return 'client asks';
  }
}
