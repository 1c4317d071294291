// Which trace belongs to which call. The id of a trace is random and goes out with one call only, so a span that names it
// was made for that call, by whomever, and not before the id was.
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../app/base/time';
import type { TraceContexts, TracedCall } from '../../app/evidence/probe';
import { wallOffset } from './folder/narrow';

/** W3C Trace Context, level 1, section 3.2: version 00, the trace, the parent's span, flags: sampled. */
const traceparent = (trace: string, span: string): string => `00-${trace}-${span}-01`;

/** Trace contexts for the calls of one session. */
export function createTraceContexts(clock: Clock): TraceContexts {
  const calls = new Map<string, TracedCall>();
  return {
    forCall(id) {
      const trace = randomBytes(16).toString('hex');
      calls.set(trace, { id, since: clock.now(), wall: wallOffset(clock) });
      return traceparent(trace, randomBytes(8).toString('hex'));
    },
    callOf: (traceId) => calls.get(traceId),
  };
}
