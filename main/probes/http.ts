// The http probe.
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';

export const startHttpProbe = (_spec: SpecOf<'http'>, _context: ProbeContext): Promise<Probe> => Promise.reject(new Error('not built yet'));
export const checkHttp = (_spec: SpecOf<'http'>): Promise<string | undefined> => Promise.resolve('not built yet');
