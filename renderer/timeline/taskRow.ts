// The part of a row that only a task has: its states as labelled segments of the upper band, ticks where the client asked for
// its state, triangles where the server told of it unasked, an hourglass where the server may forget it.
import { asNs, type Ns } from '../../app/base/time';
import { statusWords } from '../taskWords';
import type { Command } from './draw';
import * as glyph from './glyphs';
import type { Mark, Picture } from './marks';
import { firstAt } from './scale';
import { add, cut, isIn, type Sheet, spanHit, take, upperOf, WORDS } from './sheet';
import type { TaskPicture } from './tasks';
import { labels, nameOf } from './words';

/** How far the head of a state reaches. */
const HEAD = 11;

export function drawTask(of: Picture, sheet: Sheet): void {
  const { task } = of;
  if (!task) return;
  drawRests(task, sheet);
  drawAsks(of, task, sheet);
  drawKept(of, task, sheet);
}

/** Where it waits for input nobody works: the band is dotted through, behind its word. */
function drawRests(task: TaskPicture, sheet: Sheet): void {
  const { y, h } = upperOf(sheet);
  for (const { status, t, to } of task.segments) {
    const x = status === 'input_required' ? cut({ from: t, to }, sheet) : undefined;
    if (!x) continue;
    const from = wordFrom(sheet.scale.x(t), sheet) + sheet.measure(statusWords(status), 'label') + 6;
    if (from < x.to) sheet.into.bars.push(...glyph.taskRests(from, x.to, y + h / 2));
  }
}

/** Where the word of a segment begins: behind its head, and at the edge where that is out of view. */
const wordFrom = (x: number, { scale }: Sheet): number => Math.max(x + HEAD + 1, scale.left + 8);

/** One mark for each three pixels at most, found by walking the pixels, not the polls. */
function walk(times: readonly Ns[], sheet: Sheet, each: (x: number) => void): void {
  const { scale } = sheet;
  const end = scale.left + scale.width;
  let index = firstAt(times.length, (at) => times[at] ?? 0, scale.from);
  while (index < times.length) {
    const x = scale.x(times[index] ?? asNs(0));
    if (x > end) return;
    each(x);
    index = Math.max(
      index + 1,
      firstAt(times.length, (at) => times[at] ?? 0, scale.t(x + 3)),
    );
  }
}

function drawAsks(of: Picture, task: TaskPicture, sheet: Sheet): void {
  const { y, h } = upperOf(sheet);
  const bottom = y + h;
  walk(task.polls, sheet, (x) => sheet.into.threads.push(glyph.taskPoll(x, bottom)));
  walk(task.news, sheet, (x) => sheet.into.threads.push(glyph.taskNews(x, bottom)));
  const known = [task.polls, task.news].filter((times) => times.length > 0);
  const from = Math.min(...known.map((times) => times[0] ?? 0));
  const to = Math.max(...known.map((times) => times.at(-1) ?? 0));
  const x = known.length > 0 && cut({ from: asNs(from), to: asNs(to) }, sheet);
  if (x) spanHit(of, 'asks', { from: x.from - 3, to: x.to + 3 }, bottom - 2.5, 5, sheet);
}

function drawKept(of: Picture, { keptUntil }: TaskPicture, sheet: Sheet): void {
  if (keptUntil === undefined || keptUntil > sheet.now) return;
  const x = sheet.scale.x(keptUntil);
  if (!isIn(x, sheet.scale, 6)) return;
  const { y, h } = upperOf(sheet);
  sheet.into.threads.push(...glyph.taskKept(x, y, h));
  spanHit(of, 'kept', { from: x - 5, to: x + 5 }, y - 2, h + 2, sheet);
}

export function drawTaskState(mark: Extract<Mark, { mark: 'task-state' }>, of: Picture, x: number, sheet: Sheet): void {
  const { y, h } = upperOf(sheet);
  const { status, t, to } = mark.segment;
  nameSegment(mark, of, x, cut({ from: t, to: to ?? lastTold(of, mark) }, sheet), sheet);
  if (!isIn(x, sheet.scale, HEAD)) return;
  const commands = glyph.taskState(status, x, y, h, mark.after ? 'late' : 'request');
  add(mark, [mark], of, { commands, box: { x: x - 2, y, w: HEAD + 2, h } }, sheet);
  take(sheet, 'upper', x - 1, x + HEAD);
}

/** A segment's word stands in it behind its head; where that is out of view, at the edge: what a band is in has to be read anywhere. */
function nameSegment(
  mark: Extract<Mark, { mark: 'task-state' }>,
  of: Picture,
  x: number,
  segment: { readonly to: number } | undefined,
  sheet: Sheet,
): void {
  if (!segment) return;
  // What was told while the client waited stands in its bar, which ends with the stop.
  const bar = of.waits.to === undefined || mark.after ? Number.POSITIVE_INFINITY : sheet.scale.x(of.waits.to);
  const end = Math.min(segment.to, bar);
  const [state = ''] = labels(mark, of);
  // On a row that calls share nothing else says whose it is.
  const texts = sheet.shared ? [`${nameOf(of)} ${state}`, nameOf(of)] : [state];
  sheet.wishes.push({
    texts,
    places: [{ track: 'upper', x: wordFrom(x, sheet), hang: 'right', slide: 0, inside: end - 3 }],
    face: 'label',
    fill: mark.after ? 'late-text' : 'ink',
    rank: WORDS.task,
  });
}

/** A state that was told for the last time goes on while somebody asks; where nobody does any more, no further than that. */
function lastTold({ stop }: Picture, { segment }: Extract<Mark, { mark: 'task-state' }>): Ns | undefined {
  return stop === 'not-sent' ? segment.last : undefined;
}

/** The end of the band where a task came to its outcome: the state's own sign behind a flat cap. */
export const taskCap = (status: string, x: number, sheet: Sheet): readonly Command[] => {
  const { y, h } = upperOf(sheet);
  return [...glyph.replyCap(x, y, h), ...glyph.taskState(status, x + 0.5, y, h).slice(1)];
};
