// Faults as they cross between the window and the host: what is on, and what is held.
import type { Ns } from '../base/time';
import type { FaultRule } from '../scenario/faults';
import type { Fault, PassingKind } from '../wire/frame';

/** A message that a fault keeps at the moment. */
export interface HeldMessage {
  readonly item: number;
  /** The rule, as a person knows it. */
  readonly rule: string;
  readonly fault: Fault;
  readonly dir: 'c2s' | 's2c';
  readonly what: PassingKind;
  /** Of the message; of a reply and of a cancel the method of its request. */
  readonly method: string;
  readonly tool?: string;
  /** The request that it is or is about: `#7`. */
  readonly id?: string;
  /** On the trace's clock. */
  readonly since: Ns;
}

export interface FaultStatus {
  readonly rules: readonly FaultRule[];
  /** The oldest of those that are held: a flood may be. */
  readonly held: readonly HeldMessage[];
  readonly heldCount: number;
}

export const NO_FAULTS: FaultStatus = { rules: [], held: [], heldCount: 0 };
