import { expect, it } from 'vitest';
import { startClock } from '../host/clock';
import { createTraceContexts } from './traces';

it('gives every call a trace of its own, and knows whose it is', () => {
  const clock = startClock();
  const traces = createTraceContexts(clock);
  const before = clock.now();
  const given = [traces.forCall(0), traces.forCall('0'), traces.forCall(0)];
  const ids = given.map((traceparent) => /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(traceparent)?.[1] ?? '');
  expect(new Set(ids).size).toBe(3);
  expect(ids.map((id) => traces.callOf(id)?.id)).toEqual([0, '0', 0]);
  const call = traces.callOf(ids[0] ?? '');
  expect(call?.since).toBeGreaterThanOrEqual(before);
  expect(call?.since).toBeLessThanOrEqual(clock.now());
  expect(call?.wall.max).toBeGreaterThanOrEqual(call?.wall.min ?? Number.NaN);
  expect(traces.callOf('f'.repeat(32))).toBe(undefined);
});
