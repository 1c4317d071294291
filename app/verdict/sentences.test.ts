// Sentences where a word too much would be a lie.
import { expect, test } from 'vitest';
import { fromMs } from '../base/time';
import { Build, traceOf } from '../trace/build.testing';
import { judge } from './judge';
import type { Verdict } from './verdict';

const probed = { probes: ['ledger'] };
const start = (): Build =>
  new Build()
    .opened([{ name: 'charge' }, { name: 'look', annotations: { readOnlyHint: true } }])
    .at(5)
    .watching('ledger')
    .at(10);

function verdictOn(build: Build, untilMs = 8000): Verdict {
  const court = judge(traceOf(build.frames));
  court.advance(fromMs(untilMs));
  const verdict = court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1);
  if (!verdict) throw new Error('expected a verdict on request 3');
  return verdict;
}

test('a reply that came before the client gave up is what the caller saw, and no cancel is spoken of', () => {
  const verdict = verdictOn(start().call(3, 'charge').at(200).result(3).at(310).stopAct(3, { means: 'abandon' }, false));
  expect(verdict.sentence).toBe('The call had been answered before your stop.');
  expect(verdict.callerSaw).toBe('The result, as it came.');
});

test('a tool that is declared read-only is not said to be harmless once it was seen to write', () => {
  const looked = start().call(3, 'look', probed).at(310).stop(3).at(312).pong(3);
  expect(verdictOn(looked).ifRetried).toBe('The tool is declared read-only, so a retry should do no harm. That is a hint, not a proof.');
  const wrote = start().call(3, 'look', probed).at(310).stop(3).at(312).pong(3).seen('ledger', 387, 397);
  expect(verdictOn(wrote).ifRetried).toBe('The tool is declared read-only, but an effect was seen: a retry may do it again.');
  expect(verdictOn(wrote.reverted('ledger', 500, 510)).ifRetried).toContain('an effect was seen');
});

test('who took an effect back is not known: the server, or somebody’s undo', () => {
  const verdict = verdictOn(
    start().call(3, 'charge', probed).at(310).stop(3).at(312).pong(3).seen('ledger', 387, 397).reverted('ledger', 500, 510),
  );
  expect(verdict.sentence).toBe('What was seen was taken back: 1 line appended (probe ledger), then undone.');
});

test('while the window runs, only what is watched is said to be watched', () => {
  expect(verdictOn(start().call(3, 'charge').at(310).stop(3), 1000).sentence).toBe('The stop was a moment ago: waiting for what comes.');
  expect(verdictOn(start().call(3, 'charge', probed).at(310).stop(3), 1000).sentence).toBe(
    'The stop was a moment ago: watching what happens in ledger.',
  );
});

test('after a timeout the caller is told of that, whatever reason went out with the cancel', () => {
  const timedOut = start()
    .call(3, 'charge')
    .at(310)
    .stopAct(3, { means: 'timeout', silent: false }, true)
    .cancelled(3, 'McpError: MCP error -32001: Request timed out');
  expect(verdictOn(timedOut).callerSaw).toBe('Error -32001, “Request timed out”: the same as a failure.');
  expect(verdictOn(timedOut.at(400).result(3)).callerSaw).toBe(
    'Error -32001, “Request timed out”: the same as a failure. The reply that came later was dropped.',
  );
});
