// What the timeline draws of a call that runs as a task: one row until its outcome, its states, who asked and who told, and a
// cancel that is only acknowledged.
import { describe, expect, it } from 'vitest';
import { TaskBuild } from '../../app/trace/buildTasks.testing';
import { isTerminal } from '../../app/trace/tasks';
import type { Frame } from '../../app/wire/frame';
import { type Mark, type Picture, picture } from './marks';
import { hitTest } from './scene';
import { lookAt, texts } from './scene.testing';
import { modelOf } from './shop.testing';
import { explain, labels } from './words';

const begun = (extension = false): TaskBuild =>
  new TaskBuild(extension)
    .openedTasks([{ name: 'report' }])
    .at(100)
    .callTask(3, 'report', { settle: 1000 })
    .at(110)
    .created(3, 'T');

function pictureAt(frames: readonly Frame[], nowMs: number): Picture {
  const model = modelOf(frames, nowMs);
  const call = model.calls.find(1, 'client', 'n:3');
  if (!call) throw new Error('expected call 3');
  return picture(model, call);
}

const ms = (t: number | undefined): number | undefined => (t === undefined ? undefined : t / 1e6);
const told = (of: Picture): string[] => of.marks.map((mark) => [ms(mark.at), mark.mark, labels(mark, of)[0]].filter(Boolean).join(' '));
const sentenceOf = (of: Picture, kind: Mark['mark']): string | undefined => {
  const mark = of.marks.find((one) => one.mark === kind);
  if (!mark) throw new Error(`expected a mark of ${kind}`);
  return explain({ on: 'mark', of, mark, members: [mark] })?.sentence;
};
const drawn = (b: TaskBuild, nowMs: number) => lookAt(modelOf(b.frames, nowMs), { from: 0, to: nowMs });

describe('a task', () => {
  it('is one row from the call that made it to its outcome, in states', () => {
    const b = begun().at(300).poll('T', 'working').at(500).poll('T', 'input_required', { message: 'Which month?' });
    const of = pictureAt(b.at(800).news('T', 'working').at(1200).poll('T', 'completed').frames, 2000);
    expect([ms(of.waits.from), ms(of.waits.to)]).toEqual([100, 1201]);
    expect(told(of)).toEqual([
      '100 request',
      '110 task-state working',
      '501 task-state input required',
      '800 task-state working',
      '1201 reply completed · 1.1 s',
    ]);
    expect(of.task?.segments.map(({ status, t, to, told: times }) => [status, ms(t), ms(to), times])).toEqual([
      ['working', 110, 501, 2],
      ['input_required', 501, 800, 1],
      ['working', 800, 1201, 1],
      ['completed', 1201, 1201, 1],
    ]);
    expect([of.task?.polls.map(ms), of.task?.news.map(ms)]).toEqual([[300, 500, 1200], [800]]);
  });

  it('has its states written into its band, and explains each to somebody who has never met one', () => {
    const b = begun().at(900).poll('T', 'input_required', { message: 'Which month?' });
    const shown = drawn(b, 2000);
    expect(texts(shown.commands)).toEqual(expect.arrayContaining(['working', 'input required']));
    const of = pictureAt(b.frames, 2000);
    expect(sentenceOf(of, 'task-state')).toBe('The server says that it is at work on the task. Told by the answer that made the task.');
    const rest = of.marks.find((mark) => mark.mark === 'task-state' && mark.segment.status === 'input_required');
    const sentence = rest && explain({ on: 'mark', of, mark: rest, members: [rest] })?.sentence;
    expect(sentence).toBe(
      'The server says that it waits for input, and goes on when it has that. Of what it asks for, only roots are given from here. It adds: “Which month?”. Told asked for (tasks/get).',
    );
  });

  it('has a tick for each poll and a triangle for each notification, and both can be asked what they are', () => {
    const b = begun().at(300).poll('T', 'working').at(600).news('T', 'working').at(900).poll('T', 'working');
    const shown = drawn(b, 2000);
    const ticks = shown.commands.filter((c) => c.draw === 'rect' && c.w === 1 && c.h === 4.5);
    expect(ticks).toHaveLength(2);
    const asks = shown.hits.find(({ target }) => target.on === 'span' && target.span === 'asks');
    expect(asks && explain(asks.target)?.sentence).toBe(
      'The client asked for the task’s state 2 times (tasks/get); each tick is one. The server told of it unasked once (a notification); each triangle is one.',
    );
    expect(asks && hitTest(shown, asks.x + asks.w / 2, asks.y + 4)).toMatchObject({ on: 'span', span: 'asks' });
  });

  it('says whose state it is on a row that calls share', () => {
    const b = begun().at(900).poll('T', 'input_required');
    const shared = lookAt(modelOf(b.frames, 2000), { from: 0, to: 2000, grouping: 'tool' });
    expect(texts(shared.commands)).toEqual(expect.arrayContaining(['report working', 'report input required']));
  });

  it('keeps its word in view where its head is not', () => {
    const b = begun().at(900).poll('T', 'working');
    expect(texts(lookAt(modelOf(b.frames, 2000), { from: 1000, to: 2000 }).commands)).toContain('working');
  });

  it('draws no more ticks than pixels can show', () => {
    const b = begun();
    for (let at = 200; at < 3200; at++) b.at(at).poll('T', 'working', undefined, 0.5);
    expect(drawn(b, 4000).commands.filter((c) => c.draw === 'rect' && c.w === 1 && c.h === 4.5).length).toBeLessThan(340);
  });

  it('is kept until its time is over, once that is there', () => {
    const of = (nowMs: number) => drawn(begun(), nowMs).hits.filter(({ target }) => target.on === 'span' && target.span === 'kept');
    expect(of(30_000)).toEqual([]);
    const [kept] = of(90_000);
    expect(kept && explain(kept.target)?.sentence).toContain('keeps the task for 1 min 0 s since it made it');
  });
});

describe('a stop of a task', () => {
  it('is a tasks/cancel that is answered, and the word cancelled proves nothing: unknown stays open', () => {
    const b = begun().at(500).cancelTask(3, 'T').at(504).acknowledged('T');
    const of = pictureAt(b.frames, 3000);
    expect(told(of)).toEqual([
      '100 request',
      '110 task-state working',
      '500 task-cancel tasks/cancel · answered after 4 ms',
      '504 late-reply cancelled +4 ms',
    ]);
    expect(of.unknown).toEqual({ from: 500e6, to: undefined });
    expect(sentenceOf(of, 'task-cancel')).toContain('which only acknowledges it');
    expect(sentenceOf(of, 'late-reply')).toContain('whether the work behind it has ended only a probe can show');
  });

  it('may turn out completed all the same: both ends stand on the row', () => {
    const b = begun().at(500).cancelTask(3, 'T').at(504).acknowledged('T').at(900).poll('T', 'completed');
    const of = pictureAt(b.frames, 3000);
    expect(told(of).slice(3)).toEqual(['504 late-reply cancelled +4 ms', '901 late-reply then completed +401 ms']);
  });

  it('may go on: a state that was told after it is late', () => {
    const b = begun(true).at(500).cancelTask(3, 'T').at(504).acknowledged('T').at(900).poll('T', 'input_required');
    const of = pictureAt(b.frames, 1200);
    expect(of.marks.filter((mark) => mark.mark === 'task-state').map(({ after, segment }) => [segment.status, after])).toEqual([
      ['working', false],
      ['input_required', true],
    ]);
  });

  it('may be refused, and says so', () => {
    const b = begun().at(500).cancelTask(3, 'T').at(504).refused(-32602, 'no such task');
    expect(told(pictureAt(b.frames, 3000))).toContain('500 task-cancel tasks/cancel · refused -32602');
  });

  it('may be no more than that nobody asks any more: told to nobody, an orphan', () => {
    const b = begun().at(300).poll('T', 'working').at(500).stopPolling(3);
    const of = pictureAt(b.frames, 3000);
    expect(told(of).at(-1)).toBe('500 untold stopped polling, not told');
    expect(sentenceOf(of, 'untold')).toContain('an orphan');
    // What was told last is not drawn on into times of which nobody knows anything.
    const shown = drawn(b, 3000);
    expect(shown.commands.some((c) => c.draw === 'line' && c.stroke === 'cancel' && c.dash !== undefined)).toBe(true);
  });
});

it('knows that a task in a state of its own is not over', () => {
  const of = pictureAt(begun().at(300).poll('T', 'paused').frames, 2000);
  expect([isTerminal('paused'), told(of).at(-1), of.waits.to]).toEqual([false, '301 task-state “paused”', undefined]);
});
