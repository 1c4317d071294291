// The otel probe.
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';

export const startOtelProbe = (_spec: SpecOf<'otel'>, _context: ProbeContext): Promise<Probe> => Promise.reject(new Error('not built yet'));
export const checkOtel = (_spec: SpecOf<'otel'>): Promise<string | undefined> => Promise.resolve('not built yet');
