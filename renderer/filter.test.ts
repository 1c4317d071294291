import { expect, test } from 'vitest';
import { calls } from '../app/trace/calls';
import { FakeHost, fakeVerdict } from './fakeHost.testing';
import { isFiltering, showsCall, showsFinding, showsFrame, signOf } from './filter';

test('calls are found by tool, id, verdict and sentence, all words, any case; severities narrow further', () => {
  const host = new FakeHost();
  host.call(1, 12, 'charge_card');
  const fold = calls(host.trace);
  fold.take();
  const [call] = fold.all;
  if (!call) throw new Error('no call');
  const verdict = fakeVerdict(0, {
    verdict: 'write-after-cancel',
    severity: 'breach',
    sentence: 'The write landed 87 ms after your cancel.',
  });
  const shows = (text: string, signs: Parameters<typeof showsCall>[0]['signs'] = []): boolean => showsCall({ text, signs }, call, verdict);
  expect([
    shows(''),
    shows('CHARGE'),
    shows('#12'),
    shows('landed write-after'),
    shows('charge refund'),
    shows('', ['breach']),
    shows('', ['warn']),
  ]).toEqual([true, true, true, true, false, true, false]);
  expect(showsFrame({ text: 'tools/call', signs: [] }, host.trace, 1, call, verdict)).toBe(true);
  expect(showsFrame({ text: 'euro', signs: [] }, host.trace, 1, call, verdict, true)).toBe(true);
  expect(showsFrame({ text: 'tools/call', signs: [] }, host.trace, 1, call, verdict, false)).toBe(false);
  expect(showsFrame({ text: 'euro', signs: ['warn'] }, host.trace, 1, call, verdict, true)).toBe(false);
  host.close();
});

test('findings are found by name and sentence', () => {
  const finding = {
    finding: 'noise-on-stdout',
    severity: 'note',
    seq: 4,
    call: undefined,
    sentence: 'A line on stdout is no message.',
    count: 1,
  } as const;
  expect([showsFinding({ text: 'stdout', signs: [] }, finding), showsFinding({ text: '', signs: ['breach'] }, finding)]).toEqual([
    true,
    false,
  ]);
});

test('ok and plain news share a sign', () => {
  expect((['ok', 'info', 'note', 'warn', 'breach'] as const).map(signOf)).toEqual(['quiet', 'quiet', 'note', 'warn', 'breach']);
  expect([
    isFiltering({ text: ' ', signs: [] }),
    isFiltering({ text: 'x', signs: [] }),
    isFiltering({ text: '', signs: ['note'] }),
  ]).toEqual([false, true, true]);
});
