// One call drawn on one row: its spans as bars, its marks as glyphs, its words where there is room. Everything is put into
// layers that the scene stacks for all rows together, and every drawn thing leaves a box by which a pointer finds it again.
import { asNs, type Ns, words } from '../../app/base/time';
import type { Seq } from '../../app/wire/frame';
import type { Colour } from '../theme/theme';
import type { Command } from './draw';
import type { RowGeometry } from './geometry';
import * as glyph from './glyphs';
import { draw, type Interval, type Place, place, TRACKS, type Track, type Wish } from './labels';
import { type EffectMark, firstAfter, type Mark, type Picture } from './marks';
import { add, cut, far, isIn, left, type RowStage, rankOf, right, type Sheet, spanHit, take, upperOf, WORDS, wish } from './sheet';
import { drawTask, drawTaskState, taskCap } from './taskRow';
import { labels, nameOf, openLabels, requestText } from './words';

/**
 * Draws the pictures that share a row.
 * @param edges how far each one's open spans may reach; to now where there is none
 */
export function drawRow(
  pictures: readonly Picture[],
  edges: readonly Ns[],
  shared: boolean,
  top: number,
  row: RowGeometry,
  stage: RowStage,
): void {
  const sheet: Sheet = { ...stage, top, row, shared, taken: { upper: [], lower: [], below: [] }, wishes: [], edge: stage.now };
  for (const wall of stage.walls) for (const track of TRACKS) take(sheet, track, wall - 1, wall + 1);
  for (const track of ['upper', 'lower'] as const) sheet.taken[track].push(...(stage.covered?.[track] ?? []));
  for (const [index, of] of pictures.entries()) {
    const own = { ...sheet, edge: asNs(Math.min(stage.now, edges[index] ?? stage.now)) };
    drawSpans(of, own);
    drawMarks(of, own);
  }
  const { left, width } = sheet.scale;
  const baselines: Record<Track, number> = {
    upper: top + row.upper.y + 11,
    lower: top + row.lower.y + row.lower.h / 2 + 3.5,
    below: top + (row.below ?? 0),
  };
  const wishes = row.below === undefined ? sheet.wishes.map(withoutBelow) : sheet.wishes;
  for (const placed of place(wishes, sheet.taken, { from: left + 3, to: left + width - 3 }, sheet.measure))
    sheet.into.words.push(draw(placed, baselines[placed.track]));
}

const withoutBelow = (wish: Wish): Wish => ({ ...wish, places: wish.places.filter((at) => at.track !== 'below') });

function drawSpans(of: Picture, sheet: Sheet): void {
  drawGone(of, sheet);
  drawOpen(of, sheet);
  drawWaiting(of, sheet);
  drawTask(of, sheet);
  drawAlive(of, sheet);
  drawUnknown(of, sheet);
  drawWatched(of, sheet);
}

/** The line under the row's bands: its probes look. Where they could not is drawn over it, as a mark. */
function drawWatched(of: Picture, sheet: Sheet): void {
  const x = of.watched && cut(of.watched, sheet);
  if (!x) return;
  const y = watchLine(sheet);
  sheet.into.bars.push(...glyph.watched(x.from, x.to, y));
  spanHit(of, 'watched', x, y - 1.5, 3, sheet);
}

const watchLine = ({ top, row }: Sheet): number => top + Math.max(row.lower.y + row.lower.h, row.upper.y + row.upper.h) + 2.5;

function drawWaiting(of: Picture, sheet: Sheet): void {
  const x = cut(of.waits, sheet);
  if (!x) return;
  const { upper } = sheet.row;
  const y = sheet.top + upper.y;
  const w = Math.max(1, x.to - x.from);
  sheet.into.bars.push({ draw: 'rect', x: x.from, y, w, h: upper.h, fill: 'request', alpha: 0.26 });
  if (w > 3) {
    sheet.into.bars.push({ draw: 'line', x1: x.from, y1: y + 0.5, x2: x.to, y2: y + 0.5, stroke: 'request', width: 1, alpha: 0.85 });
    const bottom = y + upper.h - 0.5;
    sheet.into.bars.push({ draw: 'line', x1: x.from, y1: bottom, x2: x.to, y2: bottom, stroke: 'request', width: 1, alpha: 0.85 });
  }
  spanHit(of, 'waits', x, y, upper.h, sheet);
  drawDeliveries(of, sheet);
  take(sheet, 'upper', x.from, x.to);
  sheet.wishes.push(requestWish(of, x, sheet));
}

/** Full instead of pale: over HTTP the response has begun. */
function drawDeliveries(of: Picture, sheet: Sheet): void {
  const { upper } = sheet.row;
  const y = sheet.top + upper.y;
  for (const delivery of of.delivers) {
    const x = cut(delivery, sheet);
    if (!x) continue;
    sheet.into.bars.push({ draw: 'rect', x: x.from, y, w: Math.max(1, x.to - x.from), h: upper.h, fill: 'request', alpha: 0.4 });
    spanHit(of, 'delivers', x, y, upper.h, sheet);
  }
}

/** Inside the bar if it fits; else to its right, faint, since the gutter names the call already. */
function requestWish(of: Picture, x: Interval, sheet: Sheet): Wish {
  const inside: Place = { track: 'upper', x: insideFrom(x, sheet), hang: 'right', slide: 0, inside: roomTo(of, x, sheet) - 10 };
  // On a shared row a name beside its bar goes with the answer's words: two calls' words would be mixed up else.
  if (sheet.shared) return { texts: [nameOf(of)], face: 'label', rank: WORDS.reply + 1, fill: 'ink', places: [inside] };
  // Of a task the band holds the names of its states, and the gutter its own.
  const beside =
    of.c === undefined && of.waits.to !== undefined && !of.task ? [{ ...right('upper', x.to + 6, 110), fill: 'faint' } as const] : [];
  return { texts: [requestText(of)], face: 'label', rank: WORDS.request, fill: 'ink', places: [inside, ...beside] };
}

/** Where the room for a name inside a bar ends: at its end, or at the first badge in it. */
function roomTo(of: Picture, x: Interval, { scale }: Sheet): number {
  const badges = of.marks.flatMap((mark) => (mark.mark === 'fault' ? [scale.x(mark.at)] : []));
  return Math.min(x.to, ...badges.filter((at) => at > x.from));
}

const insideFrom = (x: Interval, { scale }: Sheet): number => Math.max(x.from, scale.left) + 8;

/** Whether the name of a call on a shared row stands inside its bar. */
function isNamedInside(of: Picture, sheet: Sheet): boolean {
  const x = cut(of.waits, sheet);
  return x !== undefined && insideFrom(x, sheet) + sheet.measure(nameOf(of), 'label') <= roomTo(of, x, sheet) - 10;
}

const DASH = [4, 4] as const;

function drawGone(of: Picture, sheet: Sheet): void {
  const x = of.gone && cut(of.gone, sheet, DASH[0] + DASH[1]);
  if (!x) return;
  const { upper } = sheet.row;
  const y = sheet.top + upper.y;
  const alpha = of.verdict?.settled ? 0.5 : 0.9;
  for (const at of [y + 0.5, y + upper.h - 0.5])
    sheet.into.bars.push({ draw: 'line', x1: x.from, y1: at, x2: x.to, y2: at, stroke: 'request', width: 1, dash: DASH, alpha });
  spanHit(of, 'gone', x, y, upper.h, sheet);
}

/** A response that is left open: the band stays lightly filled over a solid floor, with an end only where somebody closed it. */
function drawOpen(of: Picture, sheet: Sheet): void {
  const { open } = of;
  const x = open && cut({ from: open.since, to: open.until }, sheet);
  if (!open || !x) return;
  const { upper } = sheet.row;
  const y = sheet.top + upper.y;
  const end = sheet.scale.x(open.until ?? sheet.edge);
  sheet.into.bars.push(...glyph.leftOpen(x.from, x.to, y, upper.h, open.until !== undefined && isIn(end, sheet.scale, 4)));
  spanHit(of, 'open', x, y, upper.h, sheet);
  const from = Math.max(x.from, sheet.scale.left) + 9;
  const texts = openLabels(open, sheet.now);
  sheet.wishes.push({ texts, places: [right('upper', from, 240)], face: 'label', fill: 'cancel-text', rank: WORDS.stop - 2 });
}

function drawAlive(of: Picture, sheet: Sheet): void {
  const x = of.alive && cut(of.alive, sheet);
  if (!x) return;
  const { lower } = sheet.row;
  const y = sheet.top + lower.y;
  sheet.into.bars.push({ draw: 'rect', x: x.from, y, w: Math.max(1, x.to - x.from), h: lower.h, fill: 'request', alpha: 0.78 });
  spanHit(of, 'alive', x, y - 2, lower.h + 4, sheet);
  take(sheet, 'lower', x.from, x.to);
  drawTicks(of, sheet);
}

/** One tick for each two pixels at most, found by walking the pixels, not the notifications. */
function drawTicks(of: Picture, sheet: Sheet): void {
  const { scale, trace, row, top } = sheet;
  const seqs: readonly Seq[] = of.call.progress;
  const since = of.c ?? (of.waits.to === undefined ? Number.POSITIVE_INFINITY : of.waits.to);
  const y = top + row.lower.y - 2;
  const end = scale.left + scale.width;
  let index = firstAfter(trace, seqs, scale.from - 1);
  while (index < seqs.length) {
    const t = trace.t(seqs[index] ?? 0);
    const x = scale.x(t);
    if (x > end) return;
    const fill: Colour = t > since ? 'late' : 'request';
    sheet.into.threads.push({ draw: 'rect', x: x - 0.5, y, w: fill === 'late' ? 1.5 : 1, h: row.lower.h + 4, fill });
    index = Math.max(index + 1, firstAfter(trace, seqs, scale.t(x + 2)));
  }
}

/** Strength of an open hatch some way after the stop, once nobody expects anything any more: still unknown, but calm. */
const CALM = 0.3;
const CALM_AFTER = 220;
const FADE = 160;

function drawUnknown(of: Picture, sheet: Sheet): void {
  const x = of.unknown && cut(of.unknown, sheet);
  if (!of.unknown || !x) return;
  const { lower } = sheet.row;
  const y = sheet.top + lower.y;
  const w = Math.max(1, x.to - x.from);
  const hatch = { draw: 'hatch', y, h: lower.h, fill: 'unknown', phase: x.phase } as const;
  spanHit(of, 'unknown', x, y - 2, lower.h + 4, sheet);
  take(sheet, 'lower', x.from, x.to);
  if (of.unknown.to !== undefined) {
    // A closed one ends at a mark that says how long it was.
    sheet.into.bars.push({ ...hatch, x: x.from, w, alpha: 1, fade: 0, fadeTo: 1 });
    return;
  }
  const strong = of.verdict?.settled ? Math.max(0, Math.min(w, x.phase + CALM_AFTER - x.from)) : w;
  const fade = Math.min(w, FADE);
  if (strong === w) sheet.into.bars.push({ ...hatch, x: x.from, w, alpha: 1, fade, fadeTo: 0 });
  else {
    if (strong > 0) sheet.into.bars.push({ ...hatch, x: x.from, w: strong, alpha: 1, fade: CALM_AFTER * 0.7, fadeTo: CALM });
    sheet.into.bars.push({ ...hatch, x: x.from + strong, w: w - strong, alpha: CALM, fade, fadeTo: 0 });
  }
  if (w >= 56) sheet.wishes.push(unknownWish(of, of.unknown.from, x, sheet));
}

function unknownWish(of: Picture, since: Ns, x: Interval, { now, scale }: Sheet): Wish {
  const from = Math.max(x.from, scale.left) + 7;
  const unknown = `unknown ${words(asNs(now - since))}`;
  const texts = of.stop === 'stream-closed' ? [`${unknown}, nothing can be heard`, unknown] : [unknown];
  return { texts, places: [right('below', from, 240)], face: 'label', fill: 'unknown-text', rank: WORDS.unknown };
}

function drawMarks(of: Picture, sheet: Sheet): void {
  const effects: EffectMark[] = [];
  for (const mark of of.marks) {
    if (mark.mark === 'effect') effects.push(mark);
    else drawMark(mark, of, sheet);
  }
  // A mark in view never hides in one that is not: each side has its own clusters, and those in view are drawn last.
  const isInView = (mark: EffectMark): boolean => isIn(sheet.scale.x(mark.at), sheet.scale, 0);
  const outside = clusters(
    effects.filter((mark) => !isInView(mark)),
    sheet,
  );
  for (const { mark, members } of [...outside, ...clusters(effects.filter(isInView), sheet)]) drawEffect(mark, members, of, sheet);
}

function drawMark(mark: Exclude<Mark, EffectMark>, of: Picture, sheet: Sheet): void {
  const x = sheet.scale.x(mark.at);
  switch (mark.mark) {
    case 'request':
      drawRequest(mark, of, x, sheet);
      break;
    case 'reply':
      drawReply(mark, of, x, sheet);
      break;
    case 'late-reply':
      drawLate(mark, of, x, sheet);
      break;
    case 'duplicate-reply':
      drawDuplicate(mark, of, x, sheet);
      break;
    case 'lost':
      drawLost(mark, of, x, sheet);
      break;
    case 'progress':
      drawProgress(mark, of, x, sheet);
      break;
    case 'cancel':
    case 'untold':
    case 'closed':
    case 'killed':
    case 'task-cancel':
      drawStop(mark, of, x, sheet);
      break;
    case 'task-state':
      drawTaskState(mark, of, x, sheet);
      break;
    case 'too-late':
      drawTooLate(mark, of, x, sheet);
      break;
    case 'fence':
      drawFence(mark, of, x, sheet);
      break;
    case 'all-clear':
      drawClear(mark, of, x, sheet);
      break;
    case 'gap':
      drawGap(mark, of, sheet);
      break;
    case 'work':
      drawWork(mark, of, x, sheet);
      break;
    case 'held':
      drawHeld(mark, of, x, sheet);
      break;
    case 'fault':
      drawFault(mark, of, x, sheet);
      break;
  }
}

function drawRequest(mark: Mark, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 4)) return;
  const y = sheet.top + sheet.row.upper.y;
  const { h } = sheet.row.upper;
  add(mark, [mark], of, { commands: [{ draw: 'rect', x, y, w: 2, h, fill: 'request' }], box: { x: x - 2, y, w: 6, h } }, sheet);
}

function drawReply(mark: Extract<Mark, { mark: 'reply' }>, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 12)) return;
  const { y, h } = upperOf(sheet);
  const failed = mark.failed !== 'no' && mark.task !== 'cancelled';
  const commands = mark.task !== undefined ? taskCap(mark.task, x, sheet) : failed ? glyph.errorCap(x, y, h) : glyph.replyCap(x, y, h);
  const after = x + (mark.task !== undefined ? 11 : failed ? 8 : 1);
  add(mark, [mark], of, { commands, box: { x: x - 6, y, w: after - x + 8, h } }, sheet);
  if (after > x + 1) take(sheet, 'upper', x, after);
  const said = labels(mark, of);
  const texts = sheet.shared && !isNamedInside(of, sheet) ? [...said.map((text) => `${nameOf(of)} ${text}`), nameOf(of)] : said;
  sheet.wishes.push({
    texts,
    places: [right('upper', after + 5, sheet.shared ? 160 : 60)],
    face: failed ? 'strong' : 'label',
    fill: failed ? 'request-text' : 'soft',
    rank: WORDS.reply + (failed ? 5 : 0),
  });
}

function drawLate(mark: Extract<Mark, { mark: 'late-reply' }>, of: Picture, x: number, sheet: Sheet): void {
  const { y, h } = upperOf(sheet);
  const thread = of.c === undefined ? undefined : cut({ from: of.c, to: mark.at }, sheet, 5);
  if (thread && thread.to - thread.from > 2) {
    const middle = y + h / 2;
    sheet.into.threads.push({
      draw: 'line',
      x1: thread.from,
      y1: middle,
      x2: thread.to,
      y2: middle,
      stroke: 'late',
      width: 1.5,
      dash: [2, 3],
    });
    take(sheet, 'upper', thread.from, thread.to);
  }
  if (!isIn(x, sheet.scale, 12)) return;
  const outcome = mark.task === undefined ? [] : glyph.taskState(mark.task, x + 11, y, h, 'late').slice(1);
  add(
    mark,
    [mark],
    of,
    { commands: [...glyph.lateReply(x, y, h, mark.failed && mark.task === undefined), ...outcome], box: { x: x - 2, y, w: 14, h } },
    sheet,
  );
  const end = x + (outcome.length > 0 ? 22 : mark.failed ? 15 : 10);
  take(sheet, 'upper', x - 1, end);
  const places = [right('upper', end + 6, 0), left('upper', x - 4, 0), right('below', x - 4, 60), far(right('upper', end + 6, 80))];
  wish(mark, of, sheet, 'late-text', WORDS.late, places, true);
}

function drawDuplicate(mark: Mark, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 14)) return;
  const { y, h } = upperOf(sheet);
  add(mark, [mark], of, { commands: glyph.duplicateReply(x, y, h), box: { x: x - 2, y, w: 16, h } }, sheet);
  take(sheet, 'upper', x - 1, x + 13);
  wish(mark, of, sheet, 'late-text', WORDS.late - 5, [right('upper', x + 18, 40)]);
}

function drawLost(mark: Mark, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 6)) return;
  const { y, h } = upperOf(sheet);
  add(mark, [mark], of, { commands: glyph.tornCap(x, y, h), box: { x: x - 6, y, w: 9, h } }, sheet);
  take(sheet, 'upper', x - 4, x + 1);
  wish(mark, of, sheet, 'unknown-text', WORDS.clear, [right('upper', x + 6, 30)], true);
}

function drawProgress(mark: Extract<Mark, { mark: 'progress' }>, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 4)) return;
  const { lower } = sheet.row;
  const box = { x: x - 3, y: sheet.top + lower.y - 3, w: 7, h: lower.h + 6 };
  add(mark, [mark], of, { commands: [], box }, sheet);
  const late = mark.after > 0 && of.c !== undefined;
  const first = late && of.c !== undefined ? Math.max(sheet.scale.x(of.c), sheet.scale.left) + 8 : x + 6;
  const places = late
    ? [right('below', first, 60), right('upper', first, 160), right('lower', x + 6, 0)]
    : [right('lower', x + 6, 0), left('below', x + 3, 0), right('upper', x + 6, 0)];
  wish(mark, of, sheet, late ? 'late-text' : 'soft', late ? WORDS.late - 10 : WORDS.progress, places);
}

function drawStop(mark: Stop, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 8)) return;
  const { top, row } = sheet;
  const y = top + Math.max(0, row.upper.y - 5);
  const bottom = top + row.lower.y + row.lower.h + 3;
  const dash = isUntold(mark) ? { dash: [2, 3] as const } : {};
  const line: Command = { draw: 'line', x1: x, y1: y + 2, x2: x, y2: bottom, stroke: 'cancel', width: 2, ...dash };
  add(mark, [mark], of, { commands: [line, ...stopHead(mark, x, y)], box: { x: x - 5, y, w: 10, h: bottom - y } }, sheet);
  take(sheet, 'upper', x - 5, x + 3);
  take(sheet, 'lower', x - 2, x + 2);
  const places = [right('below', x - 1, 24), left('below', x + 2, 0), right('below', x - 1, 200), far(right('upper', x + 8, 200))];
  wish(mark, of, sheet, 'cancel-text', WORDS.stop, places);
}

type Stop = Extract<Mark, { mark: 'cancel' | 'untold' | 'closed' | 'killed' | 'task-cancel' }>;

/** Nobody was told: also where the POST of the cancel was refused, and where it was the wrong means. */
const isUntold = (mark: Stop): boolean =>
  mark.mark === 'untold' || (mark.mark === 'cancel' && (mark.wrong || mark.post?.refused !== undefined));

function stopHead(mark: Stop, x: number, y: number): Command[] {
  if (mark.mark === 'killed') return glyph.killHead(x, y);
  if (mark.mark === 'task-cancel') return mark.timeout ? glyph.timeoutHead(x, y) : glyph.taskCancelHead(x, y);
  if (mark.mark === 'closed') return glyph.cutLine(x, y + 6);
  if (mark.mark === 'untold' && mark.why === 'dropped') return [...glyph.untoldHead(x, y), ...glyph.cutLine(x, y + 13)];
  if (mark.mark === 'untold' || isUntold(mark)) return glyph.untoldHead(x, y);
  return mark.timeout ? glyph.timeoutHead(x, y) : glyph.cancelHead(x, y);
}

function drawTooLate(mark: Mark, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 8)) return;
  const y = sheet.top + sheet.row.upper.y + 3;
  add(mark, [mark], of, { commands: glyph.untoldHead(x, y), box: { x: x - 7, y: y - 2, w: 14, h: 13 } }, sheet);
  take(sheet, 'upper', x - 6, x + 6);
  wish(mark, of, sheet, 'cancel-text', WORDS.stop, [right('upper', x + 11, 40), right('below', x - 5, 40)]);
}

/** Beside the cancel line where both fall on the same pixels: ping, then pong. */
function drawFence(mark: Extract<Mark, { mark: 'fence' }>, of: Picture, at: number, sheet: Sheet): void {
  const { upper } = sheet.row;
  const y = sheet.top + Math.max(0, upper.y - 4);
  const h = upper.y + upper.h + sheet.top - y;
  const stop = of.c === undefined ? at : sheet.scale.x(of.c);
  const ping = at - stop < 6 ? stop + 5 : at;
  const open = asNs(Math.min(sheet.now, mark.until ?? sheet.now));
  const pong = Math.max(sheet.scale.x(mark.pong?.t ?? open), ping + 6);
  if (!isIn(ping, sheet.scale, 8) && !isIn(pong, sheet.scale, 8)) return;
  const span = cut({ from: sheet.scale.t(ping + 3), to: sheet.scale.t(pong) }, sheet, 5);
  const between: Command[] =
    span && span.to - span.from > 6
      ? [{ draw: 'line', x1: span.from, y1: y + 1, x2: span.to - 3, y2: y + 1, stroke: 'proof', width: 1, dash: [2, 3] }]
      : [];
  const close = mark.pong ? glyph.fencePong(pong, y, h) : [];
  const box = { x: ping - 3, y, w: mark.pong ? Math.min(pong, sheet.scale.left + sheet.scale.width) - ping + 5 : 8, h };
  add(mark, [mark], of, { commands: [...between, ...glyph.fencePing(ping, y, h), ...close], box }, sheet);
  take(sheet, 'upper', ping - 3, ping + 3);
  if (mark.pong) take(sheet, 'upper', pong - 4, pong + 1);
  const after = mark.pong ? pong : ping;
  wish(mark, of, sheet, mark.pong ? 'proof-text' : 'unknown-text', WORDS.fence, [right('upper', after + 6, 40)]);
}

function drawClear(mark: Mark, of: Picture, x: number, sheet: Sheet): void {
  if (!isIn(x, sheet.scale, 14)) return;
  const { lower } = sheet.row;
  const y = sheet.top + lower.y - 3;
  const h = lower.h + 6;
  add(mark, [mark], of, { commands: glyph.allClear(x, y, h), box: { x: x - 5, y, w: 18, h } }, sheet);
  take(sheet, 'lower', x - 5, x + 12);
  wish(mark, of, sheet, 'proof-text', WORDS.clear, [left('upper', x + 1, 0), right('lower', x + 17, 0), left('below', x + 1, 0)]);
}

function drawGap(mark: Extract<Mark, { mark: 'gap' }>, of: Picture, sheet: Sheet): void {
  const x = cut({ from: mark.at, to: mark.until }, sheet);
  if (!x) return;
  const y = watchLine(sheet);
  const w = Math.max(2, x.to - x.from);
  add(mark, [mark], of, { commands: glyph.unwatched(x.from, x.from + w, y), box: { x: x.from, y: y - 2, w, h: 4 } }, sheet);
}

/** A tooth where work was last seen to go on, and a thread from where it was first seen. */
function drawWork(mark: Extract<Mark, { mark: 'work' }>, of: Picture, x: number, sheet: Sheet): void {
  const { lower } = sheet.row;
  const y = sheet.top + lower.y + lower.h / 2;
  const thread = cut({ from: mark.since, to: mark.at }, sheet, 4);
  if (thread && thread.to - thread.from > 8)
    sheet.into.threads.push({ draw: 'line', x1: thread.from, y1: y, x2: thread.to - 4, y2: y, stroke: 'late', width: 1, dash: [1, 3] });
  if (!isIn(x, sheet.scale, 6)) return;
  add(mark, [mark], of, { commands: glyph.work(x, y, lower.h), box: { x: x - 5, y: y - 6, w: 10, h: 12 } }, sheet);
  take(sheet, 'lower', x - 5, x + 5);
  wish(mark, of, sheet, mark.after ? 'late-text' : 'soft', mark.after ? WORDS.late - 8 : WORDS.progress, [
    right('lower', x + 9, 0),
    right('below', x - 4, 120),
    left('below', x + 4, 0),
  ]);
}

function drawHeld(mark: Extract<Mark, { mark: 'held' }>, of: Picture, at: number, sheet: Sheet): void {
  const x = cut({ from: mark.at, to: mark.freed?.t }, sheet, 7);
  if (!x) return;
  const y = sheet.top + sheet.row.lower.y - 3;
  const from = Math.max(x.from, at);
  add(
    mark,
    [mark],
    of,
    {
      commands: glyph.held(from, Math.max(from + 8, x.to), y, mark.freed !== undefined),
      box: { x: from - 4, y: y - 5, w: Math.max(10, x.to - from), h: 10 },
    },
    sheet,
  );
  wish(mark, of, sheet, 'cancel-text', WORDS.clear, [right('below', from - 3, 160)]);
}

/** A badge at the message, and a clamp over the time for which it is kept: ours, in a colour of its own. */
function drawFault(mark: Extract<Mark, { mark: 'fault' }>, of: Picture, at: number, sheet: Sheet): void {
  const { y, h } = upperOf(sheet);
  const clamp = mark.keeps ? cut({ from: mark.at, to: mark.until?.t }, sheet) : undefined;
  if (clamp && clamp.to - clamp.from > 4) {
    sheet.into.threads.push(...glyph.clamp(clamp.from, clamp.to, y + h - 2.5, mark.until !== undefined));
    take(sheet, 'upper', clamp.from, clamp.to);
  }
  if (!isIn(at, sheet.scale, 8)) return;
  const middle = y + h / 2;
  add(mark, [mark], of, { commands: glyph.fault(mark.fault, at, middle), box: { x: at - 7, y: middle - 7, w: 14, h: 14 } }, sheet);
  take(sheet, 'upper', at - 7, at + 7);
  wish(mark, of, sheet, 'fault-text', WORDS.fence + 1, [
    right('upper', at + 10, 40),
    right('below', at - 5, 60),
    left('upper', at - 10, 0),
  ]);
}

function drawEffect(mark: EffectMark, members: readonly EffectMark[], of: Picture, sheet: Sheet): void {
  const { scale, diamond: half } = sheet;
  const x = scale.x(mark.at);
  const y = sheet.top + sheet.row.lower.y + sheet.row.lower.h / 2;
  drawReach(mark, x, y, sheet);
  if (mark.state === 'after' && !mark.reverted) drawArrow(of, mark, x, y, sheet);
  if (mark.reverted) drawReturn(mark.reverted.t, x, y, sheet);
  if (!isIn(x, scale, half + 2)) return;
  const commands = [...effectGlyph(mark, x, y, half), ...(members.length > 1 ? glyph.count(members.length, x + half, y - half + 2) : [])];
  add(mark, members, of, { commands, box: { x: x - half - 2, y: y - half - 2, w: 2 * half + 4, h: 2 * half + 4 } }, sheet);
  take(sheet, 'lower', x - half - 1, x + half + 1);
  const beside = x + half + 6;
  const places = [
    right('lower', beside, 0),
    right('below', x - half * 0.5, mark.reverted ? 400 : 40),
    left('lower', x - half - 6, 0),
    left('below', x + half * 0.5, 0),
    far(right('upper', beside, 120)),
  ];
  const fill: Colour = mark.reverted
    ? 'soft'
    : mark.state === 'after'
      ? 'breach-text'
      : mark.state === 'straddles'
        ? 'unknown-text'
        : 'ink';
  wish(mark, of, sheet, fill, WORDS.evidence + rankOf(mark), places, mark.state === 'after' && !mark.reverted, members.length);
}

function effectGlyph(mark: EffectMark, x: number, y: number, half: number): readonly Command[] {
  if (mark.reverted) return glyph.effectReverted(x, y, half);
  const inferred = mark.certainty === 'inferred';
  switch (mark.state) {
    case 'after':
      return glyph.effectAfter(x, y, half, inferred);
    case 'straddles':
      return glyph.effectStraddles(x, y, half);
    case 'before':
    case 'observed':
      return glyph.effectBefore(x, y, half, inferred);
  }
}

/** The interval in which it happened, where it is wider than the mark. */
function drawReach(mark: EffectMark, x: number, y: number, sheet: Sheet): void {
  const span = cut({ from: mark.lo, to: mark.hi }, sheet);
  if (!span || sheet.scale.x(mark.hi) - sheet.scale.x(mark.lo) < sheet.diamond + 4) return;
  const stroke: Colour = mark.reverted ? 'soft' : mark.state === 'after' ? 'breach' : mark.state === 'straddles' ? 'unknown' : 'ink';
  sheet.into.threads.push(...glyph.interval(span.from, span.to, y, stroke));
  take(sheet, 'lower', Math.min(span.from, x), Math.max(span.to, x));
}

function drawArrow(of: Picture, mark: EffectMark, x: number, y: number, sheet: Sheet): void {
  const span = of.c === undefined ? undefined : cut({ from: of.c, to: mark.at }, sheet);
  const tip = x - sheet.diamond - 1.5;
  if (!span || tip - span.from < 16) return;
  sheet.into.threads.push(...glyph.arrow(span.from + 1, Math.min(tip, span.to + 40), y, mark.certainty === 'inferred'));
  take(sheet, 'lower', span.from, x);
}

function drawReturn(back: Ns, x: number, y: number, sheet: Sheet): void {
  const end = Math.min(sheet.scale.x(back), sheet.scale.left + sheet.scale.width + 24);
  const start = Math.max(x, sheet.scale.left - 24);
  if (end < sheet.scale.left || start > sheet.scale.left + sheet.scale.width) return;
  const stop = Math.max(end, start + 14);
  const foot = y + sheet.diamond;
  sheet.into.threads.push(...glyph.returnHook(start, stop, foot - 1, foot + 4));
  take(sheet, 'below', start - 2, stop + 4);
}

/** Effects on the same pixels become one mark: the worst, carrying the others. None is ever left out. */
function clusters(effects: readonly EffectMark[], sheet: Sheet): readonly { mark: EffectMark; members: EffectMark[] }[] {
  const found: { mark: EffectMark; x: number; members: EffectMark[] }[] = [];
  for (const mark of [...effects].sort((a, b) => rankOf(b) - rankOf(a) || a.at - b.at)) {
    const x = sheet.scale.x(mark.at);
    const near = found.find((cluster) => Math.abs(cluster.x - x) < 2 * sheet.diamond);
    if (near) near.members.push(mark);
    else found.push({ mark, x, members: [mark] });
  }
  return found;
}
