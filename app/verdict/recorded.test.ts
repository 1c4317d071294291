// Traces of real exchanges, recorded from servers upon both versions of the SDK and cut nowhere (only places and ports are
// renamed): one Stop 300 ms into a call that would write at 900 ms, by the cancel's own POST and by dropping the connection.
// Every wire and every kind of server is a picture of its own, and these are its words.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { traceOf } from '../trace/build.testing';
import { decodeHeader, decodeLine, EXTENSION } from '../wire/tracefile';
import { judge } from './judge';

const folder = fileURLToPath(new URL('../../assets/golden/', import.meta.url));

const RECORDED = {
  // SDK 1.x with sessions: the POST stops the call and its stream is left open; a drop tells nobody.
  'http-sessions-cancel': { verdict: 'stopped', stop: 'sent', reply: 'none', effect: 'not-seen', finding: 'stream-never-ended' },
  'http-sessions-drop': { verdict: 'never-told', stop: 'not-sent', reply: 'none', effect: 'after' },
  'http-json-cancel': { verdict: 'stopped', stop: 'sent', reply: 'none', effect: 'not-seen', finding: 'stream-never-ended' },
  'http-json-drop': { verdict: 'never-told', stop: 'not-sent', reply: 'none', effect: 'after' },
  // SDK 1.x without: 202, and the call runs on, writes and answers.
  'http-stateless-cancel': { verdict: 'write-after-cancel', stop: 'sent', reply: 'late-result', effect: 'after' },
  // The handler of SDK 2.x: the opposite. The POST does nothing; a drop stops the work, though no revision asks for that.
  'http-sdk2-cancel': { verdict: 'write-after-cancel', stop: 'sent', reply: 'late-result', effect: 'after' },
  'http-sdk2-drop': { verdict: 'never-told', stop: 'not-sent', reply: 'none', effect: 'not-seen' },
  // The same server in 2026-07-28: the closed stream is the cancel, and what does not heed it is seen by the probe alone.
  'http-modern-cancel': { verdict: 'stopped', stop: 'stream-closed', reply: 'none', effect: 'not-seen' },
  'http-modern-ignored': { verdict: 'write-after-cancel', stop: 'stream-closed', reply: 'none', effect: 'after' },
  // On a pipe the notification stays, and what is sent after it is forbidden.
  'stdio-modern-progress': {
    verdict: 'write-after-cancel',
    stop: 'sent',
    reply: 'none',
    effect: 'after',
    finding: 'cancel-ignored-by-revision',
  },
  // It had asked for the client's folders first: the second round is stopped, and the call is one.
  'stdio-modern-rounds': { verdict: 'stopped', stop: 'sent', reply: 'none', effect: 'not-seen' },
  // HTTP+SSE of 2024-11-05: one stream for all answers; without it the session is over.
  'sse-cancel': { verdict: 'stopped', stop: 'sent', reply: 'none', effect: 'not-seen' },
  'sse-drop': { verdict: 'never-told', stop: 'not-sent', reply: 'lost', effect: 'not-seen' },
  // server-everything, whose long operation does not look at its signal.
  'http-everything-cancel': {
    verdict: 'still-working',
    stop: 'sent',
    reply: 'none',
    effect: 'none-expected',
    finding: 'stream-never-ended',
  },
} as const satisfies Record<string, { verdict: string; stop: string; reply: string; effect: string; finding?: string }>;

test('every recording is listed', () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(RECORDED)
      .map((name) => `${name}${EXTENSION}`)
      .sort(),
  );
});

describe.each(Object.entries(RECORDED))(
  '%s',
  (name, { finding = undefined, ...expected }: { finding?: string; [lane: string]: string | undefined }) => {
    const [header = '', ...lines] = readFileSync(`${folder}${name}${EXTENSION}`, 'utf8').trimEnd().split('\n');
    const frames = lines.map((line) => decodeLine(line));

    test('is what its recording says', () => {
      expect(decodeHeader(header).format).toBe('stopgap-trace');
      const court = judge(traceOf(frames));
      const end = frames.at(-1)?.t;
      if (end === undefined) throw new Error('expected a recording with frames');
      court.advance(end);
      const call = court.calls.all.find(({ method }) => method === 'tools/call');
      const verdict = call && court.verdict(call.index);
      expect({ verdict: verdict?.verdict, stop: verdict?.stop.state, reply: verdict?.reply.state, effect: verdict?.effect.state }).toEqual(
        expected,
      );
      expect(verdict?.sentence).toMatchSnapshot();
      if (finding !== undefined) expect(court.findings.map((one) => one.finding)).toContain(finding);
    });
  },
);
