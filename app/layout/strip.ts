// The calls of one lane as a tree over typed arrays, worst first. A picture asks it for cells: a call by itself where it
// has room, else as many calls as share a pixel, with the worst of them and how many are as bad. What is drawn is bounded
// by pixels, never by data, and evidence is never lost in a sum: every node knows the worst below it.
import type { Extent } from './extent';

/** Children of a node. */
const FAN = 8;

/** A run of neighbouring calls. One object is used again for every cell of a walk: copy what is to be kept. */
export interface Cell {
  /** Places in the strip: from `first` up to, without, `end`. */
  first: number;
  end: number;
  /** Earliest start and latest end, ns. */
  from: number;
  to: number;
  /** The highest rank in it, the first place that has it, and how many have it. */
  rank: number;
  worst: number;
  count: number;
  /** How many of its calls a filter lets through. */
  lit: number;
}

/** Sums of a level: one entry for each node. */
interface Level {
  from: Float64Array;
  to: Float64Array;
  rank: Uint8Array;
  worst: Int32Array;
  count: Int32Array;
  lit: Int32Array;
  length: number;
}

export class Strip {
  /** Index of the call at each place. */
  readonly calls: number[] = [];
  #leaves: Level = level(16);
  readonly #levels: Level[] = [];
  #wait = new Float64Array(16);
  #stop = new Float64Array(16);
  #moment = new Float64Array(16);

  get length(): number {
    return this.calls.length;
  }

  get bytes(): number {
    const arrays = [this.#leaves, ...this.#levels].flatMap(({ from, to, rank, worst, count, lit }) => [from, to, rank, worst, count, lit]);
    return [...arrays, this.#wait, this.#stop, this.#moment].reduce((sum, array) => sum + array.byteLength, this.calls.length * 4);
  }

  /** Adds a call behind the others. @returns its place */
  push(call: number, extent: Extent): number {
    const at = this.calls.push(call) - 1;
    this.#leaves = withRoom(this.#leaves, at);
    if (at >= this.#wait.length) {
      this.#wait = grown(this.#wait);
      this.#stop = grown(this.#stop);
      this.#moment = grown(this.#moment);
    }
    this.#leaves.length = at + 1;
    this.#leaves.lit[at] = 1;
    this.#leaves.count[at] = 1;
    this.#leaves.worst[at] = at;
    this.set(at, extent);
    return at;
  }

  /** What is known of a call has changed. */
  set(at: number, { start, wait, stop, end, moment, rank }: Extent): void {
    const { from, to, rank: ranks } = this.#leaves;
    from[at] = start;
    to[at] = end;
    ranks[at] = rank;
    this.#wait[at] = wait;
    this.#stop[at] = stop;
    this.#moment[at] = moment;
    this.#sum(at);
  }

  /** Whether a filter lets a call through. */
  light(at: number, lit: boolean): void {
    const value = lit ? 1 : 0;
    if (this.#leaves.lit[at] === value) return;
    this.#leaves.lit[at] = value;
    this.#sum(at);
  }

  isLit = (at: number): boolean => this.#leaves.lit[at] === 1;
  start = (at: number): number => this.#leaves.from[at] ?? 0;
  /** When the client stopped waiting; infinite while it waits. */
  wait = (at: number): number => this.#wait[at] ?? 0;
  /** The moment of the stop; NaN when nobody stopped the call. */
  stop = (at: number): number => this.#stop[at] ?? Number.NaN;
  end = (at: number): number => this.#leaves.to[at] ?? 0;
  /** When the worst of it happened. */
  moment = (at: number): number => this.#moment[at] ?? 0;
  rank = (at: number): number => this.#leaves.rank[at] ?? 0;

  /** The whole lane as one cell; undefined while it is empty. */
  sum(): Cell | undefined {
    let whole: Cell | undefined;
    this.walk(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, always, (cell) => {
      if (!whole) whole = { ...cell };
      else {
        if (cell.rank > whole.rank) Object.assign(whole, { rank: cell.rank, worst: cell.worst, count: 0 });
        if (cell.rank === whole.rank) whole.count += cell.count;
        whole.end = cell.end;
        whole.to = Math.max(whole.to, cell.to);
        whole.lit += cell.lit;
      }
    });
    return whole;
  }

  /**
   * Calls back with every call that touches the interval, one by one or in cells, in order of place.
   * @param tiny whether calls between two times are too close to be told apart
   */
  walk(from: number, to: number, tiny: (from: number, to: number) => boolean, visit: (cell: Cell) => void): void {
    const cell: Cell = { first: 0, end: 0, from: 0, to: 0, rank: 0, worst: 0, count: 0, lit: 0 };
    const down = (height: number, index: number): void => {
      const nodes = height === 0 ? this.#leaves : this.#levels[height - 1];
      if (!nodes) return;
      const start = nodes.from[index] ?? 0;
      const end = nodes.to[index] ?? 0;
      if (end < from || start > to) return;
      if (height === 0 || tiny(start, end)) {
        const span = FAN ** height;
        cell.first = index * span;
        cell.end = Math.min(this.calls.length, cell.first + span);
        cell.from = start;
        cell.to = end;
        cell.rank = nodes.rank[index] ?? 0;
        cell.worst = nodes.worst[index] ?? 0;
        cell.count = nodes.count[index] ?? 0;
        cell.lit = nodes.lit[index] ?? 0;
        visit(cell);
        return;
      }
      const below = height === 1 ? this.calls.length : (this.#levels[height - 2]?.length ?? 0);
      for (let child = index * FAN; child < Math.min(below, (index + 1) * FAN); child++) down(height - 1, child);
    };
    const top = this.#levels.length;
    const roots = top === 0 ? this.calls.length : (this.#levels[top - 1]?.length ?? 0);
    for (let root = 0; root < roots; root++) down(top, root);
  }

  /** Sums up the nodes above a place. */
  #sum(at: number): void {
    let below = this.#leaves;
    let index = at;
    for (let height = 0; below.length > FAN || this.#levels[height]; height++) {
      index = Math.floor(index / FAN);
      let nodes = this.#levels[height];
      if (!nodes) {
        nodes = level(16);
        this.#levels.push(nodes);
        for (let other = 0; other < index; other++) this.#levels[height] = nodes = summed(nodes, other, below);
      }
      this.#levels[height] = nodes = summed(nodes, index, below);
      below = nodes;
    }
  }
}

const always = (): boolean => true;

function level(length: number): Level {
  return {
    from: new Float64Array(length),
    to: new Float64Array(length),
    rank: new Uint8Array(length),
    worst: new Int32Array(length),
    count: new Int32Array(length),
    lit: new Int32Array(length),
    length: 0,
  };
}

function summed(given: Level, index: number, below: Level): Level {
  const nodes = withRoom(given, index);
  nodes.length = Math.max(nodes.length, index + 1);
  const first = index * FAN;
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  let rank = -1;
  let worst = 0;
  let count = 0;
  let lit = 0;
  for (let child = first; child < Math.min(below.length, first + FAN); child++) {
    from = Math.min(from, below.from[child] ?? 0);
    to = Math.max(to, below.to[child] ?? 0);
    lit += below.lit[child] ?? 0;
    const bad = below.rank[child] ?? 0;
    if (bad > rank) {
      rank = bad;
      worst = below.worst[child] ?? 0;
      count = 0;
    }
    if (bad === rank) count += below.count[child] ?? 0;
  }
  nodes.from[index] = from;
  nodes.to[index] = to;
  nodes.rank[index] = rank;
  nodes.worst[index] = worst;
  nodes.count[index] = count;
  nodes.lit[index] = lit;
  return nodes;
}

function withRoom(given: Level, index: number): Level {
  if (index < given.from.length) return given;
  const { from, to, rank, worst, count, lit, length } = given;
  return { from: grown(from), to: grown(to), rank: grown(rank), worst: grown(worst), count: grown(count), lit: grown(lit), length };
}

function grown<A extends Float64Array | Int32Array | Uint8Array>(array: A): A {
  const next = new (array.constructor as new (length: number) => A)(array.length * 2);
  next.set(array);
  return next;
}
