// The list of probes: one line for each kind. A kind's code, drivers and decoders with it, is loaded when the first probe
// of that kind is wanted: most sessions want none of them, and every start would pay for all.
import type { Probe, ProbeContext, ProbeKind, ProbeSpec, SpecOf, StartProbe } from '../../app/evidence/probe';

interface Kind<K extends ProbeKind> {
  readonly start: (spec: SpecOf<K>, context: ProbeContext) => Promise<Probe>;
  readonly check: (spec: SpecOf<K>) => Promise<string | undefined>;
}

const KINDS: { readonly [K in ProbeKind]: () => Promise<Kind<K>> } = {
  folder: () => import('./folder').then((m) => ({ start: m.startFolderProbe, check: m.checkFolder })),
  http: () => import('./http').then((m) => ({ start: m.startHttpProbe, check: m.checkHttp })),
  sql: () => import('./sql').then((m) => ({ start: m.startSqlProbe, check: m.checkSql })),
  read: () => import('./read').then((m) => ({ start: m.startReadProbe, check: m.checkRead })),
  command: () => import('./command').then((m) => ({ start: m.startCommandProbe, check: m.checkCommand })),
  process: () => import('./process').then((m) => ({ start: m.startProcessProbe, check: m.checkProcess })),
  otel: () => import('./otel').then((m) => ({ start: m.startOtelProbe, check: m.checkOtel })),
};

/** A kind with the type of its own settings; the table above ties the two together. */
const kindOf = (spec: ProbeSpec): Promise<Kind<ProbeKind>> => (KINDS[spec.kind] as unknown as () => Promise<Kind<ProbeKind>>)();

/** Starts a probe of any kind. */
export const startProbe: StartProbe = async (spec, context) => (await kindOf(spec)).start(spec, context);

/**
 * Says quickly whether a place can be watched, without watching it.
 * @returns undefined when it can, else why not and what to try
 */
export const checkProbe = async (spec: ProbeSpec): Promise<string | undefined> => (await kindOf(spec)).check(spec);
