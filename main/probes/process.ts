// The process probe.
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';

export const startProcessProbe = (_spec: SpecOf<'process'>, _context: ProbeContext): Promise<Probe> =>
  Promise.reject(new Error('not built yet'));
export const checkProcess = (_spec: SpecOf<'process'>): Promise<string | undefined> => Promise.resolve('not built yet');
