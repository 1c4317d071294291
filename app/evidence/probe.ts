// What a probe is: something that watches one place in the world and says, on the trace's clock, what it saw and when it
// could not see. Implementations live in the host; this is the port and the list of kinds with their settings, so that
// the window, a scenario and the command line all speak of the same ones.
import { z } from 'zod';
import type { Clock } from '../base/time';
import type { Effect } from '../wire/frame';

const name = z.string().min(1).max(40);

/** Settings of each kind of probe. A folder, or one file in it, is watched for what appears, grows, changes or goes. */
export const probeSpec = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('folder'),
    name,
    /** Absolute path of a folder. */
    path: z.string().min(1),
    /** Glob of names below the folder, `**` included; everything when absent. */
    match: z.string().optional(),
    /** Others write there too: what is seen is then never more than inferred to be the call's. */
    shared: z.boolean().default(false),
  }),
]);
export type ProbeSpec = z.infer<typeof probeSpec>;
export type ProbeKind = ProbeSpec['kind'];

/** How each kind is called where a person chooses one, and what it can prove. Presence only; absence is never proved. */
export const PROBE_KINDS: Readonly<Record<ProbeKind, { readonly title: string; readonly watches: string }>> = {
  folder: { title: 'Folder', watches: 'files created, changed, appended to or removed in a folder' },
};

/** What a probe is given: the clock, and where its observations go. */
export interface ProbeContext {
  readonly clock: Clock;
  /** Takes an observation; it is stamped and appended to the trace at once. @returns its `seq` */
  readonly emit: (effect: Effect) => number;
}

/** A running probe. */
export interface Probe {
  readonly spec: ProbeSpec;
  /**
   * Reads the place once more, and says what it saw: every new observation first, then `clear` when there was none.
   * Readings asked for while one is under way share the next one, which begins after the request.
   */
  read(): Promise<void>;
  /** Reads a last time, says `ended`, and stops watching. */
  stop(): Promise<void>;
}

/**
 * Starts a probe: resolves once its baseline has been taken and `watching` emitted.
 * @throws Error in plain words when the place cannot be watched at all
 */
export type StartProbe = (spec: ProbeSpec, context: ProbeContext) => Promise<Probe>;
