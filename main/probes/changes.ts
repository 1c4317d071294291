// What is different between two readings of a place, whatever was read: rows, lines, items. A reading is a multiset; what is
// in one and not in the other is the evidence. Every difference stays one frame of its own, as far as their number allows,
// so that it can belong to one call and be taken back by itself.
import type { Seq } from '../../app/wire/frame';

/** One thing that a reading found. */
export interface Item {
  /** Two items of the same id are the same. */
  readonly id: string;
  /** What a person reads. */
  readonly text: string;
  /** `row`, `line`, `item`. */
  readonly noun: string;
  /** Names the thing whatever its content: where it is the only one of its key before and after, it has changed. */
  readonly key?: string;
  /** How a value is called that has changed: `count`. */
  readonly name?: string;
  /** Says nothing new beside another difference: an exit code, a total. */
  readonly quiet?: boolean;
}

/** A difference in words. */
export interface Difference {
  readonly says: string;
  readonly subject: string;
  /** Everything that is different, for patterns. */
  readonly text: string;
  /** The beginning of it, where it differs. */
  readonly sample: string;
}

/** Takes what a comparison found. */
export interface Teller {
  /** Something is there that was not, or is not there that was. @returns the frame that says so */
  seen(difference: Difference): Seq;
  /** The place is again as it was before these frames. */
  reverted(says: string, of: readonly Seq[]): void;
}

export interface Changes {
  /** Compares a reading with the one before and tells every difference. @returns whether there was any */
  take(items: readonly Item[], tell: Teller): boolean;
}

/** So many differences of one kind in one reading have a frame each; the last one stands for all the others. */
const FRAMES = 20;
const SHORT = 120;
const SAMPLE = 300;
const SUBJECT = 80;
/** So much of what is the same is shown before a difference in a long text. */
const CONTEXT = 20;

/** How many of each id. */
type Amounts = Map<string, number>;

interface Found {
  readonly amounts: Amounts;
  readonly items: ReadonlyMap<string, Item>;
  /** How many items have a key. */
  readonly keys: Amounts;
}

/** Something that was seen and not taken back. */
interface Outstanding {
  readonly seq: Seq;
  /** How many more, or fewer, of each id. */
  readonly delta: Amounts;
  /** What is said when it is taken back. */
  readonly undone: string;
}

interface Draft extends Difference {
  readonly delta: Amounts;
  readonly undone: string;
}

/** @param baseline what everything is compared with first */
export function changes(baseline: readonly Item[]): Changes {
  let now = found(baseline);
  let outstanding: readonly Outstanding[] = [];

  return {
    take(items, tell) {
      const next = found(items);
      const delta = difference(now.amounts, next.amounts);
      if (delta.size === 0) return false;
      for (const frames of takenBack(outstanding, delta, pairs(new Map(delta), now, next))) {
        const gone = new Set(frames);
        outstanding = outstanding.filter((frame) => !gone.has(frame));
        tell.reverted(
          frames[0]?.undone ?? '',
          frames.map(({ seq }) => seq),
        );
      }
      const drafts = draft(delta, now, next);
      now = next;
      outstanding = [...outstanding, ...drafts.map((one) => ({ seq: tell.seen(one), delta: one.delta, undone: one.undone }))];
      return true;
    },
  };
}

function found(list: readonly Item[]): Found {
  const amounts: Amounts = new Map();
  const keys: Amounts = new Map();
  const items = new Map<string, Item>();
  for (const item of list) {
    add(amounts, item.id, 1);
    if (item.key !== undefined) add(keys, item.key, 1);
    items.set(item.id, item);
  }
  return { amounts, items, keys };
}

function add(amounts: Amounts, id: string, n: number): void {
  const sum = (amounts.get(id) ?? 0) + n;
  if (sum === 0) amounts.delete(id);
  else amounts.set(id, sum);
}

function difference(before: Amounts, after: Amounts): Amounts {
  const delta = new Map(after);
  for (const [id, n] of before) add(delta, id, -n);
  return delta;
}

// ── what is taken back ──────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Finds what a difference takes back: the latest frames about some ids, when those ids are again as they were before the
 * first of these frames; as many frames as that is true of. What is explained in this way is removed from the difference.
 */
function takenBack(outstanding: readonly Outstanding[], delta: Amounts, changed: readonly Pair[]): readonly (readonly Outstanding[])[] {
  const about = new Map<string, Outstanding[]>();
  for (const frame of outstanding) for (const id of frame.delta.keys()) about.set(id, [...(about.get(id) ?? []), frame]);
  // What has become something else is not gone.
  const became = new Map(
    changed.flatMap(({ was, is }) => [
      [was.id, is.id],
      [is.id, was.id],
    ]),
  );
  const done = new Set<string>();
  const result: Outstanding[][] = [];
  for (const id of [...delta.keys()]) {
    if (done.has(id)) continue;
    const { ids, frames } = connected(id, about, became);
    for (const one of ids) done.add(one);
    const undone = latestUndone(frames, ids, delta);
    if (undone) for (const one of ids) delta.delete(one);
    const back = undone ?? (ids.size === 1 ? partlyUndone(frames, id, delta) : []);
    if (back.length > 0) result.push(back);
  }
  return result;
}

/** Everything that hangs together with an id by frames that speak of several, and by a change of one into another. */
function connected(
  start: string,
  about: ReadonlyMap<string, readonly Outstanding[]>,
  became: ReadonlyMap<string, string>,
): { ids: Set<string>; frames: Outstanding[] } {
  const ids = new Set([start]);
  const frames = new Set<Outstanding>();
  for (const id of ids) {
    const other = became.get(id);
    if (other !== undefined) ids.add(other);
    for (const frame of about.get(id) ?? []) {
      frames.add(frame);
      for (const other of frame.delta.keys()) ids.add(other);
    }
  }
  return { ids, frames: [...frames].sort((a, b) => a.seq - b.seq) };
}

function latestUndone(frames: readonly Outstanding[], ids: ReadonlySet<string>, delta: Amounts): Outstanding[] | undefined {
  const left: Amounts = new Map();
  for (const id of ids) add(left, id, delta.get(id) ?? 0);
  let undone: Outstanding[] | undefined;
  for (let first = frames.length - 1; first >= 0; first--) {
    for (const [id, n] of frames[first]?.delta ?? []) add(left, id, n);
    if (left.size === 0) undone = frames.slice(first);
  }
  return undone;
}

/** Frames about one id alone that a difference takes back on its way beyond how it was. The difference becomes the rest. */
function partlyUndone(frames: readonly Outstanding[], id: string, delta: Amounts): Outstanding[] {
  const undone: Outstanding[] = [];
  for (const frame of frames.toReversed()) {
    const rest = delta.get(id) ?? 0;
    const n = frame.delta.get(id) ?? 0;
    if (Math.sign(n) === Math.sign(rest) || Math.abs(n) > Math.abs(rest)) break;
    add(delta, id, n);
    undone.unshift(frame);
  }
  return undone;
}

// ── what is new ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** One item so many times more, or fewer. */
interface Step {
  readonly item: Item;
  readonly sign: 1 | -1;
}

function draft(delta: Amounts, before: Found, after: Found): Draft[] {
  const left = new Map(delta);
  const changed = pairs(left, before, after);
  const steps: Step[] = [];
  for (const [id, n] of left) {
    const item = after.items.get(id) ?? before.items.get(id);
    if (item) for (let i = 0; i < Math.abs(n); i++) steps.push({ item, sign: n > 0 ? 1 : -1 });
  }
  // What is gone comes last: something that took another shape is there before it is gone.
  const some = (sign: 1 | -1, quiet: boolean): Step[] => steps.filter((step) => step.sign === sign && (step.item.quiet ?? false) === quiet);
  const loud = [...changed.filter((pair) => !pair.quiet).map(one), ...moreOrFewer(some(1, false)), ...moreOrFewer(some(-1, false))];
  const quiet = [...changed.filter((pair) => pair.quiet).map(one), ...moreOrFewer(some(1, true)), ...moreOrFewer(some(-1, true))];
  const last = loud.at(-1);
  if (!last) return quiet;
  // A quiet difference goes with a loud one, so that both are taken back together.
  for (const { delta: more } of quiet) for (const [id, n] of more) add(last.delta, id, n);
  return loud;
}

interface Pair {
  readonly was: Item;
  readonly is: Item;
  readonly quiet: boolean;
}

/** Items that were there once under a key and are there once under it, with another content. They are taken out of `left`. */
function pairs(left: Amounts, before: Found, after: Found): Pair[] {
  const gone = new Map<string, Item>();
  for (const [id, n] of left) {
    const was = before.items.get(id);
    if (n === -1 && was?.key !== undefined && before.keys.get(was.key) === 1) gone.set(was.key, was);
  }
  const result: Pair[] = [];
  for (const [id, n] of [...left]) {
    const is = after.items.get(id);
    const was = n === 1 && is?.key !== undefined && after.keys.get(is.key) === 1 ? gone.get(is.key) : undefined;
    if (!is || !was) continue;
    left.delete(was.id);
    left.delete(is.id);
    result.push({ was, is, quiet: is.quiet ?? false });
  }
  return result;
}

function one({ was, is }: Pair): Draft {
  const from = differsFrom(was.text, is.text);
  const [a, b] = [cut(was.text, from, SHORT), cut(is.text, from, SHORT)];
  const says = is.name === undefined ? `1 ${is.noun} changed: ${a} → ${b}` : `${is.name} changed from ${a} to ${b}`;
  return {
    says,
    subject: (is.name ?? is.key ?? is.noun).slice(0, SUBJECT),
    text: `${was.text}\n${is.text}`,
    sample: cut(is.text, from, SAMPLE),
    delta: new Map([
      [was.id, -1],
      [is.id, 1],
    ]),
    undone: `${is.name ?? is.noun} is ${a} again`,
  };
}

/** Steps of one sign: a frame for each, and one for all that are too many. */
function moreOrFewer(steps: readonly Step[]): Draft[] {
  const single = steps.length > FRAMES ? steps.slice(0, FRAMES - 1) : steps;
  const rest = steps.slice(single.length);
  return [...single.map((step) => together([step])), ...(rest.length > 0 ? [together(rest)] : [])];
}

function together(steps: readonly Step[]): Draft {
  const first = steps[0] as Step;
  const { item, sign } = first;
  const counted = steps.length === 1 ? `1 ${item.noun}` : `${steps.length} ${item.noun}s`;
  const shown = `${cut(item.text, 0, SHORT)}${steps.length > 1 ? '; …' : ''}`;
  const text = steps.map((step) => step.item.text).join('\n');
  const delta: Amounts = new Map();
  for (const step of steps) add(delta, step.item.id, sign);
  return {
    says: `${counted} ${sign > 0 ? 'more' : 'fewer'}: ${shown}`,
    subject: (item.key ?? item.name ?? item.noun).slice(0, SUBJECT),
    text,
    sample: cut(text, 0, SAMPLE),
    delta,
    undone: `${counted} ${sign > 0 ? 'gone' : 'back'} again: ${shown}`,
  };
}

/** Where a long text is worth showing from: just before its first difference. */
function differsFrom(a: string, b: string): number {
  if (a.length <= SHORT && b.length <= SHORT) return 0;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return same <= CONTEXT * 2 ? 0 : same - CONTEXT;
}

/** At most `most` characters from a place, with the ends that are missing marked. */
function cut(text: string, from: number, most: number): string {
  const start = from > 0 ? '…' : '';
  const rest = text.slice(from);
  return rest.length + start.length <= most ? start + rest : `${start}${rest.slice(0, most - 1 - start.length)}…`;
}
