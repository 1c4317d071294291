// Faults on a running session: what stands between the tap and the wire on the way out, and between the record and the client
// on the way in, so that the trace says what the server really sent and was really sent, and when (docs/adr/0013). Which
// message is named and how long it is kept is decided by the line (app/scenario/faultLine); here it is done, and recorded.
import { type Clock, FOREVER, type Ns, toMs } from '../../app/base/time';
import type { HeldMessage } from '../../app/contract/faults';
import { type Fate, FaultLine, type Kept, type Passing } from '../../app/scenario/faultLine';
import { type FaultRule, ruleName } from '../../app/scenario/faults';
import type { Act, ExchangeNumber, ReleasedBy, RequestId } from '../../app/wire/frame';
import { idText, keyOf } from '../../app/wire/jsonrpc';

/** What is known of a message: what the rules ask, and the request that it is about. */
export interface Told extends Passing {
  readonly id: RequestId | undefined;
}

/** A message on its way through the faults. */
export interface Passenger {
  readonly told: Told;
  /**
   * Lets it through; `copy` the second time.
   * @param passed called when it has been written, or handed on
   * @param failed called when it never will be
   */
  pass(copy: boolean, passed: (exchange: ExchangeNumber | undefined) => void, failed?: () => void): void;
}

/** A message to the server. */
export interface Outgoing extends Passenger {
  /** Its text, where it is one. */
  readonly raw: string | undefined;
  /** It is kept or dropped: what belongs before it in the trace is recorded. */
  before(): void;
  /** The frame that says so has been recorded. */
  kept(seq: number, fate: 'keep' | 'drop'): void;
}

export interface FaultsOptions {
  readonly clock: Clock;
  /** Records an act. @returns its `seq` */
  readonly record: (act: Act, dir: 'c2s' | 's2c' | '-', t: Ns) => number;
  /** Closes what carries a message; over HTTP the exchange. */
  readonly cut: (exchange: ExchangeNumber | undefined) => void;
  readonly onChange: () => void;
  /** Calls back after so many milliseconds. @returns stops that */
  readonly later?: (ms: number, then: () => void) => () => void;
}

/** So many held messages are shown; the rest are counted. */
const SHOWN = 20;
/** A change is told at most so often, in ms. */
const TELL_MS = 30;

const byTimer = (ms: number, then: () => void): (() => void) => {
  const timer = setTimeout(then, ms);
  return () => clearTimeout(timer);
};

export class Faults {
  readonly #options: FaultsOptions;
  readonly #line = new FaultLine<Passenger>();
  readonly #later: NonNullable<FaultsOptions['later']>;
  #active = false;
  #stopTimer: () => void = () => undefined;
  /** A change waits to be told: a flood that is delayed changes much in little time. */
  #telling = false;
  /** What passes now, one after the other: the next one when the one before has been written. */
  #leaving: Passenger[] = [];
  #isLeaving = false;

  constructor(options: FaultsOptions) {
    this.#options = options;
    this.#later = options.later ?? byTimer;
  }

  get rules(): readonly FaultRule[] {
    return this.#line.rules;
  }

  /** How many are held. */
  get heldCount(): number {
    return this.#line.kept.length;
  }

  /** The oldest of those that are held. */
  get held(): readonly HeldMessage[] {
    return this.#line.kept.slice(0, SHOWN).map(({ item, rule, message, passing: { dir, what, method, tool }, since }) => ({
      item,
      rule: ruleName(rule),
      fault: rule.fault,
      dir,
      what,
      method,
      ...(tool === undefined ? {} : { tool }),
      ...(message.told.id === undefined ? {} : { id: idText(keyOf(message.told.id)) }),
      since,
    }));
  }

  /** Whether any message may be touched at the moment. */
  get on(): boolean {
    return this.#active && this.rules.length > 0;
  }

  /** Messages may be touched from now on: the handshake passes as it is. */
  begin(): void {
    this.#active = true;
    if (this.rules.length > 0) this.#tellRules();
  }

  /** The session is over: nothing passes any more, and what is kept never does. */
  end(): void {
    this.#active = false;
    this.#stopTimer();
    this.#line.release();
    this.#leaving = [];
  }

  /** Other rules from now on. What was kept by one that is gone passes. */
  set(rules: readonly FaultRule[]): void {
    const going = this.#line.set(rules);
    if (this.#active) this.#tellRules();
    this.#release(going, 'off');
    this.#options.onChange();
  }

  /** Lets go of what is kept: all of it, or these. @returns how many */
  release(items?: readonly number[]): number {
    const going = this.#line.release(items);
    this.#release(going, 'hand');
    return going.length;
  }

  #tellRules(): void {
    this.#options.record({ act: 'faults', rules: this.rules.map(ruleName) }, '-', this.#now);
  }

  outgoing(message: Outgoing): void {
    const fate = this.#fateOf(message);
    switch (fate.fate) {
      case 'pass':
        message.pass(false, () => this.#passed(message.told));
        return;
      case 'keep':
      case 'drop': {
        message.before();
        message.kept(this.#record(fate, message.told, message.raw), fate.fate);
        this.#wait();
        return;
      }
      case 'duplicate':
        message.pass(false, () => this.#passed(message.told));
        this.#record(fate, message.told);
        message.pass(true, () => undefined);
        return;
      case 'cut':
        message.pass(false, (exchange) => {
          this.#record(fate, message.told);
          this.#options.cut(exchange);
        });
        return;
    }
  }

  /**
   * @param t when it came
   * @param record puts the message into the trace; what is done to it stands before it
   * @returns false when what carried the message was cut at it
   */
  incoming(message: Passenger, t: Ns, exchange: ExchangeNumber | undefined, record: () => void): boolean {
    const fate = this.#fateOf(message, t);
    if (fate.fate !== 'pass') this.#record(fate, message.told, undefined, t);
    record();
    switch (fate.fate) {
      case 'pass':
        message.pass(false, () => this.#passed(message.told));
        return true;
      case 'keep':
        this.#wait();
        return true;
      case 'drop':
        return true;
      case 'duplicate':
        message.pass(false, () => this.#passed(message.told));
        message.pass(true, () => undefined);
        return true;
      case 'cut':
        this.#options.cut(exchange);
        return false;
    }
  }

  get #now(): Ns {
    return this.#options.clock.now();
  }

  #fateOf(message: Passenger, t = this.#now): Fate {
    if (!this.on) return { fate: 'pass' };
    return this.#line.offer(message, message.told, t);
  }

  #record({ item, rule }: Exclude<Fate, { fate: 'pass' }>, told: Told, raw?: string, t = this.#now): number {
    const { what, method, id, tool, dir } = told;
    return this.#options.record(
      {
        act: 'fault',
        fault: rule.fault,
        rule: ruleName(rule),
        item,
        what,
        method,
        ...(id === undefined ? {} : { id }),
        ...(tool === undefined ? {} : { tool }),
        ...(raw === undefined ? {} : { raw }),
      },
      dir,
      t,
    );
  }

  #passed(told: Told): void {
    if (this.#line.kept.length > 0) this.#release(this.#line.passed(told), 'frame');
  }

  #release(going: readonly Kept<Passenger>[], by: ReleasedBy): void {
    if (going.length === 0 || !this.#active) return;
    for (const { item, message } of going) {
      const { told } = message;
      this.#leaving.push({
        told,
        pass: (copy, passed, failed) => {
          this.#options.record({ act: 'released', item, by, ...(told.id === undefined ? {} : { id: told.id }) }, told.dir, this.#now);
          message.pass(copy, passed, failed);
        },
      });
    }
    this.#leave();
    this.#wait();
  }

  /** One after the other, also where each is an HTTP request of its own: what was held passes in its order. */
  #leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    while (this.#leaving.length > 0) if (!this.#left()) return;
    this.#isLeaving = false;
  }

  /** Lets the next one pass, and goes on when that has. @returns whether it has already: a flood is let go of in a loop */
  #left(): boolean {
    const message = this.#leaving.shift();
    if (!message) return true;
    let over = false;
    let waiting = false;
    const next = (): void => {
      over = true;
      if (!waiting) return;
      this.#isLeaving = false;
      this.#leave();
    };
    const written = (): void => {
      this.#passed(message.told);
      next();
    };
    message.pass(false, written, next);
    waiting = true;
    return over;
  }

  /** Sets the timer for what waits for nothing but its time. */
  #wait(): void {
    this.#stopTimer();
    this.#stopTimer = () => undefined;
    const { nextAt } = this.#line;
    if (nextAt !== FOREVER && this.#active) this.#stopTimer = this.#later(this.#msUntil(nextAt), () => this.#due());
    this.#tell();
  }

  #tell(): void {
    if (this.#telling) return;
    this.#telling = true;
    this.#later(TELL_MS, () => {
      this.#telling = false;
      this.#options.onChange();
    });
  }

  /** A timer may be early by part of a millisecond. */
  #msUntil = (t: Ns): number => Math.max(0, Math.ceil(toMs((t - this.#now) as Ns)));

  #due(): void {
    const going = this.#line.due(this.#now);
    if (going.length > 0) this.#release(going, 'time');
    else this.#wait();
  }
}

/** What a request is about, as its replies and its cancels are known by. */
type About = Pick<Told, 'method' | 'tool' | 'calls' | 'request' | 'id'>;

/** The requests that have no answer yet, so that rules know of replies and cancels what they are about. */
export class Requests {
  readonly #known = new Map<string, About>();

  /** @param name what a scenario calls the call */
  sent(
    by: 'client' | 'server',
    id: RequestId,
    { method, tool, name }: { method: string; tool?: string | undefined; name?: string | undefined },
  ): About {
    const request = `${by} ${keyOf(id)}`;
    const calls = [idText(keyOf(id)), ...(name === undefined ? [] : [name])];
    const about: About = { method, tool, calls, request, id };
    this.#known.set(request, about);
    return about;
  }

  of(by: 'client' | 'server', id: RequestId): About {
    const request = `${by} ${keyOf(id)}`;
    return this.#known.get(request) ?? { method: '', calls: [idText(keyOf(id))], request, id };
  }

  answered(by: 'client' | 'server', id: RequestId): void {
    this.#known.delete(`${by} ${keyOf(id)}`);
  }
}
