// The calls that were opened on one probe, so that "who else could have done it?" is answered by looking at the few that
// were open then, not at all that ever were.
import type { Ns } from '../base/time';
import type { Call } from '../trace/calls';

/** When a call opened: just before it was sent. */
export const opensAt = (call: Call): Ns => call.arrangement?.t ?? call.sent.t;

export class ProbeCalls {
  readonly #all: Call[] = [];
  readonly #position = new Map<Call, number>();
  readonly #open = new Set<Call>();
  /** Calls that can be open no more, in the order in which that became known, with the moment that made it known. */
  readonly #closed: { readonly call: Call; readonly by: Ns }[] = [];

  /** Adds the newest call on the probe. @param closes when another call's time on the probe ends, knowing of this one */
  add(call: Call, closes: (other: Call) => Ns): void {
    this.#position.set(call, this.#all.push(call) - 1);
    const at = opensAt(call);
    for (const other of this.#open) {
      if (closes(other) >= at) continue;
      this.#open.delete(other);
      this.#closed.push({ call: other, by: at });
    }
    this.#open.add(call);
  }

  /** When the first call was opened on the probe that came behind another one, and not before a moment. */
  opensNext(call: Call, notBefore: Ns): Ns | undefined {
    let low = (this.#position.get(call) ?? this.#all.length) + 1;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#all[middle];
      if (other && opensAt(other) < notBefore) low = middle + 1;
      else high = middle;
    }
    const next = this.#all[low];
    return next && opensAt(next);
  }

  /** Every call that may have been open at a moment or later (and some that were not: ask for their times). */
  openSince(t: Ns): readonly Call[] {
    const calls = [...this.#open];
    for (let i = this.#closed.length - 1; i >= 0; i--) {
      const closed = this.#closed[i];
      if (!closed || closed.by < t) break;
      calls.push(closed.call);
    }
    return calls;
  }
}
