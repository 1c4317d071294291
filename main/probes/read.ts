// The read probe.
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';

export const startReadProbe = (_spec: SpecOf<'read'>, _context: ProbeContext): Promise<Probe> => Promise.reject(new Error('not built yet'));
export const checkRead = (_spec: SpecOf<'read'>): Promise<string | undefined> => Promise.resolve('not built yet');
