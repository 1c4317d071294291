import { describe, expect, it } from 'vitest';
import { Trace } from '../../app/trace/trace';
import { judge } from '../../app/verdict/judge';
import { createRecorder, type Recorder } from '../store/recorder';
import { BEGAN, BY, message, STILL, tempFolder } from '../store/store.testing';
import { type Found, MOST, type Searched, search } from './search';

const request = (id: number, name: string, text: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { text } } });

function recording(fill: (recorder: Recorder) => void): Searched & { readonly close: () => Promise<void> } {
  const recorder = createRecorder({ folder: tempFolder(), clock: STILL, began: BEGAN, by: BY });
  fill(recorder);
  const { trace } = recorder;
  const court = judge(trace);
  court.advance(trace.t(trace.length - 1));
  return {
    trace,
    calls: court.calls,
    verdict: (call) => court.verdict(call),
    texts: (seqs) => recorder.texts(seqs),
    close: () => recorder.close(),
  };
}

async function everything(
  searched: Searched,
  text: string,
): Promise<{ readonly seqs: readonly number[]; readonly answers: readonly Found[] }> {
  const answers: Found[] = [];
  while ((answers.at(-1)?.next ?? 0) < searched.trace.length) answers.push(await search(searched, text, answers.at(-1)?.next ?? 0));
  return { seqs: answers.flatMap(({ seqs }) => seqs), answers };
}

describe('a search', () => {
  it('finds words in bodies and in names, all of them, capitals or not, and in what is no message', async () => {
    const searched = recording((recorder) => {
      message(recorder, request(1, 'charge_card', 'forty-two EURO'));
      message(recorder, request(2, 'send_email', 'forty-two euro'));
      message(recorder, '{"jsonrpc":"2.0","id":9,\n"result":{"content":"a line feed: \\n and Ümlaut"}}');
      recorder.frame({ session: 1, dir: 's2c', t: 1000 as never, body: { kind: 'stderr', raw: { text: 'no "euro" left' } } });
      recorder.frame({ session: 1, dir: 's2c', t: 1000 as never, body: { kind: 'noise', why: 'not-utf-8', raw: { base64: 'ZXVybw==' } } });
    });
    const found = async (text: string): Promise<readonly number[]> => (await everything(searched, text)).seqs;
    expect(await found('euro')).toEqual([0, 1, 3]);
    expect(await found('Euro charge_CARD')).toEqual([0]);
    expect(await found('"euro" stderr')).toEqual([3]);
    expect(await found('ümlaut')).toEqual([2]);
    expect(await found('not-utf-8')).toEqual([4]);
    expect(await found('dollar')).toEqual([]);
    await searched.close();
  });

  it('comes in parts that leave nothing out, and begins where it is told to', async () => {
    const count = MOST + 4000;
    const searched = recording((recorder) => {
      for (let id = 0; id < count; id++) message(recorder, request(id, 'look', id % 1000 === 7 ? 'needle' : 'hay'));
    });
    const needles = await everything(searched, 'needle');
    expect(needles.seqs).toEqual(Array.from({ length: count / 1000 }, (_, n) => n * 1000 + 7));
    const all = await everything(searched, 'look');
    expect(all.seqs).toEqual(Array.from({ length: count }, (_, seq) => seq));
    expect(Math.max(...all.answers.map(({ seqs }) => seqs.length))).toBeLessThanOrEqual(MOST);
    expect((await search(searched, 'needle', 1008)).seqs[0]).toBe(2007);
    expect(await search(searched, 'needle', count)).toEqual({ seqs: [], next: count });
    await searched.close();
  });

  it('of an empty trace has nothing to do', async () => {
    const trace = new Trace();
    const court = judge(trace);
    const searched: Searched = { trace, calls: court.calls, verdict: () => undefined, texts: async () => [] };
    expect(await search(searched, 'x', 0)).toEqual({ seqs: [], next: 0 });
  });
});
