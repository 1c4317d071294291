// The calls that were opened on one probe, or on one place that several probes watch, so that "who else could have done it?"
// is answered by looking at the few that were open then, not at all that ever were.
import type { Ns } from '../base/time';
import type { Call } from '../trace/calls';

/** When a call opened: just before it was sent. */
export const opensAt = (call: Call): Ns => call.arrangement?.t ?? call.sent.t;

/** A call, and which of its probes watches there. */
export interface Opened {
  readonly call: Call;
  readonly probe: string;
}

export class ProbeCalls {
  readonly #all: Opened[] = [];
  readonly #position = new Map<Call, number>();
  readonly #open = new Set<Opened>();
  /** Calls that can be open no more, in the order in which that became known, with the moment that made it known. */
  readonly #closed: { readonly opened: Opened; readonly by: Ns }[] = [];

  /** Adds the newest call. @param closes when another call's time on the probe ends, knowing of this one */
  add(opened: Opened, closes: (other: Opened) => Ns): void {
    this.#position.set(opened.call, this.#all.push(opened) - 1);
    const at = opensAt(opened.call);
    for (const other of this.#open) {
      if (closes(other) >= at) continue;
      this.#open.delete(other);
      this.#closed.push({ opened: other, by: at });
    }
    this.#open.add(opened);
  }

  /** When the first call was opened there that came behind another one, and not before a moment. */
  opensNext(call: Call, notBefore: Ns): Ns | undefined {
    let low = (this.#position.get(call) ?? this.#all.length) + 1;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#all[middle];
      if (other && opensAt(other.call) < notBefore) low = middle + 1;
      else high = middle;
    }
    const next = this.#all[low];
    return next && opensAt(next.call);
  }

  /** Every call that may have been open at a moment or later (and some that were not: ask for their times). */
  openSince(t: Ns): readonly Opened[] {
    const calls = [...this.#open];
    for (let i = this.#closed.length - 1; i >= 0; i--) {
      const closed = this.#closed[i];
      if (!closed || closed.by < t) break;
      calls.push(closed.opened);
    }
    return calls;
  }
}
