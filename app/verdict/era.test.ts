// What a revision forbids after a cancel, and its excuse: the golden traces of `cancel-ignored-by-revision`.
import { describe, expect, test } from 'vitest';
import { after, Build } from '../trace/build.testing';
import { closingCancels, eraOf, MODERN } from '../wire/era';
import { judge } from './judge';

const TOOLS = [{ name: 'charge' }];
const stopped = (protocol: string): Build =>
  new Build().opened(TOOLS, 1, protocol).at(20).call(3, 'charge').at(310).stop(3).at(312).pong(3);

function findings(build: Build): readonly string[] {
  const court = judge(build.trace());
  court.advance(after(build.frames, 8000));
  return court.findings.map(({ finding }) => finding);
}

describe('cancel-ignored-by-revision', () => {
  test('yes: progress, or a result, long after the cancel had been read', () => {
    expect(findings(stopped(MODERN).at(700).progress(3))).toEqual(['cancel-ignored-by-revision']);
    expect(findings(stopped(MODERN).at(700).result(3))).toEqual(['cancel-ignored-by-revision']);
  });

  test('no: nothing came, or the revision only advises it', () => {
    expect(findings(stopped(MODERN))).toEqual([]);
    expect(findings(stopped('2025-11-25').at(700).result(3))).toEqual([]);
  });

  test('unknown: so soon that the two may have crossed', () => {
    expect(findings(stopped(MODERN).at(315).result(3))).toEqual([]);
    const unanswered = new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(310).stop(3).at(700).result(3);
    expect(findings(unanswered)).toEqual([]);
  });
});

describe('a request for input', () => {
  const asked = (build: Build) => build.s2c({ id: 3, result: { resultType: 'input_required', inputRequests: {} } });
  const verdictOf = (build: Build) => {
    const court = judge(build.trace());
    court.advance(after(build.frames, 8000));
    return court.verdict(court.calls.find(1, 'client', 'n:3')?.index ?? -1);
  };

  test('is no end of the work: the call has not completed', () => {
    const call = verdictOf(asked(new Build().opened(TOOLS, 1, MODERN).at(20).call(3, 'charge').at(310)));
    expect(call).toMatchObject({ verdict: 'failed', reply: { state: 'in-time' } });
    expect(call?.sentence).toMatch(/^The server asked for input after .* the tool has not done its work\. Nobody stopped it\.$/);
  });

  test('after the stop it is no result either, and nothing is claimed of a write', () => {
    expect(verdictOf(asked(stopped(MODERN).at(700)))).toMatchObject({ reply: { state: 'late-error' }, effect: { state: 'not-probed' } });
  });

  test('says nothing of how long the tool takes', () => {
    const build = asked(new Build().opened(TOOLS, 1, MODERN).at(20).call(2, 'charge').at(310))
      .at(320)
      .call(3, 'charge');
    expect(verdictOf(build)?.normally).toBeUndefined();
  });
});

describe('what a revision says', () => {
  test('closing a stream is the cancel in one revision, over one transport', () => {
    expect(closingCancels(MODERN, 'http')).toBe(true);
    expect(closingCancels(MODERN, 'stdio')).toBe(false);
    expect(closingCancels('2025-11-25', 'http')).toBe(false);
    expect(closingCancels(undefined, 'http')).toBe(false);
  });

  test('a revision that is not known has the rules of the last before it', () => {
    expect(eraOf('2025-12-01')).toBe(eraOf('2025-11-25'));
    expect(eraOf('2027-01-01')).toBe(eraOf(MODERN));
    expect(eraOf('2024-11-05').disconnect).toBe('unsaid');
  });
});
