import { expect, it } from 'vitest';
import { Build } from '../app/trace/build.testing';
import { judge } from '../app/verdict/judge';
import { sharing } from './share';

it('says exactly the same, and keeps what is equal once', () => {
  const build = new Build().opened([{ name: 'charge' }]).watching('ledger');
  for (let id = 3; id < 30; id++) build.at(id * 100).call(id, 'charge', { settle: 20 });
  for (let id = 3; id < 30; id++) {
    build.at(3000 + id * 10);
    if (id % 3 === 0)
      build
        .stop(id)
        .at(3005 + id * 10)
        .pong(id);
    if (id % 4 !== 0) build.result(id);
  }
  const court = judge(build.trace());
  court.advance(4e9 as never);
  const share = sharing();
  const given = court.calls.all.flatMap((call) => court.verdict(call.index) ?? []);
  const kept = given.map((verdict) => share(structuredClone(verdict)));
  expect(kept).toEqual(given);
  const done = kept.filter((verdict) => verdict.verdict === 'completed');
  expect(done.length).toBeGreaterThan(5);
  expect(new Set(done.map((verdict) => verdict.stop.flags)).size).toBe(1);
  expect(new Set(done.map((verdict) => verdict.fence)).size).toBe(1);
});
