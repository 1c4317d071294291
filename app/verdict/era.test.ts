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
