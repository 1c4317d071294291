import fs, { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Ns } from '../../app/base/time';
import { decodeHeader, decodeLine } from '../../app/wire/tracefile';
import { createRecorder, type Recorder, type RecorderOptions } from './recorder';
import { BEGAN, BY, failure, message, moodyDisk, ping, STILL, tempFolder } from './store.testing';
import type { Trouble } from './writer';

/** However slow the machine. */
const SOON = { timeout: 25_000, interval: 10 };
vi.setConfig({ testTimeout: 30_000 });

const record = (options: Partial<RecorderOptions> = {}): Recorder =>
  createRecorder({ folder: tempFolder(), clock: STILL, began: BEGAN, by: BY, ...options });

const troublesOf = (recorder: Recorder): Trouble[] => {
  const troubles: Trouble[] = [];
  recorder.onTrouble((trouble) => troubles.push(trouble));
  return troubles;
};

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
const raws = async (recorder: Recorder, seqs: readonly number[]): Promise<unknown> =>
  (await recorder.bodies(seqs)).map(({ raw }) => (raw && 'text' in raw ? raw.text : raw));

describe('a recording', () => {
  it('writes a header and one line per frame, in order, and knows what it has written', async () => {
    const recorder = record();
    expect(message(recorder, ping(0))).toBe(0);
    expect(recorder.frame({ session: 1, dir: 's2c', t: 2 as Ns, body: { kind: 'stderr', raw: { text: 'é' } } })).toBe(1);
    expect(recorder.frame({ session: 1, dir: '-', t: 3 as Ns, body: { kind: 'act', act: { act: 'idle', ping: 0 } } })).toBe(2);
    await recorder.close();
    const [first = '', ...lines] = linesOf(recorder.path);
    expect(decodeHeader(first)).toEqual({ format: 'stopgap-trace', version: 1, began: BEGAN, by: BY });
    expect(lines.map((line) => decodeLine(line))).toEqual([
      { seq: 0, t: 1000, wall: BEGAN, session: 1, dir: 's2c', kind: 'message', raw: ping(0) },
      { seq: 1, t: 2, wall: BEGAN, session: 1, dir: 's2c', kind: 'stderr', raw: { text: 'é' } },
      { seq: 2, t: 3, wall: BEGAN, session: 1, dir: '-', kind: 'act', act: { act: 'idle', ping: 0 } },
    ]);
    expect(recorder.bytes).toBe(statSync(recorder.path).size);
    expect(recorder.trace.facts(0)).toMatchObject({ kind: 'message', shape: 'request', name: 'ping', key: 'n:0', size: 40 });
    expect(recorder.trace.facts(1)).toMatchObject({ kind: 'stderr', size: 2 });
  });

  it('is private, and never takes a file that is there', async () => {
    const folder = path.join(tempFolder(), 'traces');
    const one = record({ folder });
    const two = record({ folder });
    await Promise.all([one.close(), two.close()]);
    expect(path.basename(two.path)).toBe(path.basename(one.path).replace('.stopgap', ' 2.stopgap'));
    expect(path.basename(one.path)).toMatch(/^\d{4}-\d\d-\d\d \d\d-\d\d-\d\d\.stopgap\.ndjson$/);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(one.path).mode & 0o777).toBe(0o600);
  });

  it('serves bodies from memory and from the disk, in the order asked for', async () => {
    const recorder = record();
    const texts = [ping('"raw":'), ping('é🙂'), '{"jsonrpc":"2.0",\r"id":1,\n"result":{}}', ping('last')];
    for (const text of texts) message(recorder, text);
    expect(await raws(recorder, [3, 1, 2, 0, 3])).toEqual([texts[3], texts[1], texts[2], texts[0], texts[3]]);
    await recorder.flush();
    expect(recorder.backlog).toBe(0);
    message(recorder, ping('new'));
    expect(await raws(recorder, [4, 3, 1, 2, 0])).toEqual([ping('new'), texts[3], texts[1], texts[2], texts[0]]);
    expect(await recorder.bodies([0, 5, -1])).toEqual([{ seq: 0, wall: BEGAN, raw: { text: texts[0] } }]);
    await recorder.close();
  });

  it('gives every body back, whatever its length and whenever it is asked for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(200_000), fc.boolean(), fc.constantFrom('x', 'é', '🙂')), { maxLength: 30 }),
        async (plan) => {
          const recorder = record({ disk: moodyDisk(() => 50_001) });
          const texts: string[] = [];
          for (const [length, flush, letter] of plan) {
            texts.push(ping(letter.repeat(length / 8)));
            message(recorder, texts.at(-1) ?? '');
            if (flush) await recorder.flush();
          }
          expect(await raws(recorder, [...texts.keys()])).toEqual(texts);
          await recorder.flush();
          expect(await raws(recorder, [...texts.keys()].reverse())).toEqual(texts.reverse());
          expect(linesOf(recorder.path)).toHaveLength(texts.length + 1);
          await recorder.close();
        },
      ),
      { numRuns: 20 },
    );
  });

  it('hands a press of Stop and the life of a process to the disk before the turn ends', async () => {
    let writes = 0;
    const disk = moodyDisk(() => {
      writes++;
      return 'all';
    });
    const recorder = record({ disk });
    message(recorder, ping(1));
    expect(writes).toBe(0);
    recorder.frame({ session: 1, dir: '-', t: 2 as Ns, body: { kind: 'life', life: { event: 'closed' } } });
    expect(writes).toBe(1);
    await recorder.close();
    expect(linesOf(recorder.path)).toHaveLength(3);
  });

  it('gathers what comes while it writes, and hurries when that is asked', async () => {
    let writes = 0;
    const disk = moodyDisk(() => {
      writes++;
      return 'all';
    });
    const recorder = record({ disk });
    message(recorder, ping(0));
    recorder.frame({ session: 1, dir: '-', t: 2 as Ns, body: { kind: 'life', life: { event: 'closed' } } });
    expect(writes).toBe(1);
    // The disk is at work: a press of Stop waits for it, and for nothing else.
    message(recorder, ping(1));
    recorder.frame({ session: 1, dir: '-', t: 3 as Ns, body: { kind: 'life', life: { event: 'closed' } } });
    message(recorder, ping(2));
    expect(writes).toBe(1);
    await recorder.flush();
    expect([writes, linesOf(recorder.path).length]).toEqual([2, 6]);
    await recorder.close();
  });

  it('writes what a turn has gathered when the turn ends, asked or not', async () => {
    const recorder = record();
    message(recorder, ping(1));
    await expect.poll(() => linesOf(recorder.path).length, SOON).toBe(2);
    await recorder.close();
  });

  it('records nothing of a frame that could not be read again', async () => {
    const recorder = record();
    expect(() => recorder.frame({ session: 1, dir: '-', t: Number.NaN as Ns, body: { kind: 'life', life: { event: 'closed' } } })).toThrow(
      TypeError,
    );
    message(recorder, ping(1));
    expect(await raws(recorder, [0])).toEqual([ping(1)]);
    await recorder.close();
    expect(linesOf(recorder.path)).toHaveLength(2);
  });
});

describe('a disk that refuses', () => {
  it('is said once, costs nothing, and is written in full when it takes again', async () => {
    let full = true;
    const recorder = record({ disk: moodyDisk(() => (full ? 'ENOSPC' : 'all')), retryMs: 1 });
    const troubles = troublesOf(recorder);
    for (let id = 0; id < 5; id++) {
      message(recorder, ping(id));
      await recorder.flush();
    }
    expect(troubles).toEqual([
      {
        level: 'error',
        says: expect.stringContaining('could not be written: the disk is full. Make room on it. Recording goes on in memory'),
      },
    ]);
    expect(await raws(recorder, [4, 0])).toEqual([ping(4), ping(0)]);
    full = false;
    await expect.poll(() => recorder.backlog, SOON).toBe(0);
    expect(troubles.slice(1)).toEqual([{ level: 'info', says: expect.stringContaining('nothing is missing') }]);
    expect(linesOf(recorder.path)).toHaveLength(6);
    await recorder.close();
  });

  it('has the torn line written over when it took a part of one', async () => {
    const moods: (string | number)[] = [150, 'EIO'];
    const recorder = record({ disk: moodyDisk(() => moods.shift() ?? 'all'), retryMs: 1 });
    for (let id = 0; id < 5; id++) message(recorder, ping(id));
    await expect.poll(() => recorder.backlog, SOON).toBe(0);
    expect(
      linesOf(recorder.path)
        .slice(1)
        .map((line) => decodeLine(line).seq),
    ).toEqual([0, 1, 2, 3, 4]);
    await recorder.close();
  });

  it('keeps so much in memory and says what is lost beyond it', async () => {
    const recorder = record({ disk: moodyDisk(() => 'ENOSPC'), keepBytes: 400, retryMs: 60_000 });
    const troubles = troublesOf(recorder);
    for (let id = 0; id < 5; id++) {
      message(recorder, ping(id));
      await recorder.bodies([id]);
      await recorder.flush();
    }
    expect(await raws(recorder, [0, 1, 2, 3, 4])).toEqual([ping(0), ping(1), undefined, undefined, undefined]);
    expect(troubles.map(({ says }) => says)).toEqual([
      expect.stringContaining('disk is full'),
      expect.stringMatching(/^The trace file ends here/),
    ]);
    expect(recorder.trace.length).toBe(5);
    await recorder.close();
  });

  it('may refuse the file from the beginning', async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'file'), '');
    const recorder = record({ folder: path.join(folder, 'file', 'traces'), retryMs: 60_000 });
    message(recorder, ping(1));
    await recorder.flush();
    expect(troublesOf(recorder)).toEqual([{ level: 'error', says: expect.stringContaining('a part of the path is a file, not a folder') }]);
    expect(await raws(recorder, [0])).toEqual([ping(1)]);
    await recorder.close();
  });

  it('may take the file later', async () => {
    let closed = true;
    const openSync = ((...args: Parameters<typeof fs.openSync>) => {
      if (closed) throw failure('EROFS');
      return fs.openSync(...args);
    }) as typeof fs.openSync;
    const recorder = record({ disk: { ...fs, openSync }, retryMs: 1 });
    message(recorder, ping(1));
    await recorder.flush();
    closed = false;
    await expect.poll(() => recorder.backlog, SOON).toBe(0);
    expect(linesOf(recorder.path)).toHaveLength(2);
    await recorder.close();
  });

  it('gets one more chance when the recording ends', async () => {
    let full = true;
    const recorder = record({ disk: moodyDisk(() => (full ? 'ENOSPC' : 'all')), retryMs: 60_000 });
    message(recorder, ping(1));
    await recorder.flush();
    full = false;
    await recorder.close();
    expect(linesOf(recorder.path)).toHaveLength(2);
  });

  it('is told from a file that somebody deletes', async () => {
    const recorder = record();
    const troubles = troublesOf(recorder);
    message(recorder, ping(1));
    rmSync(recorder.path);
    await recorder.flush();
    await expect
      .poll(() => troubles.map(({ says }) => says), SOON)
      .toEqual([expect.stringContaining('was deleted while it was being written')]);
    expect(await raws(recorder, [0])).toEqual([ping(1)]);
    await recorder.close();
  });
});
