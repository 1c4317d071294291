// The sql probe.
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';

export const startSqlProbe = (_spec: SpecOf<'sql'>, _context: ProbeContext): Promise<Probe> => Promise.reject(new Error('not built yet'));
export const checkSql = (_spec: SpecOf<'sql'>): Promise<string | undefined> => Promise.resolve('not built yet');
