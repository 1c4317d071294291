// The trace: every frame's facts in columns, append-only, about 20 bytes a frame. It knows neither files nor pipes; the host
// fills it as frames arrive, the window from batches, a test from a list. Bodies stay in the trace file.
import { type Column, type Counts, counts, float64, int32, uint8 } from '../base/columns';
import { type Names, names } from '../base/names';
import type { Ns } from '../base/time';
import {
  type Act,
  DIRS,
  type Dir,
  type Effect,
  type ExchangeNumber,
  type Frame,
  type Http,
  KINDS,
  type Kind,
  type Life,
  type Seq,
  type SessionNumber,
} from '../wire/frame';
import { factsOf, keyOf, type MessageExtra, type MessageFacts, SHAPES, type Shape, type TaskFacts } from '../wire/jsonrpc';

/** What of a frame does not fit into columns; most frames have none. */
export type Extra =
  | MessageExtra
  | { readonly about: 'http'; readonly http: Http }
  | { readonly about: 'life'; readonly life: Life }
  | { readonly about: 'act'; readonly act: Act }
  | { readonly about: 'effect'; readonly effect: Effect };

/** One row of the trace: what is known of a frame without its body. */
export interface Facts {
  readonly t: Ns;
  readonly session: SessionNumber;
  readonly dir: Dir;
  readonly kind: Kind;
  readonly shape: Shape;
  /** Method of a message; reason of noise; what happened, event, act or effect of the others. */
  readonly name: string;
  readonly key: string;
  readonly num: number;
  readonly bits: number;
  /** Bytes of the raw text. */
  readonly size: number;
  /** Number of the HTTP exchange that it came or went with; 0 for none. */
  readonly exchange: ExchangeNumber;
  readonly extra?: Extra;
}

/** The columns as they cross the process boundary: plain typed arrays, cloned. */
export interface TraceBatch {
  readonly first: Seq;
  readonly t: Float64Array;
  /** Kind, direction, shape and bits in one number. */
  readonly head: Counts;
  readonly session: Uint8Array;
  /** Numbers of names plus one; 0 for none. */
  readonly name: Counts;
  readonly key: Counts;
  readonly num: Int32Array;
  readonly size: Counts;
  /** Empty as long as no frame of the trace belongs to an exchange. */
  readonly exchange: Counts;
  /** Texts that `name` and `key` refer to and that no earlier batch has brought, from number `namesFrom` on. */
  readonly namesFrom: number;
  readonly names: readonly string[];
  readonly extras: readonly (readonly [Seq, Extra])[];
}

const DIR_NUMBER = { '-': 0, c2s: 1, s2c: 2 } as const satisfies Record<Dir, number>;
const KIND_NUMBER = { message: 0, noise: 1, stderr: 2, http: 3, life: 4, act: 5, effect: 6 } as const satisfies Record<Kind, number>;
const SHAPE_NUMBER = { none: 0, request: 1, notification: 2, result: 3, error: 4, invalid: 5 } as const satisfies Record<Shape, number>;

/** Where in `head` each begins: three bits for the kind, two for the direction, three for the shape, the rest for the bits. */
const DIR_AT = 3;
const SHAPE_AT = 5;
const BITS_AT = 8;

export class Trace {
  readonly names: Names = names();
  readonly extras = new Map<Seq, Extra>();
  readonly #t: Column<Float64Array> = float64();
  readonly #head: Column<Counts> = counts();
  readonly #session: Column<Uint8Array> = uint8();
  readonly #name: Column<Counts> = counts();
  readonly #key: Column<Counts> = counts();
  readonly #num: Column<Int32Array> = int32();
  readonly #size: Column<Counts> = counts();
  /** As long as the last frame that belongs to an exchange: a trace of pipes alone pays nothing for it. */
  readonly #exchange: Column<Counts> = counts();
  /** The name and key of the frame before: in a flood they are the same, and comparing is cheaper than looking up. */
  #lastName = '';
  #lastNameNumber = -1;
  #lastKey = '';
  #lastKeyNumber = -1;
  /** Texts of extras, each kept once. */
  readonly #texts = new Map<string, string>();

  /** How many frames there are; the next frame's `seq`. */
  get length(): number {
    return this.#t.length;
  }

  get bytes(): number {
    return this.#columns().reduce((sum, c) => sum + c.bytes, 0);
  }

  /** Gives back the room that was kept for more frames. */
  trim(): void {
    for (const column of this.#columns()) column.trim();
  }

  #columns() {
    return [this.#t, this.#head, this.#session, this.#name, this.#key, this.#num, this.#size, this.#exchange] as const;
  }

  /** Appends one frame's facts. @returns its `seq` */
  push(facts: Facts): Seq {
    const seq = this.#t.length;
    this.#t.push(facts.t);
    this.#head.push(
      KIND_NUMBER[facts.kind] | (DIR_NUMBER[facts.dir] << DIR_AT) | (SHAPE_NUMBER[facts.shape] << SHAPE_AT) | (facts.bits << BITS_AT),
    );
    this.#session.push(facts.session);
    this.#name.push(this.#numberOfName(facts.name) + 1);
    this.#key.push(this.#numberOfKey(facts.key) + 1);
    this.#num.push(facts.num);
    this.#size.push(facts.size);
    if (facts.exchange > 0) this.#exchangeOf(seq, facts.exchange);
    if (facts.extra) this.extras.set(seq, facts.extra);
    return seq;
  }

  #exchangeOf(seq: Seq, exchange: ExchangeNumber): void {
    while (this.#exchange.length < seq) this.#exchange.push(0);
    this.#exchange.push(exchange);
  }

  #numberOfName(name: string): number {
    if (name === this.#lastName) return this.#lastNameNumber;
    this.#lastName = name;
    this.#lastNameNumber = name === '' ? -1 : this.names.of(name);
    return this.#lastNameNumber;
  }

  #numberOfKey(key: string): number {
    if (key === this.#lastKey) return this.#lastKeyNumber;
    this.#lastKey = key;
    this.#lastKeyNumber = key === '' ? -1 : this.names.of(key);
    return this.#lastKeyNumber;
  }

  t = (seq: Seq): Ns => this.#t.at(seq) as Ns;
  kind = (seq: Seq): Kind => KINDS[this.#head.at(seq) & 7] ?? 'message';
  dir = (seq: Seq): Dir => DIRS[(this.#head.at(seq) >> DIR_AT) & 3] ?? '-';
  shape = (seq: Seq): Shape => SHAPES[(this.#head.at(seq) >> SHAPE_AT) & 7] ?? 'none';
  session = (seq: Seq): SessionNumber => this.#session.at(seq);
  bits = (seq: Seq): number => this.#head.at(seq) >> BITS_AT;
  /** Number of the name in `names`, −1 for none. */
  nameNumber = (seq: Seq): number => this.#name.at(seq) - 1;
  name = (seq: Seq): string => this.names.text(this.#name.at(seq) - 1);
  /** Number of the typed key in `names`, −1 for none. */
  keyNumber = (seq: Seq): number => this.#key.at(seq) - 1;
  key = (seq: Seq): string => this.names.text(this.#key.at(seq) - 1);
  num = (seq: Seq): number => this.#num.at(seq);
  size = (seq: Seq): number => this.#size.at(seq);
  /** Number of the HTTP exchange that the frame came or went with, in its session; 0 for none. */
  exchange = (seq: Seq): ExchangeNumber => (seq < this.#exchange.length ? this.#exchange.at(seq) : 0);
  extra = (seq: Seq): Extra | undefined => this.extras.get(seq);

  /** All times, for binary search; valid until the next push. */
  times = (): Float64Array => this.#t.view();

  /** The row as an object: for people and tests, not for loops over a million. */
  facts(seq: Seq): Facts {
    const extra = this.extras.get(seq);
    return {
      t: this.t(seq),
      session: this.session(seq),
      dir: this.dir(seq),
      kind: this.kind(seq),
      shape: this.shape(seq),
      name: this.name(seq),
      key: this.key(seq),
      num: this.num(seq),
      bits: this.bits(seq),
      size: this.size(seq),
      exchange: this.exchange(seq),
      ...(extra ? { extra } : {}),
    };
  }

  /** The frames from `first` up to `end`, with the names from number `namesFrom` on, ready to be cloned to another process. */
  batch(first: Seq, end: Seq, namesFrom: number): TraceBatch {
    const extras: (readonly [Seq, Extra])[] = [];
    for (let seq = first; seq < end; seq++) {
      const extra = this.extras.get(seq);
      if (extra) extras.push([seq, extra]);
    }
    return {
      first,
      t: this.#t.slice(first, end),
      head: this.#head.slice(first, end),
      session: this.#session.slice(first, end),
      name: this.#name.slice(first, end),
      key: this.#key.slice(first, end),
      num: this.#num.slice(first, end),
      size: this.#size.slice(first, end),
      exchange: this.#exchange.slice(Math.min(first, this.#exchange.length), Math.min(end, this.#exchange.length)),
      namesFrom,
      names: this.names.from(namesFrom),
      extras,
    };
  }

  /**
   * The two extras that every call has, made anew: what came through a port is thrice as large as what is spelled out, and
   * brings its own copy of every text.
   */
  #compact(extra: Extra): Extra {
    if (extra.about === 'request') {
      const tool = this.#kept(extra.tool);
      const token = this.#kept(extra.token);
      const task = this.#kept(extra.task);
      const said = { ...(tool === undefined ? {} : { tool }), ...(token === undefined ? {} : { token }) };
      return { about: 'request', ...said, ...(task === undefined ? {} : { task }) };
    }
    if (extra.about === 'task') return { about: 'task', task: this.#compactTask(extra.task) };
    if (extra.about !== 'act' || extra.act.act !== 'call') return extra;
    const { id, tool, probes, settle, normally, fence, retryOf, undoOf, owns, task } = extra.act;
    const rest = { probes: probes.length === 0 ? NO_PROBES : probes, settle, normally, fence, retryOf, undoOf, owns, task };
    return { about: 'act', act: { act: 'call', id, tool: this.#kept(tool) ?? tool, ...rest } };
  }

  /** A task is asked about often, and mostly says what it said before. */
  #compactTask(task: TaskFacts): TaskFacts {
    const { id, status, says } = task;
    return {
      ...task,
      id: this.#kept(id) ?? id,
      ...(status === undefined ? {} : { status: this.#kept(status) ?? status }),
      ...(says === undefined ? {} : { says: this.#kept(says) ?? says }),
    };
  }

  /** The same text, kept once: a token is mostly a request's key, and a tool is called more than once. */
  #kept(text: string | undefined): string | undefined {
    if (text === undefined) return undefined;
    const number = this.names.find(text);
    if (number !== undefined) return this.names.text(number);
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  #appendExchanges({ first, exchange }: TraceBatch): void {
    for (let i = 0; i < exchange.length; i++) {
      const number = exchange[i] ?? 0;
      if (number > 0) this.#exchangeOf(first + i, number);
    }
  }

  /**
   * Appends a batch made by another trace's {@link batch}.
   * @throws RangeError when the batch does not continue this trace: a lost batch is never papered over
   */
  append(batch: TraceBatch): void {
    if (batch.first !== this.length)
      throw new RangeError(`expected the batch to begin at frame ${this.length}, it begins at ${batch.first}`);
    if (batch.namesFrom > this.names.length)
      throw new RangeError(`expected names from ${this.names.length}, got them from ${batch.namesFrom}`);
    for (const text of batch.names) this.names.of(text);
    this.#t.extend(batch.t);
    this.#head.extend(batch.head);
    this.#session.extend(batch.session);
    this.#name.extend(batch.name);
    this.#key.extend(batch.key);
    this.#num.extend(batch.num);
    this.#size.extend(batch.size);
    this.#appendExchanges(batch);
    for (const [seq, extra] of batch.extras) this.extras.set(seq, this.#compact(extra));
  }
}

const NO_PROBES: string[] = [];

const NO_MESSAGE: MessageFacts = { shape: 'invalid', method: '', key: '', num: 0, bits: 0 };

/**
 * The facts of a frame.
 * @param size bytes of the raw text
 * @param parsed the parsed message, where the caller has it already; else `raw` is parsed here
 */
export function factsOfFrame(frame: Frame, size: number, parsed?: unknown): Facts {
  const base = {
    t: frame.t,
    session: frame.session,
    dir: frame.dir,
    kind: frame.kind,
    size,
    shape: 'none',
    key: '',
    num: 0,
    bits: 0,
    exchange: exchangeOf(frame),
  } as const;
  switch (frame.kind) {
    case 'message':
      return factsOfMessage(base, parsed ?? JSON.parse(frame.raw));
    case 'noise':
      return { ...base, name: frame.why };
    case 'stderr':
      return { ...base, name: '' };
    case 'http':
      return { ...base, name: frame.http.http, num: statusOf(frame.http), extra: { about: 'http', http: frame.http } };
    case 'life':
      return { ...base, name: frame.life.event, extra: { about: 'life', life: frame.life } };
    case 'act':
      return {
        ...base,
        name: frame.act.act,
        key: keyOfAct(frame.act),
        extra: { about: 'act', act: frame.act },
      };
    case 'effect':
      return { ...base, name: frame.effect.effect, extra: { about: 'effect', effect: frame.effect } };
  }
}

/** The request that an act is about. */
function keyOfAct(act: Act): string {
  switch (act.act) {
    case 'faults':
      return '';
    case 'fault':
    case 'released':
      return act.id === undefined ? '' : keyOf(act.id);
    case 'idle':
      return keyOf(act.ping);
    default:
      return keyOf(act.id);
  }
}

function exchangeOf(frame: Frame): ExchangeNumber {
  if (frame.kind === 'http') return frame.http.exchange;
  return frame.kind === 'message' || frame.kind === 'noise' ? (frame.exchange ?? 0) : 0;
}

const statusOf = (http: Http): number => (http.http === 'response' ? http.status : 0);

type Base = Pick<Facts, 't' | 'session' | 'dir' | 'kind' | 'size' | 'exchange'>;

/** The row of a message that has been parsed. */
export const factsOfMessage = (base: Base, parsed: unknown): Facts => messageFacts(base, factsOf(parsed) ?? NO_MESSAGE);

/** A message's row: the frame's stamp with what was read off the message. */
export const messageFacts = (base: Base, facts: MessageFacts): Facts => ({
  t: base.t,
  session: base.session,
  dir: base.dir,
  kind: base.kind,
  size: base.size,
  exchange: base.exchange,
  shape: facts.shape,
  name: facts.method,
  key: facts.key,
  num: facts.num,
  bits: facts.bits,
  ...(facts.extra ? { extra: facts.extra } : {}),
});
