// The shapes of the grammar, each drawn around a point. Each meaning has a shape of its own; colour only repeats it.
// Timeline, overview, gutter and legend take them from here.

import type { Severity } from '../../app/verdict/verdict';
import type { Fault } from '../../app/wire/frame';
import type { Colour } from '../theme/theme';
import type { Command } from './draw';

const diamondAt = (x: number, y: number, half: number): readonly number[] => [x, y - half, x + half, y, x, y + half, x - half, y];

/** ◆ with ✕: an effect after the cancel. */
export function effectAfter(x: number, y: number, half: number, inferred: boolean): Command[] {
  const arm = half * 0.36;
  return [
    { draw: 'shape', points: diamondAt(x, y, half + 1.5), closed: true, fill: 'halo' },
    { draw: 'shape', points: diamondAt(x, y, half), closed: true, fill: 'breach' },
    ...(inferred ? [dashedRing(x, y, half + 3, 'breach')] : []),
    { draw: 'shape', points: [x - arm, y - arm, x + arm, y + arm], closed: false, stroke: 'on-breach', width: 1.75 },
    { draw: 'shape', points: [x + arm, y - arm, x - arm, y + arm], closed: false, stroke: 'on-breach', width: 1.75 },
  ];
}

/** ◇: an effect before the cancel, or of a call that nobody stopped. */
export const effectBefore = (x: number, y: number, half: number, inferred: boolean): Command[] => [
  {
    draw: 'shape',
    points: diamondAt(x, y, half - 0.5),
    closed: true,
    fill: 'page',
    stroke: 'ink',
    width: 1.6,
    ...(inferred ? { dash: [3, 2] } : {}),
  },
];

/** ⬖: an effect around the cancel, its order unknown. */
export const effectStraddles = (x: number, y: number, half: number): Command[] => [
  { draw: 'shape', points: diamondAt(x, y, half - 0.5), closed: true, fill: 'page', stroke: 'unknown', width: 1.6 },
  { draw: 'shape', points: [x, y - half + 0.5, x, y + half - 0.5, x - half + 0.5, y], closed: true, fill: 'unknown' },
];

/** A struck diamond: an effect that was taken back. */
export const effectReverted = (x: number, y: number, half: number): Command[] => [
  { draw: 'shape', points: diamondAt(x, y, half - 1), closed: true, fill: 'page', stroke: 'soft', width: 1.4 },
  { draw: 'line', x1: x - half, y1: y + half * 0.55, x2: x + half, y2: y - half * 0.55, stroke: 'soft', width: 1.4 },
];

/** The hook from the foot of an effect along `under` and up again, where it was taken back. */
export const returnHook = (x1: number, x2: number, foot: number, under: number): Command[] => [
  { draw: 'shape', points: [x1, foot, x1, under, x2, under, x2, foot - 1], closed: false, stroke: 'soft', width: 1.4 },
  { draw: 'shape', points: [x2 - 3.5, foot, x2, foot - 5.5, x2 + 3.5, foot], closed: true, fill: 'soft' },
];

/** An error bar as wide as the interval of an observation. */
export const interval = (x1: number, x2: number, y: number, stroke: Colour): Command[] => [
  { draw: 'line', x1, y1: y, x2, y2: y, stroke, width: 1.5 },
  { draw: 'line', x1, y1: y - 4, x2: x1, y2: y + 4, stroke, width: 1.5 },
  { draw: 'line', x1: x2, y1: y - 4, x2, y2: y + 4, stroke, width: 1.5 },
];

const dashedRing = (x: number, y: number, half: number, stroke: Colour): Command => ({
  draw: 'shape',
  points: diamondAt(x, y, half),
  closed: true,
  stroke,
  width: 1,
  dash: [2, 2],
});

/** The bold arrow from the cancel to what happened after it. */
export const arrow = (x1: number, x2: number, y: number, inferred: boolean): Command[] => [
  { draw: 'line', x1, y1: y, x2: x2 - 5, y2: y, stroke: 'breach', width: 2.5, ...(inferred ? { dash: [4, 3] } : {}) },
  { draw: 'shape', points: [x2 - 7, y - 4.5, x2, y, x2 - 7, y + 4.5], closed: true, fill: 'breach' },
];

/** ▼: a cancel left as a message. */
export const cancelHead = (x: number, y: number): Command[] => [
  { draw: 'shape', points: [x - 5.5, y, x + 5.5, y, x, y + 8.5], closed: true, fill: 'cancel' },
];

/** ▼ under a bar: tasks/cancel left as a request. */
export const taskCancelHead = (x: number, y: number): Command[] => [
  { draw: 'rect', x: x - 5.5, y, w: 11, h: 2, fill: 'cancel' },
  { draw: 'shape', points: [x - 5.5, y + 3.5, x + 5.5, y + 3.5, x, y + 11], closed: true, fill: 'cancel' },
];

/** ◷: the cancel was sent by a clock. */
export const timeoutHead = (x: number, y: number): Command[] => [
  { draw: 'circle', x, y: y + 4, r: 5, fill: 'page', stroke: 'cancel', width: 1.75 },
  { draw: 'shape', points: [x, y + 0.5, x, y + 4, x + 3, y + 4], closed: false, stroke: 'cancel', width: 1.4 },
];

/** ▽: the client gave up and told nobody. */
export const untoldHead = (x: number, y: number): Command[] => [
  { draw: 'shape', points: [x - 5.5, y + 0.5, x + 5.5, y + 0.5, x, y + 8.5], closed: true, fill: 'page', stroke: 'cancel', width: 1.5 },
];

/** `//` across a line: a connection was closed from here. */
export const cutLine = (x: number, y: number): Command[] => [
  { draw: 'shape', points: [x - 7, y + 3, x + 7, y - 7, x + 7, y - 2.5, x - 7, y + 7.5], closed: true, fill: 'page' },
  { draw: 'line', x1: x - 6.5, y1: y + 3, x2: x + 6.5, y2: y - 6.5, stroke: 'cancel', width: 1.75 },
  { draw: 'line', x1: x - 6.5, y1: y + 7.5, x2: x + 6.5, y2: y - 2, stroke: 'cancel', width: 1.75 },
];

/** A response that is left open after the stop: a solid floor under a faint band, and a wall where somebody closed it. */
export const leftOpen = (x1: number, x2: number, y: number, h: number, closed: boolean): Command[] => [
  { draw: 'rect', x: x1, y, w: Math.max(1, x2 - x1), h, fill: 'request', alpha: 0.1 },
  { draw: 'line', x1, y1: y + h - 0.5, x2, y2: y + h - 0.5, stroke: 'cancel', width: 2 },
  ...(closed ? [{ draw: 'line', x1: x2, y1: y, x2, y2: y + h, stroke: 'cancel', width: 1.5 } as const] : []),
];

/** ■: the client ended the process. */
export const killHead = (x: number, y: number): Command[] => [{ draw: 'rect', x: x - 4.5, y: y, w: 9, h: 9, fill: 'cancel' }];

/** ◁: an answer that came after the stop; with `!` when it is an error. */
export const lateReply = (x: number, y: number, h: number, failed: boolean): Command[] => [
  { draw: 'shape', points: [x, y + h / 2, x + 9.5, y, x + 9.5, y + h], closed: true, fill: 'page', stroke: 'late', width: 1.75 },
  ...(failed ? bang(x + 13.5, y + h / 2, 'late') : []),
];

/** Two ◁ in one another: an answer to a call that had one already. */
export const duplicateReply = (x: number, y: number, h: number): Command[] => [
  { draw: 'shape', points: [x, y + h / 2, x + 7, y + 2, x + 7, y + h - 2], closed: true, fill: 'page', stroke: 'late', width: 1.4 },
  { draw: 'shape', points: [x + 5, y + h / 2, x + 12, y + 2, x + 12, y + h - 2], closed: true, fill: 'page', stroke: 'late', width: 1.4 },
];

/** A flat right cap: answered in time. */
export const replyCap = (x: number, y: number, h: number): Command[] => [{ draw: 'rect', x: x - 3, y, w: 3, h, fill: 'request' }];

/** A notched right cap with `!`: answered by an error. */
export const errorCap = (x: number, y: number, h: number): Command[] => [
  { draw: 'shape', points: [x - 9, y, x, y, x - 4, y + h / 2, x, y + h, x - 9, y + h], closed: true, fill: 'request' },
  ...bang(x + 3.5, y + h / 2, 'request'),
];

/** The head of a task's state, in a band so high, each state with a shape of its own. */
export function taskState(status: string, x: number, y: number, h: number, fill: Colour = 'request'): Command[] {
  const line: Command = { draw: 'rect', x: x - 0.5, y, w: 1, h, fill };
  const middle = y + h / 2;
  const at = x + 5.5;
  switch (status) {
    case 'working':
      return [line, { draw: 'shape', points: [at - 2.5, middle - 3.5, at + 3, middle, at - 2.5, middle + 3.5], closed: true, fill }];
    case 'input_required':
      return [
        line,
        { draw: 'rect', x: at - 2.5, y: middle - 3.5, w: 2, h: 7, fill },
        { draw: 'rect', x: at + 1, y: middle - 3.5, w: 2, h: 7, fill },
      ];
    case 'completed':
      return [
        line,
        { draw: 'shape', points: [at - 3, middle, at - 0.5, middle + 3, at + 3.5, middle - 3.5], closed: false, stroke: fill, width: 1.75 },
      ];
    case 'failed':
      return [line, ...bang(at, middle, fill)];
    case 'cancelled':
      return [
        line,
        { draw: 'circle', x: at, y: middle, r: 3.75, stroke: fill, width: 1.5 },
        { draw: 'line', x1: at - 2.6, y1: middle + 2.6, x2: at + 2.6, y2: middle - 2.6, stroke: fill, width: 1.5 },
      ];
    default:
      return [line, { draw: 'frame', x: at - 3, y: middle - 3, w: 6, h: 6, stroke: fill, width: 1.4 }];
  }
}

/** A task that waits for input: a dotted line through its band. */
export const taskRests = (x1: number, x2: number, y: number): Command[] => [
  { draw: 'line', x1, y1: y, x2, y2: y, stroke: 'request', width: 1.5, dash: [1.5, 4] },
];

/** A tick under the band: the client asked for the task's state. */
export const taskPoll = (x: number, bottom: number): Command => ({
  draw: 'rect',
  x: x - 0.5,
  y: bottom - 2,
  w: 1,
  h: 4.5,
  fill: 'request',
});

/** ▲ under the band: the server told of the task unasked. */
export const taskNews = (x: number, bottom: number): Command => ({
  draw: 'shape',
  points: [x - 3, bottom + 2.5, x, bottom - 2.5, x + 3, bottom + 2.5],
  closed: true,
  fill: 'request',
});

/** An hourglass: until here the server keeps the task. */
export const taskKept = (x: number, y: number, h: number): Command[] => [
  { draw: 'line', x1: x, y1: y + 7, x2: x, y2: y + h, stroke: 'faint', width: 1, dash: [1, 2] },
  { draw: 'shape', points: [x - 3.5, y - 1, x + 3.5, y - 1, x - 3.5, y + 7, x + 3.5, y + 7], closed: true, stroke: 'faint', width: 1.4 },
];

/** A torn right edge: nobody can answer any more. */
export const tornCap = (x: number, y: number, h: number): Command[] => [
  {
    draw: 'shape',
    points: [x, y - 1, x - 4, y + h * 0.25, x, y + h * 0.5, x - 4, y + h * 0.75, x, y + h + 1],
    closed: false,
    stroke: 'unknown',
    width: 1.75,
  },
];

const bang = (x: number, y: number, fill: Colour): Command[] => [
  { draw: 'rect', x: x - 0.9, y: y - 4.5, w: 1.8, h: 5.5, fill },
  { draw: 'rect', x: x - 0.9, y: y + 2.5, w: 1.8, h: 1.8, fill },
];

/** ‖: the ping right behind the cancel. */
export const fencePing = (x: number, y: number, h: number): Command[] => [
  { draw: 'line', x1: x - 1.5, y1: y, x2: x - 1.5, y2: y + h, stroke: 'proof', width: 1.25 },
  { draw: 'line', x1: x + 1.5, y1: y, x2: x + 1.5, y2: y + h, stroke: 'proof', width: 1.25 },
];

/** ]: the pong; here "not yet read" ends. */
export const fencePong = (x: number, y: number, h: number): Command[] => [
  { draw: 'shape', points: [x - 3.5, y, x, y, x, y + h, x - 3.5, y + h], closed: false, stroke: 'proof', width: 1.75 },
];

/** ] with ✓: the probe watched up to here and saw nothing. */
export const allClear = (x: number, y: number, h: number): Command[] => [
  { draw: 'shape', points: [x - 4.5, y, x, y, x, y + h, x - 4.5, y + h], closed: false, stroke: 'proof', width: 2 },
  {
    draw: 'shape',
    points: [x + 4, y + h / 2, x + 6.5, y + h / 2 + 2.75, x + 11, y + h / 2 - 3],
    closed: false,
    stroke: 'proof',
    width: 1.75,
  },
];

/** · i △ ◆: how bad a verdict is. */
export function sign(severity: Severity, x: number, y: number, size = 1): Command[] {
  switch (severity) {
    case 'ok':
    case 'info':
      return [{ draw: 'circle', x, y, r: 1.75 * size, fill: 'faint' }];
    case 'note':
      return [
        { draw: 'rect', x: x - 0.9, y: y - 1.5 * size, w: 1.8, h: 6 * size, fill: 'soft' },
        { draw: 'rect', x: x - 0.9, y: y - 4.5 * size, w: 1.8, h: 1.9, fill: 'soft' },
      ];
    case 'warn':
      return [
        {
          draw: 'shape',
          points: [x, y - 5 * size, x + 5.5 * size, y + 4.5 * size, x - 5.5 * size, y + 4.5 * size],
          closed: true,
          fill: 'page',
          stroke: 'cancel',
          width: 1.6,
        },
      ];
    case 'breach':
      return [{ draw: 'shape', points: diamondAt(x, y, 6 * size), closed: true, fill: 'breach' }];
  }
}

/** The head of an arrow at the end of a path, pointing along it. */
export function tip(points: readonly number[], fill: Colour): Command[] {
  const [x, y] = [points.at(-2) ?? 0, points.at(-1) ?? 0];
  const [px, py] = [points.at(-4) ?? x - 1, points.at(-3) ?? y];
  const length = Math.hypot(x - px, y - py) || 1;
  const [dx, dy] = [(x - px) / length, (y - py) / length];
  return [
    {
      draw: 'shape',
      points: [x, y, x - 6 * dx - 3 * dy, y - 6 * dy + 3 * dx, x - 6 * dx + 3 * dy, y - 6 * dy - 3 * dx],
      closed: true,
      fill,
    },
  ];
}

/** How many marks share these pixels. */
export const count = (n: number, x: number, y: number): Command[] => {
  const text = n > 999 ? '1k+' : String(n);
  const r = 5 + Math.max(0, text.length - 1) * 2 + (text.length === 1 ? 1 : 0);
  return [
    { draw: 'rect', x: x - r, y: y - 6, w: 2 * r, h: 12, fill: 'page', radius: 6 },
    { draw: 'frame', x: x - r, y: y - 6, w: 2 * r, h: 12, stroke: 'line', width: 1, radius: 6 },
    { draw: 'text', x, y: y + 3.25, text, face: 'count', fill: 'ink', align: 'center' },
  ];
};

/** A hollow ring: no probe watched, so nothing is known of effects. */
export const notProbedRing = (x: number, y: number): Command => ({ draw: 'circle', x, y, r: 4, stroke: 'unknown', width: 1.5 });

/** A thin line: the probes of the call look. */
export const watched = (x1: number, x2: number, y: number): Command[] => [
  { draw: 'line', x1, y1: y, x2, y2: y, stroke: 'proof', width: 1, alpha: 0.75 },
];

/** Hatch where they could not. */
export const unwatched = (x1: number, x2: number, y: number): Command[] => [
  { draw: 'hatch', x: x1, y: y - 2, w: Math.max(2, x2 - x1), h: 4, fill: 'unknown', alpha: 1, fade: 0, fadeTo: 1, phase: x1 },
];

const FAULT_SIGNS: Readonly<Record<Exclude<Fault, 'hold' | 'reorder'>, string>> = { delay: '…', drop: '✕', duplicate: '2', cut: '∕' };

/** What was done, in a badge around a point: a pause, two arrows that pass each other, else a sign. */
function faultSign(kind: Fault, x: number, y: number): Command[] {
  const fill = 'on-fault';
  if (kind === 'hold') return [-2.6, 0.8].map((dx) => ({ draw: 'rect', x: x + dx, y: y - 3, w: 1.8, h: 6, fill }));
  if (kind !== 'reorder') return [{ draw: 'text', x, y: y + 3.25, text: FAULT_SIGNS[kind], face: 'count', fill, align: 'center' }];
  return [
    { draw: 'shape', points: [x - 4, y - 2, x + 3.5, y - 2, x + 1.5, y - 4], closed: false, stroke: fill, width: 1.2 },
    { draw: 'shape', points: [x + 4, y + 2, x - 3.5, y + 2, x - 1.5, y + 4], closed: false, stroke: fill, width: 1.2 },
  ];
}

/** A square badge with what was done: a fault of ours, and never the server's doing. */
export const fault = (kind: Fault, x: number, y: number): Command[] => [
  { draw: 'rect', x: x - 6, y: y - 6, w: 12, h: 12, fill: 'fault', radius: 2 },
  ...faultSign(kind, x, y),
];

/** A clamp under a bar: a message is kept, until it is let go where that is known. */
export const clamp = (x1: number, x2: number, y: number, released: boolean): Command[] => [
  { draw: 'line', x1, y1: y, x2, y2: y, stroke: 'fault', width: 2.5 },
  ...(released ? [{ draw: 'line', x1: x2, y1: y - 5, x2, y2: y + 2, stroke: 'fault', width: 2 } as const] : []),
];

/** A gear's tooth on the lower band: a process lives, a span goes on. A sign of work, not an effect. */
export const work = (x: number, y: number, h: number): Command[] => [
  {
    draw: 'shape',
    points: [x - 4, y + h / 2, x - 4, y, x - 2, y - h / 2 - 1, x + 2, y - h / 2 - 1, x + 4, y, x + 4, y + h / 2],
    closed: true,
    fill: 'page',
    stroke: 'late',
    width: 1.4,
  },
];

/** A bracket with a lock: something is held open from here on, until it is let go of where that is known. */
export const held = (x1: number, x2: number, y: number, freed: boolean): Command[] => [
  {
    draw: 'shape',
    points: freed ? [x1, y + 5, x1, y, x2, y, x2, y + 5] : [x1, y + 5, x1, y, x2, y],
    closed: false,
    stroke: 'cancel',
    width: 1.5,
    ...(freed ? {} : { dash: [4, 3] }),
  },
  { draw: 'rect', x: x1 - 3.5, y: y - 1, w: 7, h: 6, fill: 'cancel', radius: 1 },
  { draw: 'circle', x: x1, y: y - 1.5, r: 2.25, stroke: 'cancel', width: 1.25 },
];
