// What the legend teaches: each mark as it is drawn on a row, with a name and what it means.
import type { Command } from './draw';
import * as glyph from './glyphs';

export interface Lesson {
  readonly name: string;
  readonly says: string;
  readonly commands: readonly Command[];
}

export interface Chapter {
  readonly title: string;
  readonly lessons: readonly Lesson[];
}

/** The bands of the samples: the client's above, the server's below. */
const UPPER = { y: 5, h: 14 };
const LOWER = { y: 23, h: 6 };
const MIDDLE = LOWER.y + LOWER.h / 2;

const upper = (x: number, w: number): Command[] => [
  { draw: 'rect', x, y: UPPER.y, w, h: UPPER.h, fill: 'request', alpha: 0.26 },
  { draw: 'line', x1: x, y1: UPPER.y + 0.5, x2: x + w, y2: UPPER.y + 0.5, stroke: 'request', width: 1, alpha: 0.85 },
  { draw: 'line', x1: x, y1: UPPER.y + 13.5, x2: x + w, y2: UPPER.y + 13.5, stroke: 'request', width: 1, alpha: 0.85 },
  { draw: 'rect', x, y: UPPER.y, w: 2, h: UPPER.h, fill: 'request' },
];
const lower = (x: number, w: number): Command => ({ draw: 'rect', x, y: LOWER.y, w, h: LOWER.h, fill: 'request', alpha: 0.78 });
const unknown = (x: number, w: number, open = false): Command => ({
  draw: 'hatch',
  x,
  y: LOWER.y,
  w,
  h: LOWER.h,
  fill: 'unknown',
  alpha: 1,
  fade: open ? w : 0,
  fadeTo: open ? 0 : 1,
  phase: x,
});
const stopLine = (x: number, dash?: readonly number[]): Command => ({
  draw: 'line',
  x1: x,
  y1: 3,
  x2: x,
  y2: 31,
  stroke: 'cancel',
  width: 2,
  ...(dash ? { dash } : {}),
});
const gone = (x: number, w: number): Command[] =>
  [UPPER.y + 0.5, UPPER.y + 13.5].map((y) => ({ draw: 'line', x1: x, y1: y, x2: x + w, y2: y, stroke: 'request', width: 1, dash: [4, 4] }));
const late = (x: number): Command => ({ draw: 'rect', x, y: LOWER.y - 2, w: 1.5, h: LOWER.h + 4, fill: 'late' });

export const LEGEND: readonly Chapter[] = [
  {
    title: 'A call: what the client saw above, what the server is known to have done below',
    lessons: [
      { name: 'Request', says: 'sent at the solid edge; pale while the client waits', commands: upper(6, 66) },
      { name: 'Answer in time', says: 'the flat cap', commands: [...upper(6, 54), ...glyph.replyCap(60, UPPER.y, UPPER.h), lower(6, 54)] },
      { name: 'Error', says: 'a notched cap and its code', commands: [...upper(6, 48), ...glyph.errorCap(56, UPPER.y, UPPER.h)] },
      {
        name: 'Response begun',
        says: 'over HTTP: full where a response is coming',
        commands: [...upper(6, 66), { draw: 'rect', x: 26, y: UPPER.y, w: 46, h: UPPER.h, fill: 'request', alpha: 0.4 }],
      },
      {
        name: 'Known to work',
        says: 'up to the last progress; each tick is one notification',
        commands: [
          ...upper(6, 70),
          lower(6, 46),
          ...[14, 22, 34, 51].map((x): Command => ({ draw: 'rect', x, y: LOWER.y - 2, w: 1, h: LOWER.h + 4, fill: 'request' })),
        ],
      },
      {
        name: 'Lost',
        says: 'the connection or the response ended before an answer',
        commands: [...upper(6, 50), ...glyph.tornCap(56, UPPER.y, UPPER.h)],
      },
    ],
  },
  {
    title: 'Stopping',
    lessons: [
      {
        name: 'Cancel',
        says: 'a message left for the server',
        commands: [...upper(6, 30), ...gone(36, 36), stopLine(36), ...glyph.cancelHead(36, 1)],
      },
      {
        name: 'Timeout',
        says: 'the same, sent by a clock',
        commands: [...upper(6, 30), ...gone(36, 36), stopLine(36), ...glyph.timeoutHead(36, 1)],
      },
      {
        name: 'Not told',
        says: 'the client gave up; nothing was sent',
        commands: [...upper(6, 30), ...gone(36, 36), stopLine(36, [2, 3]), ...glyph.untoldHead(36, 1)],
      },
      {
        name: 'Stream closed',
        says: 'in 2026-07-28 over HTTP the cut itself is the cancel: no message leaves, nothing is heard after it',
        commands: [...upper(6, 30), ...gone(36, 36), stopLine(36), ...glyph.cutLine(36, 9), unknown(37, 35, true)],
      },
      {
        name: 'Dropped',
        says: 'the connection was closed; that is no cancel here, and nothing was told',
        commands: [...upper(6, 30), ...gone(36, 36), stopLine(36, [2, 3]), ...glyph.untoldHead(36, 1), ...glyph.cutLine(36, 15)],
      },
      {
        name: 'Left open',
        says: 'over HTTP: the server does not end the response of a cancelled call',
        commands: [
          ...upper(6, 22),
          ...gone(28, 46),
          ...glyph.leftOpen(28, 74, UPPER.y, UPPER.h, false),
          stopLine(28),
          ...glyph.cancelHead(28, 1),
        ],
      },
      { name: 'Killed', says: 'the process was ended', commands: [...upper(6, 30), stopLine(36), ...glyph.killHead(36, 1)] },
      {
        name: 'No longer waiting',
        says: 'the outline goes on, dashed and empty',
        commands: [...upper(6, 22), stopLine(28), ...gone(28, 46)],
      },
      {
        name: 'Late answer',
        says: 'it came after the stop; the thread shows how long after',
        commands: [
          ...upper(6, 20),
          stopLine(26),
          { draw: 'line', x1: 26, y1: 12, x2: 54, y2: 12, stroke: 'late', width: 1.5, dash: [2, 3] },
          ...glyph.lateReply(54, UPPER.y, UPPER.h, false),
        ],
      },
      { name: 'Second answer', says: 'to a call that had one already', commands: glyph.duplicateReply(32, UPPER.y, UPPER.h) },
      {
        name: 'Fence',
        says: 'a ping behind the cancel, and its pong: the server has read past the cancel',
        commands: [stopLine(20), ...glyph.fencePing(27, 3, 18), ...glyph.fencePong(54, 3, 18)],
      },
    ],
  },
  {
    title: 'A task: one row from the call that made it to its end, in states that the server tells of',
    lessons: [
      {
        name: 'Working',
        says: 'the server says that it is at work',
        commands: [...upper(6, 66), ...glyph.taskState('working', 14, UPPER.y, UPPER.h)],
      },
      {
        name: 'Input required',
        says: 'it waits for input, and nobody works meanwhile',
        commands: [
          ...upper(6, 66),
          ...glyph.taskState('input_required', 24, UPPER.y, UPPER.h),
          ...glyph.taskRests(36, 72, UPPER.y + UPPER.h / 2),
        ],
      },
      {
        name: 'Completed, failed',
        says: 'its outcomes; each a sign behind the cap',
        commands: [
          ...upper(6, 20),
          ...glyph.replyCap(26, UPPER.y, UPPER.h),
          ...glyph.taskState('completed', 26, UPPER.y, UPPER.h),
          ...upper(44, 16),
          ...glyph.replyCap(60, UPPER.y, UPPER.h),
          ...glyph.taskState('failed', 60, UPPER.y, UPPER.h),
        ],
      },
      {
        name: 'Cancelled',
        says: 'the server’s word for the task, and no proof that its work has ended',
        commands: [...upper(6, 40), ...glyph.replyCap(46, UPPER.y, UPPER.h), ...glyph.taskState('cancelled', 46, UPPER.y, UPPER.h)],
      },
      {
        name: 'Asked, told',
        says: 'a tick where the client polled, a triangle where the server told of it unasked',
        commands: [
          ...upper(6, 66),
          ...[16, 28, 52].map((x) => glyph.taskPoll(x, UPPER.y + UPPER.h)),
          glyph.taskNews(40, UPPER.y + UPPER.h),
        ],
      },
      {
        name: 'tasks/cancel',
        says: 'a request that asks the task to stop',
        commands: [...upper(6, 30), ...gone(36, 36), stopLine(36), ...glyph.taskCancelHead(36, 1)],
      },
      {
        name: 'Kept until here',
        says: 'the server may forget the task from now on (its TTL)',
        commands: [...upper(6, 66), ...glyph.taskKept(50, UPPER.y, UPPER.h)],
      },
    ],
  },
  {
    title: 'What happened in the world',
    lessons: [
      {
        name: 'Effect after the stop',
        says: 'a breach: over everything, and in the overview',
        commands: [stopLine(16), ...glyph.arrow(17, 48, MIDDLE - 3, false), ...glyph.effectAfter(57, MIDDLE - 3, 8, false)],
      },
      {
        name: 'Effect before it',
        says: 'already written when the stop left',
        commands: [stopLine(56), ...glyph.effectBefore(26, MIDDLE - 3, 8, false)],
      },
      {
        name: 'Order unknown',
        says: 'the bar is as wide as the interval',
        commands: [stopLine(38), ...glyph.interval(14, 62, MIDDLE - 3, 'unknown'), ...glyph.effectStraddles(38, MIDDLE - 3, 8)],
      },
      {
        name: 'Taken back',
        says: 'it was there, and is there no more',
        commands: [...glyph.effectReverted(24, 15, 7), ...glyph.returnHook(24, 54, 22, 27)],
      },
      {
        name: 'Several',
        says: 'on the same pixels: the worst, and how many',
        commands: [...glyph.effectAfter(34, MIDDLE - 3, 8, false), ...glyph.count(3, 43, 13)],
      },
      { name: 'No effect seen', says: 'a probe watched up to here', commands: [unknown(6, 46), ...glyph.allClear(52, LOWER.y - 3, 12)] },
      {
        name: 'Watched',
        says: 'the line under the row; hatched where the probe could not look',
        commands: [lower(6, 30), ...glyph.watched(6, 44, 31), ...glyph.unwatched(44, 60, 31), ...glyph.watched(60, 74, 31)],
      },
      { name: 'Not probed', says: 'nobody watched, so nothing is known', commands: [glyph.notProbedRing(36, 17)] },
      {
        name: 'Sign of work',
        says: 'a process or a span that goes on; not an effect',
        commands: [lower(6, 30), ...glyph.work(50, MIDDLE, LOWER.h)],
      },
      {
        name: 'Held open',
        says: 'a transaction or a lock of a stopped call',
        commands: [unknown(6, 66, true), ...glyph.held(22, 58, MIDDLE - 6, false)],
      },
    ],
  },
  {
    title: 'Faults: what we did to messages on purpose',
    lessons: [
      {
        name: 'Held, delayed, swapped',
        says: 'a message of the call is kept by us: the line shows for how long',
        commands: [
          ...upper(6, 66),
          ...glyph.clamp(16, 66, UPPER.y + UPPER.h - 2.5, true),
          ...glyph.fault('hold', 16, UPPER.y + UPPER.h / 2),
          ...glyph.fault('delay', 34, UPPER.y + UPPER.h / 2),
          ...glyph.fault('reorder', 52, UPPER.y + UPPER.h / 2),
        ],
      },
      {
        name: 'Dropped, sent twice, cut',
        says: 'by us, and never laid to the server',
        commands: [
          ...upper(6, 66),
          ...glyph.fault('drop', 20, UPPER.y + UPPER.h / 2),
          ...glyph.fault('duplicate', 38, UPPER.y + UPPER.h / 2),
          ...glyph.fault('cut', 56, UPPER.y + UPPER.h / 2),
        ],
      },
    ],
  },
  {
    title: 'How sure',
    lessons: [
      {
        name: 'Solid, dashed, hatched',
        says: 'proved, inferred, unknown; everywhere',
        commands: [lower(6, 18), ...gone(28, 18), unknown(50, 20)],
      },
      {
        name: 'Unknown, still open',
        says: 'nothing proves what the server does; it fades into now',
        commands: [stopLine(14), unknown(15, 58, true)],
      },
      { name: 'Progress after the stop', says: 'the server went on', commands: [stopLine(18), lower(6, 56), ...[30, 44, 60].map(late)] },
      {
        name: 'Happened after',
        says: 'for the selected call: solid is proved, dashed inferred; the word says how',
        commands: [
          { draw: 'line', x1: 8, y1: 12, x2: 68, y2: 12, stroke: 'ink', width: 1.4 },
          ...glyph.tip([8, 12, 68, 12], 'ink'),
          { draw: 'line', x1: 8, y1: 25, x2: 68, y2: 25, stroke: 'ink', width: 1.4, dash: [4, 3] },
          ...glyph.tip([8, 25, 68, 25], 'ink'),
        ],
      },
      {
        name: 'Verdicts',
        says: 'fine or plain news, note, warning, breach',
        commands: [
          ...glyph.sign('ok', 10, 17),
          ...glyph.sign('note', 28, 17),
          ...glyph.sign('warn', 46, 17),
          ...glyph.sign('breach', 65, 17),
        ],
      },
    ],
  },
];
