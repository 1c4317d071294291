// The list of probes: one line for each kind.
import type { Probe, ProbeContext, ProbeKind, ProbeSpec, SpecOf, StartProbe } from '../../app/evidence/probe';
import { checkCommand, startCommandProbe } from './command';
import { checkFolder, startFolderProbe } from './folder';
import { checkHttp, startHttpProbe } from './http';
import { checkOtel, startOtelProbe } from './otel';
import { checkProcess, startProcessProbe } from './process';
import { checkRead, startReadProbe } from './read';
import { checkSql, startSqlProbe } from './sql';

interface Kind<K extends ProbeKind> {
  readonly start: (spec: SpecOf<K>, context: ProbeContext) => Promise<Probe>;
  readonly check: (spec: SpecOf<K>) => Promise<string | undefined>;
}

const KINDS: { readonly [K in ProbeKind]: Kind<K> } = {
  folder: { start: startFolderProbe, check: checkFolder },
  http: { start: startHttpProbe, check: checkHttp },
  sql: { start: startSqlProbe, check: checkSql },
  read: { start: startReadProbe, check: checkRead },
  command: { start: startCommandProbe, check: checkCommand },
  process: { start: startProcessProbe, check: checkProcess },
  otel: { start: startOtelProbe, check: checkOtel },
};

/** A kind with the type of its own settings; the table above ties the two together. */
const kindOf = (spec: ProbeSpec): Kind<ProbeKind> => KINDS[spec.kind] as unknown as Kind<ProbeKind>;

/** Starts a probe of any kind. */
export const startProbe: StartProbe = (spec, context) => kindOf(spec).start(spec, context);

/**
 * Says quickly whether a place can be watched, without watching it.
 * @returns undefined when it can, else why not and what to try
 */
export const checkProbe = (spec: ProbeSpec): Promise<string | undefined> => kindOf(spec).check(spec);
