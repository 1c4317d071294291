// The command probe.
import type { Probe, ProbeContext, SpecOf } from '../../app/evidence/probe';

export const startCommandProbe = (_spec: SpecOf<'command'>, _context: ProbeContext): Promise<Probe> =>
  Promise.reject(new Error('not built yet'));
export const checkCommand = (_spec: SpecOf<'command'>): Promise<string | undefined> => Promise.resolve('not built yet');
