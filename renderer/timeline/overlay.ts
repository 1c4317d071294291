// What lies over the picture and changes with the pointer, the selection and time: what the pointer rests on, the chosen
// mark and what happened after what, the ruler, now.
import { asNs, type Ns, words } from '../../app/base/time';
import type { Box, Command } from './draw';
import type { Edge, End } from './edges';
import { topOf } from './geometry';
import * as glyph from './glyphs';
import type { Scale } from './scale';
import type { Scene } from './scene';
import type { Point, Ruler } from './view';
import type { Target } from './words';

export interface Over {
  readonly now: Ns;
  readonly live: boolean;
  readonly hover: Target | undefined;
  /** Of the selected call. */
  readonly edges: readonly Edge[];
  readonly ruler: Ruler | undefined;
  /** Where the pointer is while somebody measures. */
  readonly pointer: Point | undefined;
}

/** Draws it. */
export function overlay(shown: Scene, over: Over): Command[] {
  const { scale, input } = shown;
  const { geometry, selection, height, width } = input;
  const commands: Command[] = [{ draw: 'clip', x: 0, y: geometry.axis, w: width, h: Math.max(0, height - geometry.axis) }];
  if (over.hover) commands.push(...hovered(shown, over.hover));
  commands.push(...chosenOnLane(shown));
  for (const hit of shown.hits) {
    if (hit.target.on === 'mark' && selection?.seq !== undefined && hit.target.members.some((mark) => mark.seq === selection.seq))
      commands.push(ring(hit, 'focus', 1.5));
  }
  commands.push({ draw: 'unclip' });
  commands.push({ draw: 'clip', x: scale.left, y: geometry.axis, w: scale.width, h: Math.max(0, height - geometry.axis) });
  const arcs = over.edges.flatMap((edge) => arcOf(edge, shown) ?? []);
  commands.push(...arcs.flatMap(drawArc), ...wordsOver(arcs, shown), ...drawReasons(arcs, shown));
  commands.push({ draw: 'unclip' });
  if (over.live) commands.push(...nowLine(shown, over.now));
  if (over.ruler) commands.push(...drawRuler(over.ruler, over.pointer, shown));
  return commands;
}

const ring = (box: Box, stroke: 'focus' | 'soft', width: number): Command => ({
  draw: 'frame',
  x: box.x - 1,
  y: box.y - 1,
  w: box.w + 2,
  h: box.h + 2,
  stroke,
  width,
  radius: 4,
});

function hovered({ hits, input }: Scene, hover: Target): Command[] {
  const commands: Command[] = [];
  for (const hit of hits) {
    const { target } = hit;
    if (target.on === 'row' && sameRow(target, hover))
      commands.push({ draw: 'rect', x: 0, y: hit.y, w: input.width, h: hit.h, fill: 'ink', alpha: 0.045 });
    if (target.on === 'mark' && hover.on === 'mark' && target.mark.seq === hover.mark.seq && target.of.call === hover.of.call)
      commands.push(ring(hit, 'soft', 1));
  }
  return commands;
}

function sameRow(row: Extract<Target, { on: 'row' }>, hover: Target): boolean {
  if (hover.on === 'row' || hover.on === 'cells') return hover.row === row.row;
  return row.call !== undefined && 'of' in hover && hover.of.call.index === row.call;
}

/** The selected call's part of its lane: other calls lie beside it. */
function chosenOnLane({ input, scale }: Scene): Command[] {
  const { selection, lanes, geometry, top } = input;
  const index = selection && lanes.rowOf(selection.call);
  const row = index === undefined ? undefined : lanes.rows[index];
  if (!selection || index === undefined || row?.kind !== 'lane') return [];
  const place = lanes.placeOf(selection.call);
  const from = Math.max(scale.left + 1, scale.x(asNs(row.strip.start(place))));
  const to = Math.min(
    scale.left + scale.width - 1,
    scale.x(asNs(Math.min(row.strip.end(place), Math.max(input.now, row.strip.start(place))))),
  );
  if (to < from) return [];
  const y = topOf(index, lanes, geometry) - top + geometry.axis;
  return [ring({ x: from - 1, y: y + 1, w: Math.max(3, to - from + 2), h: geometry.group.height - 3 }, 'focus', 1.5)];
}

/** Edges shorter than this would hide the marks that they join; the marks lie in order there anyway. */
const LEAST = 30;

interface Arc {
  readonly edge: Edge;
  /** x, y, x, y and so on: one more than STEPS of them. */
  readonly points: readonly number[];
  /** How far it reaches from left to right. */
  readonly span: number;
}

/** The arc from cause to effect, where one of its ends is in view and it is long enough. */
function arcOf(edge: Edge, shown: Scene): Arc | undefined {
  const { scale } = shown;
  const from = pointOf(edge.from, shown, 'from');
  const to = pointOf(edge.to, shown, 'to');
  if (!from || !to) return undefined;
  const span = Math.abs(to.x - from.x);
  const isIn = ({ x }: { readonly x: number }): boolean => x >= scale.left && x <= scale.left + scale.width;
  if ((!isIn(from) && !isIn(to)) || span < LEAST) return undefined;
  return { edge, points: arc(from, to), span };
}

function drawArc({ edge, points }: Arc): Command[] {
  const dash = edge.proved ? {} : { dash: [4, 3] as const };
  return [
    { draw: 'shape', points, closed: false, stroke: 'halo', width: 3.5, alpha: 0.8 },
    { draw: 'shape', points, closed: false, stroke: 'ink', width: 1.25, ...dash },
    ...glyph.tip(points, 'ink'),
  ];
}

/** The words that arcs run through once more, over the arcs: a line goes behind letters, never through them. */
function wordsOver(arcs: readonly Arc[], { commands, input, scale }: Scene): Command[] {
  return commands.filter((command) => {
    if (command.draw !== 'text' || command.x < scale.left || command.y < input.geometry.axis) return false;
    // From the top of the letters to their foot; an arc may lie along that.
    const box = { x: command.x, y: command.y - 9, w: input.measure(command.text, command.face), h: 8 };
    return arcs.some(({ points }) => pieces(points).some((piece) => overlap(piece, box)));
  });
}

/** The boxes of an arc's straight pieces. */
function pieces(points: readonly number[]): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + 3 < points.length; at += 2) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points.slice(at, at + 4);
    boxes.push({ x: Math.min(x1, x2), y: Math.min(y1, y2), w: Math.abs(x2 - x1), h: Math.abs(y2 - y1) });
  }
  return boxes;
}

/** Of how many straight pieces an arc is made. */
const STEPS = 16;

/** At which of them its reason may stand: in the middle, else to one side. */
const ALONG = [8, 6, 10, 4, 12];
/** How far it may hang down from the arc: on it, or into its own row. */
const BELOW = [0, 8, 15];
const REASON = 12;

/** The reasons, on their arcs where no words and no marks stand; none where there is no such place. */
function drawReasons(arcs: readonly Arc[], shown: Scene): Command[] {
  if (arcs.length === 0) return [];
  const taken = occupied(shown);
  return arcs.flatMap(({ edge, points, span }): Command[] => {
    const w = shown.input.measure(edge.reason, 'count') + 6;
    if (span < w + 24) return [];
    const places = BELOW.flatMap((down) =>
      ALONG.map((step): Box => ({ x: (points[2 * step] ?? 0) - w / 2, y: (points[2 * step + 1] ?? 0) - REASON / 2 + down, w, h: REASON })),
    );
    const box = places.find((place) => !taken.some((other) => overlap(place, other)));
    if (!box) return [];
    taken.push(box);
    return [
      { draw: 'rect', ...box, fill: 'page', alpha: 0.92, radius: 3 },
      { draw: 'text', x: box.x + w / 2, y: box.y + 9.25, text: edge.reason, face: 'count', fill: 'ink', align: 'center' },
    ];
  });
}

/** What a reason must not cover: all words, and the marks that can be pointed at. */
function occupied({ commands, hits, input }: Scene): Box[] {
  const boxes: Box[] = hits.filter(({ target }) => target.on === 'mark' || target.on === 'cells');
  for (const command of commands) {
    if (command.draw !== 'text') continue;
    const w = input.measure(command.text, command.face);
    const x = command.x - (command.align === 'right' ? w : command.align === 'center' ? w / 2 : 0);
    boxes.push({ x, y: command.y - 9, w, h: 11 });
  }
  return boxes;
}

const overlap = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

function pointOf(end: End, { scale, input }: Scene, as: 'from' | 'to'): { readonly x: number; readonly y: number } | undefined {
  const { lanes, geometry, top } = input;
  const index = lanes.rowOf(end.call);
  const row = index === undefined ? undefined : lanes.rows[index];
  if (index === undefined || !row) return undefined;
  const shape = row.kind === 'call' ? geometry.call : geometry.group;
  const y0 = topOf(index, lanes, geometry) - top + geometry.axis;
  const x = scale.x(end.t);
  if (end.band === 'upper') return { x, y: y0 + shape.upper.y - 1 };
  // Words stand on the upper band: an arc comes down on a mark of the lower one from above, and leaves it sideways.
  const middle = y0 + shape.lower.y + shape.lower.h / 2;
  return as === 'to' ? { x, y: middle - geometry.diamond - 1 } : { x: x + geometry.diamond + 1, y: middle };
}

/** A flat arch from one to the other: it changes its height at its very end, and crosses as few words as it can. */
function arc(from: { x: number; y: number }, to: { x: number; y: number }): readonly number[] {
  // From the lower band it runs along that, and turns up.
  const rise = from.y > to.y ? 0 : Math.min(7, 3 + Math.abs(to.x - from.x) * 0.02);
  const points: number[] = [];
  for (let step = 0; step <= STEPS; step++) {
    const share = step / STEPS;
    points.push(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share ** 8 - rise * 4 * share * (1 - share));
  }
  return points;
}

/** The line is drawn where now is; its words stand at its foot, or at the edge behind which it has gone. */
function nowLine({ scale, input }: Scene, now: Ns): Command[] {
  const { height, geometry, measure } = input;
  const x = scale.x(now);
  const right = scale.left + scale.width;
  if (x < scale.left) return [];
  const away = x > right;
  const text = away ? `now, ${words(asNs(now - scale.to))} on ›` : 'now, live';
  const w = measure(text, 'label') + 10;
  const at = Math.max(scale.left, (away ? right : x) - w - 2);
  const line: Command[] = away ? [] : [{ draw: 'line', x1: x, y1: geometry.axis, x2: x, y2: height, stroke: 'ink', width: 1, alpha: 0.5 }];
  return [
    ...line,
    { draw: 'rect', x: at, y: height - 23, w, h: 17, fill: 'page', alpha: 0.9, radius: 3 },
    { draw: 'text', x: at + 5, y: height - 11, text, face: 'label', fill: 'soft' },
  ];
}

/** Two lines and the time between them; the second goes with the pointer until it is set. */
function drawRuler(ruler: Ruler, pointer: Point | undefined, { scale, input }: Scene): Command[] {
  const to = ruler.fixed ? ruler.to : pointer;
  const { from } = ruler;
  if (!from) return pointer ? upright(pointer, scale, input.geometry.axis, input.height) : [];
  const commands = upright(from, scale, input.geometry.axis, input.height);
  if (!to) return commands;
  commands.push(...upright(to, scale, input.geometry.axis, input.height));
  const [a, b] = [clipped(scale.x(from.t), scale), clipped(scale.x(to.t), scale)];
  const y = input.geometry.axis + 11;
  const text = words(asNs(Math.abs(to.t - from.t)));
  const w = input.measure(text, 'strong') + 14;
  const middle = Math.min(scale.left + scale.width - w / 2 - 2, Math.max(scale.left + w / 2 + 2, (a + b) / 2));
  return [
    ...commands,
    { draw: 'line', x1: Math.min(a, b), y1: y, x2: Math.max(a, b), y2: y, stroke: 'focus', width: 1.5 },
    { draw: 'rect', x: middle - w / 2, y: y - 9, w, h: 18, fill: 'focus', radius: 9 },
    { draw: 'text', x: middle, y: y + 4, text, face: 'strong', fill: 'on-request', align: 'center' },
  ];
}

const clipped = (x: number, scale: Scale): number => Math.min(scale.left + scale.width, Math.max(scale.left, x));

function upright({ t }: Point, scale: Scale, top: number, bottom: number): Command[] {
  const x = scale.x(t);
  if (x < scale.left || x > scale.left + scale.width) return [];
  return [{ draw: 'line', x1: x, y1: top, x2: x, y2: bottom, stroke: 'focus', width: 1.25, dash: [5, 3] }];
}

/** What the ruler says, in words, for those who do not see it. */
export function measured({ from, to }: Ruler): string {
  if (!from) return 'Measuring: choose a mark or click a time.';
  if (!to) return `Measuring from ${from.at}: choose the other end.`;
  return `${words(asNs(Math.abs(to.t - from.t)))} from ${from.at} to ${to.at}.`;
}
