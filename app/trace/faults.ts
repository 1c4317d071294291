// What faults of ours have done to the messages of a call. The frames of messages say what the server sent and what was
// written to it, and when; what is here says how the client's side of it differs, so that nothing of it is laid to the server.
import { FOREVER, type Ns } from '../base/time';
import type { Fault, PassingKind, ReleasedBy, Seq } from '../wire/frame';
import type { Call, Reply, Stamp } from './calls';

/** A message that a fault of ours has named. */
export interface Faulted extends Stamp {
  readonly fault: Fault;
  /** The rule, as a person knows it. */
  readonly rule: string;
  readonly item: number;
  readonly dir: 'c2s' | 's2c';
  readonly what: PassingKind;
  readonly method: string;
  /** Typed key of the request that it is, answers or cancels. */
  readonly key: string | undefined;
  /** Towards the client: the frame of the message. */
  readonly frame: Seq | undefined;
  /** When it passed at last; undefined while it is kept, and for what never passes. */
  readonly released: (Stamp & { readonly by: ReleasedBy }) | undefined;
}

/** Whether a fault keeps messages back, for a time. */
export const keeps = ({ fault }: Faulted): boolean => fault === 'delay' || fault === 'hold' || fault === 'reorder';

/** The fault that has kept a reply from the client, for a time or for good. */
export const keptBack = (call: Call, reply: Stamp): Faulted | undefined =>
  call.faults.length === 0 ? undefined : call.faults.find(({ frame, fault }) => frame === reply.seq && fault !== 'duplicate');

/** When the client got a reply: when it came, or when a fault of ours let it pass; FOREVER while it has not, and where it never does. */
export function toldAt(call: Call, reply: Reply): Ns {
  const kept = keptBack(call, reply);
  return kept ? (kept.released?.t ?? FOREVER) : reply.t;
}

/** How often a call's request went out beyond the first time, because a fault of ours doubled it. */
export const copiesOf = (call: Call, what: PassingKind): number =>
  call.faults.filter((one) => one.fault === 'duplicate' && one.what === what && one.dir === 'c2s').length;

/** The fault that has kept a call's request from the wire. */
export const requestKept = (call: Call): Faulted | undefined =>
  call.faults.find((one) => one.what === 'request' && one.fault !== 'duplicate' && one.fault !== 'cut');

/** When a call's request was written; when it was sent, where a fault keeps it from the wire. */
export const writtenAt = ({ written, sent }: Call): Ns => (written ?? sent).t;

/**
 * The text of a request, from the body of its first frame: that of its message, or of the fault that keeps it from the wire.
 * @returns undefined where a fault's frame does not have it
 */
export function requestText(body: string): string | undefined {
  const value = JSON.parse(body) as { readonly act?: unknown; readonly raw?: unknown };
  if (value.act !== 'fault') return body;
  return typeof value.raw === 'string' ? value.raw : undefined;
}
