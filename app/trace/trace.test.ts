// Columns give back what was put in, and a trace sent in batches is the same trace.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAULT_GOLDEN } from '../verdict/golden.faults.testing';
import { HTTP_GOLDEN } from '../verdict/golden.http.testing';
import { GOLDEN } from '../verdict/golden.testing';
import { append, Build, traceOf } from './build.testing';
import { calls } from './calls';
import { Trace } from './trace';

const rows = (trace: Trace) => Array.from({ length: trace.length }, (_, seq) => trace.facts(seq));

test('a trace sent in batches of any size is the same trace, and folds to the same calls', () => {
  const frames = [...GOLDEN, ...HTTP_GOLDEN, ...FAULT_GOLDEN].flatMap((g) => g.frames);
  const whole = traceOf(frames);
  const folded = calls(whole);
  folded.take();
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (sizes) => {
      const copy = new Trace();
      const there = calls(copy);
      for (let at = 0, i = 0; at < whole.length; i++) {
        const end = Math.min(whole.length, at + (sizes[i % sizes.length] ?? 1));
        copy.append(structuredClone(whole.batch(at, end, copy.names.length)));
        there.take();
        at = end;
      }
      expect(rows(copy)).toEqual(rows(whole));
      expect(there.all).toEqual(folded.all);
    }),
    { numRuns: 20 },
  );
});

test('a batch that does not continue the trace is refused', () => {
  const whole = new Build().opened().trace();
  const copy = new Trace();
  expect(() => copy.append(whole.batch(1, 3, 0))).toThrow('expected the batch to begin at frame 0, it begins at 1');
  expect(() => copy.append(whole.batch(0, 3, 2))).toThrow('expected names from 0');
});

test('a frame’s facts cost no more than 20 bytes in columns', () => {
  const b = new Build().opened();
  const trace = new Trace();
  for (let i = 0; i < 4096; i++) append(trace, b.frames[i % b.frames.length] as (typeof b.frames)[number]);
  expect(trace.bytes / trace.length).toBeLessThanOrEqual(20);
});

test('every frame knows its call: request, acts, cancel, progress, reply', () => {
  const b = new Build().opened().at(10).call('a', 'charge').progress('a').at(20).stop('a').at(21).pong('a').at(30).result('a');
  const folded = calls(b.trace());
  folded.take();
  const owners = b.frames.slice(9).map((frame) => folded.ofFrame(frame.seq)?.key);
  expect(owners).toEqual([undefined, 's:a', 's:a', 's:a', 's:a', 's:a', 's:fence-a', 's:fence-a', 's:a']);
});
