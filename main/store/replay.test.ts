import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Ns } from '../../app/base/time';
import { decodeLine, encodeFrame, encodeHeader } from '../../app/wire/tracefile';
import { createRecorder, type Recorder } from './recorder';
import { openTrace, readTrace } from './replay';
import { BEGAN, BY, message, ping, STILL, tempFolder } from './store.testing';

const HEADER = encodeHeader(BEGAN, BY);
const line = (seq: number, raw = ping(seq)): string =>
  encodeFrame({ seq, t: (seq * 10) as Ns, wall: BEGAN, session: 1, dir: 's2c', kind: 'message', raw });

function fileOf(text: string): string {
  const file = path.join(tempFolder(), 'a.stopgap.ndjson');
  writeFileSync(file, text);
  return file;
}

const refusal = async (text: string): Promise<string> => {
  const file = fileOf(text);
  const error = await openTrace(file).then(
    () => new Error('opened'),
    (reason: Error) => reason,
  );
  return error.message.replaceAll(file, 'FILE');
};

async function recording(): Promise<Recorder> {
  const recorder = createRecorder({ folder: tempFolder(), clock: STILL, began: BEGAN, by: BY });
  message(recorder, ping(1), 5);
  message(recorder, '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"é 🙂"}]}}', 7);
  message(recorder, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"5","reason":"no"}}', 9);
  recorder.frame({ session: 1, dir: 's2c', t: 9 as Ns, body: { kind: 'noise', why: 'not-utf-8', raw: { base64: '/w==' } } });
  recorder.frame({ session: 1, dir: 's2c', t: 9 as Ns, body: { kind: 'stderr', raw: { text: 'no\n' } } });
  recorder.frame({
    session: 1,
    dir: '-',
    t: 11 as Ns,
    body: { kind: 'act', act: { act: 'stop', id: 1, how: { means: 'cancel' }, wrote: true, late: false } },
  });
  recorder.frame({ session: 1, dir: '-', t: 12 as Ns, body: { kind: 'life', life: { event: 'exited', code: 7, asked: 'nobody' } } });
  await recorder.flush();
  return recorder;
}

describe('a trace file', () => {
  it('opens with the same rows and bodies that were recorded', async () => {
    const recorder = await recording();
    const opened = await openTrace(recorder.path);
    expect(opened).toMatchObject({ path: recorder.path, header: { began: BEGAN, by: BY, version: 1 }, repaired: undefined, end: 12 });
    const seqs = Array.from({ length: recorder.trace.length }, (_, seq) => seq);
    expect(seqs.map((seq) => opened.trace.facts(seq))).toEqual(seqs.map((seq) => recorder.trace.facts(seq)));
    expect(await opened.bodies([...seqs, 99])).toEqual(await recorder.bodies(seqs));
    await Promise.all([recorder.close(), opened.close()]);
  });

  it('opens cut off at any byte behind its header, without the torn line and without being changed', async () => {
    const recorder = await recording();
    await recorder.close();
    const whole = readFileSync(recorder.path);
    const ends = [...whole.entries()].flatMap(([index, byte]) => (byte === 10 ? [index] : []));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: HEADER.length, max: whole.length }), async (cut) => {
        const file = fileOf('');
        writeFileSync(file, whole.subarray(0, cut));
        const opened = await openTrace(file);
        // A line that lacks its line feed only is whole.
        expect(opened.trace.length).toBe(Math.max(0, ends.filter((end) => end <= cut).length - 1));
        expect(opened.repaired === undefined).toBe(cut === HEADER.length || ends.includes(cut) || ends.includes(cut - 1));
        expect(statSync(file).size).toBe(cut);
        await opened.close();
      }),
    );
  });

  it('says what was left out', async () => {
    const file = fileOf(`${HEADER}\n${line(0)}\n${line(1)}`);
    truncateSync(file, statSync(file).size - 3);
    const opened = await openTrace(file);
    expect(opened.repaired).toBe(
      `The last line (line 3, ${Buffer.byteLength(line(1)) - 3} bytes) is not whole and was left out: the recording was cut off while it was being written. Everything before it is here.`,
    );
    await opened.close();
  });

  it('opens when a crash of the machine has left zeros at its end', async () => {
    const opened = await openTrace(fileOf(`${HEADER}\n${line(0)}\n${'\0'.repeat(5000)}`));
    expect([opened.trace.length, opened.repaired]).toEqual([1, expect.stringContaining('line 3, 5000 bytes')]);
    await opened.close();
  });

  it('is read in pieces, whatever their borders and the length of lines', async () => {
    const texts = [ping('a'), ping('é'.repeat(300_000)), ping('b'), ping('x'.repeat(700_000)), ping('🙂'.repeat(70_000))];
    const file = fileOf(`${[HEADER, ...texts.map((text, seq) => line(seq, text))].join('\n')}\n`);
    const seen: number[] = [];
    const opened = await openTrace(file, { progress: (read) => seen.push(read) });
    expect(await opened.bodies([4, 3, 2, 1, 0])).toEqual([4, 3, 2, 1, 0].map((seq) => ({ seq, wall: BEGAN, raw: { text: texts[seq] } })));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(statSync(file).size);
    await opened.close();
  });

  it('no longer serves a body that was written over', async () => {
    const file = fileOf(`${HEADER}\n${line(0)}\n${line(1)}\n`);
    const opened = await openTrace(file);
    writeFileSync(file, `${HEADER}\n${line(1)}\n`);
    expect(await opened.bodies([0, 1])).toEqual([0, 1].map((seq) => ({ seq, wall: '', raw: undefined })));
    await opened.close();
  });

  it('is what its documentation shows', async () => {
    const shown = /^```\n([\s\S]*?)^```$/m.exec(readFileSync(new URL('../../docs/tracefile.md', import.meta.url), 'utf8'))?.[1] ?? '';
    const opened = await openTrace(fileOf(shown));
    const lines = shown.trimEnd().split('\n').slice(1);
    expect(lines.map((text) => encodeFrame(decodeLine(text)))).toEqual(lines);
    expect([opened.trace.length, opened.repaired]).toEqual([7, undefined]);
    await opened.close();
  });

  it('shows its first frames before it has been read, and says then what was left out', async () => {
    const file = fileOf(`${HEADER}\n`);
    for (let seq = 0; seq < 20; seq++) appendFileSync(file, `${line(seq, ping('x'.repeat(100_000)))}\n`);
    appendFileSync(file, '{"seq":20');
    const reading = await readTrace(file);
    const { length } = reading.trace;
    expect([length > 0, length < 20, reading.read < reading.size, reading.repaired]).toEqual([true, true, true, undefined]);
    expect(reading.end).toBe((length - 1) * 10);
    expect(await reading.bodies([0])).toEqual([{ seq: 0, wall: BEGAN, raw: { text: ping('x'.repeat(100_000)) } }]);
    await reading.whole;
    expect([reading.trace.length, reading.read, reading.end]).toEqual([20, statSync(file).size, 190]);
    expect(reading.repaired).toContain('line 22, 9 bytes');
    await reading.close();
  });

  it('keeps what it has read when it is broken further on', async () => {
    const file = fileOf(`${HEADER}\n`);
    for (let seq = 0; seq < 20; seq++) appendFileSync(file, `${line(seq, ping('x'.repeat(100_000)))}\n`);
    appendFileSync(file, `{"seq":20\n${line(21)}\n`);
    const reading = await readTrace(file);
    await expect(reading.whole).rejects.toThrow(`Line 22 of ${file} is broken`);
    expect([reading.trace.length, reading.repaired]).toEqual([20, undefined]);
    await reading.close();
  });

  it('has the same rows whether its lines are spelled as they are written here, or only mean the same', async () => {
    const raws = [
      ping(1),
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":2}}',
      '5',
      ping('é'),
    ];
    const lines = raws.map((raw, seq) => line(seq, raw));
    const exchanged = encodeFrame({ seq: 4, t: 40 as Ns, wall: BEGAN, session: 2, dir: 'c2s', kind: 'message', raw: ping(2), exchange: 7 });
    const spelled = await openTrace(fileOf([HEADER, ...lines, exchanged].join('\n')));
    const other = [...lines, exchanged].map((text) => text.replace('{"seq":', '{ "seq":'));
    const meant = await openTrace(fileOf([HEADER, ...other].join('\n')));
    const rows = (opened: typeof spelled): unknown => Array.from({ length: 5 }, (_, seq) => opened.trace.facts(seq));
    expect(rows(spelled)).toEqual(rows(meant));
    expect(spelled.trace.facts(4)).toMatchObject({ session: 2, dir: 'c2s', exchange: 7, size: ping(2).length, name: 'ping' });
    expect(await spelled.bodies([3, 4])).toEqual([
      { seq: 3, wall: BEGAN, raw: { text: ping('é') } },
      { seq: 4, wall: BEGAN, raw: { text: ping(2) } },
    ]);
    await Promise.all([spelled.close(), meant.close()]);
  });

  it('may be left before its end', async () => {
    const reason = new Error('another file was chosen');
    const controller = new AbortController();
    const file = fileOf(`${HEADER}\n`);
    for (let seq = 0; seq < 20; seq++) appendFileSync(file, `${line(seq, ping('x'.repeat(100_000)))}\n`);
    const opening = openTrace(file, { signal: controller.signal, progress: () => controller.abort(reason) });
    await expect(opening).rejects.toBe(reason);
  });
});

describe('a file that is no trace, or no longer one', () => {
  it.each([
    ['', 'FILE is empty: expected a trace file, which begins with a header line'],
    ['hello\n', 'FILE cannot be opened: expected the first line to be {"format":"stopgap-trace",…}, saw "hello"'],
    [
      `${HEADER.replace('"version":1', '"version":9')}\n${line(0)}\n`,
      'FILE cannot be opened: expected a trace file of version 1 or older, saw version 9: a newer Stopgap wrote it; open it with that one',
    ],
    [`${HEADER}\n${line(0)}\n{"seq":1\n${line(2)}\n`, 'Line 3 of FILE is broken: expected a frame as one line of JSON, saw "{\\"seq\\":1"'],
    [
      `${HEADER}\n${line(0)}\n${line(2)}\n${line(3)}\n`,
      'Line 3 of FILE is broken: expected the frame with "seq" 1, saw 2: a line is missing or stands twice',
    ],
  ])('%j', async (text, message) => expect(await refusal(text)).toBe(message));

  it('is not there', async () => {
    const file = path.join(tempFolder(), 'none');
    await expect(openTrace(file)).rejects.toThrow(`The trace file ${file} could not be opened: it is not there.`);
  });

  it('is a folder', async () => {
    await expect(openTrace(tempFolder())).rejects.toThrow('it is a folder, not a file');
  });
});
