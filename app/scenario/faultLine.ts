// The queue in which faults keep messages: which rule names a message, what becomes of it, and when what was kept passes. A
// pure machine over any kind of message, with no clock and no wire; both directions go through one of it, because what is
// held in one may wait for what passes in the other.
import { asNs, FOREVER, fromMs, type Ns, plus } from '../base/time';
import { unreachable } from '../base/unreachable';
import type { PassingKind } from '../wire/frame';
import { type FaultRule, type FaultSubject, ruleKey } from './faults';

/** A message as rules tell messages apart. */
export interface Passing {
  readonly dir: 'c2s' | 's2c';
  readonly what: PassingKind;
  /** Of a reply and of a cancel the method of the request that it is about; '' where that is not known. */
  readonly method: string;
  readonly tool?: string | undefined;
  /** Typed key of the request that it is or is about, and who sent that; undefined for a notification. */
  readonly request?: string | undefined;
  /** The names under which the call may be meant: its id, and what a scenario calls it. */
  readonly calls?: readonly string[] | undefined;
}

/** A message that is kept. */
export interface Kept<T> {
  /** Dense over the messages that any rule has named, from 1. */
  readonly item: number;
  readonly rule: FaultRule;
  readonly message: T;
  readonly passing: Passing;
  readonly since: Ns;
}

/** What becomes of a message. */
export type Fate =
  /** No rule names it, or it is the one that overtakes another. */
  { readonly fate: 'pass' } | { readonly fate: 'keep' | 'drop' | 'duplicate' | 'cut'; readonly item: number; readonly rule: FaultRule };

/** How long a message waits for one that overtakes it: alone, it would wait for ever. */
export const OVERTAKE_MS = 2000;

interface Keeping<T> extends Kept<T> {
  readonly due: Ns;
  /** The message that overtakes it is on its way. */
  overtaken: boolean;
}

const PASS: Fate = { fate: 'pass' };

export class FaultLine<T> {
  #rules: readonly FaultRule[] = [];
  /** How often each rule has been used. */
  #used = new Map<FaultRule, number>();
  /** In the order in which they came. */
  #kept: Keeping<T>[] = [];
  #items = 0;

  get rules(): readonly FaultRule[] {
    return this.#rules;
  }

  get kept(): readonly Kept<T>[] {
    return this.#kept;
  }

  /** When time alone lets something pass; FOREVER when nothing waits for it. */
  get nextAt(): Ns {
    return asNs(this.#kept.reduce<number>((least, { due }) => Math.min(least, due), FOREVER));
  }

  /** Other rules from now on. Those that stay remember how often they were used. @returns what was kept by one that is gone: it passes now */
  set(rules: readonly FaultRule[]): readonly Kept<T>[] {
    const before = this.#rules;
    this.#rules = rules.map((rule) => before.find((known) => ruleKey(known) === ruleKey(rule)) ?? rule);
    for (const rule of before) if (!this.#rules.includes(rule)) this.#used.delete(rule);
    return this.#taken(({ rule }) => !this.#rules.includes(rule));
  }

  /** Decides on a message that has come: the first rule that names it. */
  offer(message: T, passing: Passing, now: Ns): Fate {
    const rule = this.#rules.find((one) => names(one, passing) && (this.#isLeft(one) || this.#waiting(one, passing)));
    if (!rule) return PASS;
    const first = this.#waiting(rule, passing);
    if (first) {
      first.overtaken = true;
      return PASS;
    }
    this.#used.set(rule, (this.#used.get(rule) ?? 0) + 1);
    const item = ++this.#items;
    const waits = waitsUntil(rule, now);
    if (waits === undefined) return { fate: rule.fault as 'drop' | 'duplicate' | 'cut', item, rule };
    this.#kept.push({ item, rule, message, passing, since: now, due: waits, overtaken: false });
    return { fate: 'keep', item, rule };
  }

  #isLeft = (rule: FaultRule): boolean => (this.#used.get(rule) ?? 0) < (rule.times ?? Number.POSITIVE_INFINITY);

  /** What a rule keeps until a message in the same direction overtakes it, and none does yet. */
  #waiting = (rule: FaultRule, { dir }: Passing): Keeping<T> | undefined =>
    rule.fault === 'reorder' ? this.#kept.find((kept) => kept.rule === rule && kept.passing.dir === dir && !kept.overtaken) : undefined;

  /** A message has passed. @returns what waited for it: it passes now, in this order */
  passed(passing: Passing): readonly Kept<T>[] {
    return this.#taken((kept) => hasWaitedFor(kept, passing));
  }

  /** @returns what has waited long enough: it passes now, in this order */
  due(now: Ns): readonly Kept<T>[] {
    const passing = this.#taken(({ due }) => due <= now) as readonly Keeping<T>[];
    return [...passing].sort((a, b) => a.due - b.due || a.item - b.item);
  }

  /** A person lets go of what is kept: of all of it, or of these. @returns what passes now, in this order */
  release(items?: readonly number[]): readonly Kept<T>[] {
    return this.#taken(({ item }) => items === undefined || items.includes(item));
  }

  #taken(goes: (kept: Keeping<T>) => boolean): readonly Kept<T>[] {
    const going = new Set(this.#kept.filter(goes));
    if (going.size > 0) this.#kept = this.#kept.filter((kept) => !going.has(kept));
    return [...going];
  }
}

/** Until when a rule keeps a message at the longest; undefined when it does not keep it. */
function waitsUntil(rule: FaultRule, now: Ns): Ns | undefined {
  switch (rule.fault) {
    case 'delay':
      return plus(now, fromMs(rule.ms));
    case 'hold':
      return rule.until.until === 'time' ? plus(now, fromMs(rule.until.ms)) : FOREVER;
    case 'reorder':
      return plus(now, fromMs(OVERTAKE_MS));
    case 'drop':
    case 'duplicate':
    case 'cut':
      return undefined;
    default:
      return unreachable(rule);
  }
}

function hasWaitedFor<T>({ rule, passing: kept, overtaken }: Keeping<T>, passing: Passing): boolean {
  if (rule.fault === 'reorder') return overtaken && passing.dir === kept.dir && names(rule, passing);
  if (rule.fault !== 'hold' || rule.until.until !== 'frame') return false;
  const { on, dir, method } = rule.until;
  if (!isOf(on, passing.what) || (dir !== undefined && dir !== passing.dir) || (method !== undefined && method !== passing.method))
    return false;
  return kept.request === undefined || passing.request === undefined || kept.request === passing.request;
}

/** Whether a rule names a message. */
export function names({ on, dir, method, tool, call }: FaultRule, passing: Passing): boolean {
  return (
    isOf(on, passing.what) &&
    (dir === undefined || dir === passing.dir) &&
    (method === undefined || method === passing.method) &&
    (tool === undefined || tool === passing.tool) &&
    (call === undefined || (passing.calls ?? []).includes(call))
  );
}

const SUBJECT = { request: 'requests', reply: 'replies', cancel: 'cancels', notification: 'notifications' } as const;

const isOf = (on: FaultSubject, what: PassingKind): boolean => on === 'all' || on === SUBJECT[what];
