// The loop of every probe that has to ask: it reads a place again and again, one reading at a time, and dates each
// difference by two of them: absent when the last reading without it began, present when the first one with it ended. A
// reading that could not be made, or took too long, is a gap, and never says that nothing happened.
import { fromMs, minus, type Ns, toMs, words } from '../../app/base/time';
import { type Probe, type ProbeContext, type ProbeSpec, placeOf } from '../../app/evidence/probe';
import type { Effect, Seq } from '../../app/wire/frame';
import { type Changes, changes, type Item, type Teller } from './changes';
import { doneBy } from './done';

/** What one reading found. */
export interface Reading {
  readonly items: readonly Item[];
  /** Transactions and locks that others hold open; undefined when this reading did not ask. */
  readonly held?: readonly Holding[];
}

export interface Holding {
  /** Names one transaction of one connection. */
  readonly id: string;
  readonly says: string;
  readonly subject: string;
}

/** A place that can be read. */
export interface Source {
  /**
   * Reads the place.
   * @param signal aborted when it takes too long; a source that can give up then rejects
   * @throws Error in plain words, without secrets, when the place cannot be read
   */
  read(signal: AbortSignal): Promise<Reading>;
  close(): Promise<void>;
  /** Calls back when the place says that something has changed. @returns stops it */
  onHint?(listener: () => void): () => void;
}

type PolledSpec = Extract<ProbeSpec, { readonly everyMs: number }>;

/** A reading that takes longer than this, or ten times its interval, has not watched; in ms. */
const SLOW_MS = 2000;
/** How long a first reading may take, with everything that has to be opened for it, in ms. */
const FIRST_MS = 10_000;
/** After a failure the next reading waits at least this long, in ms. */
const FAILED_MS = 250;
/** Pause after a reading as long as the reading itself, up to this, in ms: a slow place is not asked without a break. */
const REST_MS = 1000;
/** How often it is said again that a place still cannot be read. */
const REPEAT = fromMs(5000);

export const limitMs = (everyMs: number): number => Math.max(SLOW_MS, 10 * everyMs);

/**
 * Says whether a place can be read, by reading it once.
 * @returns undefined when it can, else why not
 */
export async function checkByReading(spec: PolledSpec, open: () => Source): Promise<string | undefined> {
  try {
    doneBy(spec);
    const source = open();
    await firstReading(source).finally(() => source.close());
    return undefined;
  } catch (error) {
    return message(error);
  }
}

/**
 * Takes the baseline and polls from then on. The baseline is read twice: what changes by itself cannot be evidence.
 * @throws Error in plain words when the place cannot be read, or does not stay the same
 */
export async function startPolled(spec: PolledSpec, context: ProbeContext, source: Source): Promise<Probe> {
  try {
    const done = doneBy(spec);
    const first = await firstReading(source);
    const begin = context.clock.now();
    const second = await firstReading(source);
    if (!spec.shared) refuseRestless(first, second);
    return new PolledProbe({ spec, context, source, done, baseline: second, begin });
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function firstReading(source: Source): Promise<Reading> {
  const signal = AbortSignal.timeout(FIRST_MS);
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(`Expected an answer within ${FIRST_MS / 1000} s, but none came.`)));
  });
  return Promise.race([source.read(signal), late]);
}

function refuseRestless(first: Reading, second: Reading): void {
  let moved: string | undefined;
  const note = (says: string): Seq => {
    moved ??= says;
    return 0;
  };
  changes(first.items).take(second.items, { seen: ({ says }) => note(says), reverted: (says) => void note(says) });
  if (moved === undefined) return;
  throw new Error(
    `Expected a place that stays the same while no tool is called, but two readings right after one another differ: ${moved}. Leave out what changes by itself, such as times, or declare the probe shared.`,
  );
}

interface Started {
  readonly spec: PolledSpec;
  readonly context: ProbeContext;
  readonly source: Source;
  readonly done: ReturnType<typeof doneBy>;
  readonly baseline: Reading;
  /** When the reading of the baseline began. */
  readonly begin: Ns;
}

/** A reading that has begun. */
interface UnderWay {
  readonly begin: Ns;
  /** It has taken too long, and is waited for no more. */
  late: boolean;
  readonly readers: (() => void)[];
}

const slow = (ms: number): string => `no answer within ${words(fromMs(ms))}`;

class PolledProbe implements Probe {
  readonly spec: PolledSpec;
  readonly #context: ProbeContext;
  readonly #source: Source;
  readonly #done: ReturnType<typeof doneBy>;
  readonly #changes: Changes;
  readonly #unhint: (() => void) | undefined;
  readonly #limitMs: number;
  /** Holdings of the baseline are nobody's; those that were reported have the frame that did. */
  readonly #held = new Map<string, Seq | undefined>();
  /** When the last good reading began: nothing that is new now was there then. */
  #lastGood: Ns;
  /** When the last reading that asked what is held began. */
  #lastHeld: Ns;
  /** From here on nothing was missed. */
  #since: Ns;
  /** The place cannot be read, said up to `until`. */
  #blind: { readonly why: string; readonly until: Ns } | undefined;
  /** Those who wait for a reading that has not begun. */
  #asked: (() => void)[] = [];
  #hinted = false;
  #reading: UnderWay | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopping: Promise<void> | undefined;
  #ended = false;

  constructor({ spec, context, source, done, baseline, begin }: Started) {
    this.spec = spec;
    this.#context = context;
    this.#source = source;
    this.#done = done;
    this.#changes = changes(baseline.items);
    for (const { id } of baseline.held ?? []) this.#held.set(id, undefined);
    this.#limitMs = limitMs(spec.everyMs);
    this.#lastGood = begin;
    this.#lastHeld = begin;
    this.#since = this.#now();
    this.#emit({ effect: 'watching', probe: spec.name, kind: spec.kind, place: placeOf(spec), shared: spec.shared });
    this.#unhint = source.onHint?.(() => this.#hint());
    this.#pause(spec.everyMs);
  }

  read(): Promise<void> {
    return this.#stopping ? Promise.resolve() : this.#ask();
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #end(): Promise<void> {
    this.#unhint?.();
    const patience = new Promise<'over'>((done) => setTimeout(() => done('over'), SLOW_MS).unref());
    if ((await Promise.race([this.#ask(), patience])) === 'over')
      this.#blindAt(this.#now(), 'no answer before the probe was stopped', true);
    clearTimeout(this.#timer);
    this.#emit({ effect: 'ended', probe: this.spec.name });
    this.#ended = true;
    await this.#source.close();
  }

  #ask(): Promise<void> {
    if (this.#reading?.late) {
      this.#blindAt(this.#now(), slow(this.#limitMs), true);
      return Promise.resolve();
    }
    return new Promise((done) => {
      this.#asked.push(done);
      this.#begin();
    });
  }

  #hint(): void {
    this.#hinted = true;
    this.#begin();
  }

  #pause(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#begin(), ms);
    this.#timer.unref();
  }

  #begin(): void {
    if (this.#reading || this.#ended) return;
    clearTimeout(this.#timer);
    this.#reading = { begin: this.#now(), late: false, readers: this.#asked.splice(0) };
    this.#hinted = false;
    void this.#readOnce(this.#reading).then((waitMs) => {
      this.#reading = undefined;
      if (this.#ended) return;
      if (this.#asked.length > 0 || this.#hinted) this.#begin();
      else this.#pause(waitMs);
    });
  }

  /** @returns how long the next reading may wait, in ms */
  async #readOnce(under: UnderWay): Promise<number> {
    const abort = new AbortController();
    const overdue = setInterval(() => {
      under.late = true;
      abort.abort(new Error(slow(this.#limitMs)));
      this.#overdue(under);
    }, this.#limitMs);
    const result = await this.#source.read(abort.signal).catch((error: unknown) => ({ failed: message(error) }));
    clearInterval(overdue);
    const end = this.#now();
    if (!('failed' in result)) this.#tell(result, under, end);
    else if (!under.late) this.#blindAt(end, result.failed, under.readers.length > 0);
    release(under.readers);
    if (this.#blind) return Math.max(this.spec.everyMs, FAILED_MS);
    const took = toMs(minus(end, under.begin));
    return Math.max(this.spec.everyMs - took, Math.min(took, REST_MS));
  }

  /** A reading takes too long. Nobody waits for it any more, nor for the next one, which cannot begin. */
  #overdue({ readers }: UnderWay): void {
    this.#blindAt(this.#now(), slow(this.#limitMs), readers.length > 0 || this.#asked.length > 0);
    release(readers);
    release(this.#asked);
  }

  #tell(reading: Reading, { begin, late, readers }: UnderWay, end: Ns): void {
    if (this.#blind) {
      const { why, until } = this.#blind;
      this.#blind = undefined;
      // What happened after this reading began is in it, or in the next one.
      const to = late ? end : begin;
      if (to > until) this.#gap(until, to, why);
    }
    const found = this.#changes.take(reading.items, this.#teller({ lo: this.#lastGood, hi: end }));
    this.#lastGood = begin;
    if (reading.held) {
      this.#holdings(reading.held, { lo: this.#lastHeld, hi: end });
      this.#lastHeld = begin;
    }
    if (readers.length > 0 && !found && !late)
      this.#emit({ effect: 'clear', probe: this.spec.name, since: this.#since, lo: begin, hi: end });
  }

  #teller({ lo, hi }: { lo: Ns; hi: Ns }): Teller {
    const { name: probe } = this.spec;
    return {
      seen: ({ says, subject, sample, text }) =>
        this.#emit({ effect: 'seen', probe, lo, hi, says, subject, sample, ...this.#done(`${says}\n${text}`) }),
      reverted: (says, of) => void this.#emit({ effect: 'reverted', probe, lo, hi, says, of: [...of] }),
    };
  }

  #holdings(held: readonly Holding[], { lo, hi }: { lo: Ns; hi: Ns }): void {
    const { name: probe } = this.spec;
    const ids = new Set(held.map(({ id }) => id));
    for (const { id, says, subject } of held) {
      if (!this.#held.has(id)) this.#held.set(id, this.#emit({ effect: 'held', probe, lo, hi, says, subject }));
    }
    for (const [id, seq] of this.#held) {
      if (ids.has(id)) continue;
      this.#held.delete(id);
      if (seq !== undefined) this.#emit({ effect: 'freed', probe, lo, hi, of: [seq] });
    }
  }

  /** Says that the place cannot be read, and now and then that it still cannot. */
  #blindAt(now: Ns, why: string, wanted: boolean): void {
    const from = this.#blind?.until ?? this.#reading?.begin ?? now;
    if (this.#blind && !wanted && now - from < REPEAT) return;
    this.#blind = { why, until: now };
    this.#gap(from, now, why);
  }

  #gap(lo: Ns, hi: Ns, why: string): void {
    this.#emit({ effect: 'gap', probe: this.spec.name, lo, hi, why });
    if (hi > this.#since) this.#since = hi;
  }

  /** After the end nothing is said: a reading that comes back then is nobody's. */
  #emit = (effect: Effect): Seq => (this.#ended ? -1 : this.#context.emit(effect));
  #now = (): Ns => this.#context.clock.now();
}

function release(readers: (() => void)[]): void {
  for (const done of readers.splice(0)) done();
}

/** An error's own words, in one line. */
export const message = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').trim();
