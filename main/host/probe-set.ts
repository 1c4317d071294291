// The probes of one server: started before the first call can be made, read again when a verdict asks for it, stopped
// with a last reading when the session is over. One that cannot watch its place says so and holds up nothing.
import type { ProbeStatus } from '../../app/contract/host';
import type { Probe, ProbeContext, ProbeSpec, StartProbe } from '../../app/evidence/probe';
import { plain } from './why';

export interface ProbeSet {
  readonly statuses: readonly ProbeStatus[];
  /** Starts a probe in the place of one of the same name. Resolves with what became of it. */
  set(spec: ProbeSpec, builtIn: boolean): Promise<ProbeStatus>;
  remove(name: string): Promise<void>;
  /** Reads those of these names once more, all when there are none. Resolves when all have been read. */
  read(names?: readonly string[]): Promise<void>;
  /** Resolves when every probe that was set has taken its baseline or failed. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

interface Entry {
  status: ProbeStatus;
  started: Promise<Probe | undefined>;
}

/** @param onChange called when the list or a state has changed */
export function probeSet(startProbe: StartProbe, context: ProbeContext, onChange: () => void): ProbeSet {
  const entries = new Map<string, Entry>();

  const begin = (spec: ProbeSpec, builtIn: boolean): Entry => {
    const say = (state: ProbeStatus['state'], why: string | undefined, variables?: ProbeStatus['variables']): void => {
      entry.status = { spec, state, why, builtIn, ...(variables ? { variables } : {}) };
      onChange();
    };
    const entry: Entry = {
      status: { spec, state: 'off', why: undefined, builtIn },
      started: startProbe(spec, context).then(
        (probe) => {
          say('watching', undefined, probe.variables);
          return probe;
        },
        (error: unknown) => {
          say('failed', plain(error));
          return undefined;
        },
      ),
    };
    return entry;
  };

  const end = async (name: string): Promise<void> => {
    const entry = entries.get(name);
    entries.delete(name);
    await (await entry?.started)?.stop();
  };

  return {
    get statuses() {
      return [...entries.values()].map((entry) => entry.status);
    },
    async set(spec, builtIn) {
      await end(spec.name);
      const entry = begin(spec, builtIn);
      entries.set(spec.name, entry);
      await entry.started;
      return entry.status;
    },
    async remove(name) {
      await end(name);
      onChange();
    },
    async read(names) {
      const wanted = [...entries].filter(([name]) => names === undefined || names.includes(name));
      await Promise.all(wanted.map(async ([, entry]) => (await entry.started)?.read()));
    },
    async ready() {
      await Promise.all([...entries.values()].map((entry) => entry.started));
    },
    async stop() {
      await Promise.all([...entries.keys()].map(end));
      onChange();
    },
  };
}
