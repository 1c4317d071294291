// The picture, without a canvas: from the folded facts, the rows and the view to a list of drawing commands and a list of
// boxes. Both come from the same pass, so that what is drawn and what a pointer finds cannot disagree; bars of a lane, of
// which there may be thousands, are looked up in the lane again, in the same way. Only rows in view are looked at, and of
// each only what its pixels can show.
import type { Ns } from '../../app/base/time';
import { asNs, words } from '../../app/base/time';
import { RANK } from '../../app/layout/extent';
import type { Alarm, Lane, Lanes, Row } from '../../app/layout/lanes';
import type { Moments } from '../../app/layout/order';
import { besideEachOther, sessionName } from '../../app/layout/sessions';
import { idText } from '../../app/wire/jsonrpc';
import { type Command, fitted, type Measure } from './draw';
import { type Geometry, heightOf, type RowGeometry, rowAt, swapped, topOf } from './geometry';
import { notProbedRing, sign } from './glyphs';
import type { Interval } from './labels';
import { cellsAt, drawLane, Fills, viewOf, wholeFrom } from './lane';
import { type Facts, type Picture, picture } from './marks';
import type { Selection } from './model';
import { drawRow } from './row';
import { type Axis, axis, firstAt, type Origin, orderAxis, type Scale, type Squeezed, squeezed } from './scale';
import { type Hit, layers, type RowStage } from './sheet';
import { endTitle, nameOf, type Target } from './words';

export interface SceneInput {
  readonly facts: Facts;
  readonly lanes: Lanes;
  readonly geometry: Geometry;
  /** The scale of a plot with a left edge and a width. */
  readonly scale: (left: number, width: number) => Scale;
  /** On the order scale: the moments that it gives room to. */
  readonly moments: Moments | undefined;
  /** What the axis counts from. */
  readonly origin: Origin;
  /** Pixels by which the rows are scrolled up. */
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly now: Ns;
  readonly selection: Selection | undefined;
  readonly dimmed: ((call: number) => boolean) | undefined;
  /** Times of what a search has found, ascending. */
  readonly found: ArrayLike<number> | undefined;
  readonly measure: Measure;
}

export interface Scene {
  readonly commands: readonly Command[];
  /** From the lowest to the topmost. */
  readonly hits: readonly Hit[];
  readonly scale: Scale;
  readonly input: SceneInput;
  /** Something in view grows with time alone. */
  readonly moves: boolean;
}

/** Draws what is in view. */
export function scene(input: SceneInput): Scene {
  const { geometry, width, height } = input;
  const scale = input.scale(geometry.gutter, Math.max(1, width - geometry.gutter));
  const into = layers();
  const sessions = drawSessions(input, scale);
  const fills = new Fills();
  const stage: RowStage = {
    scale,
    now: input.now,
    trace: input.facts.trace,
    measure: input.measure,
    diamond: geometry.diamond,
    into,
    walls: [],
  };
  const back: Command[] = [];
  const gutter: Command[] = [];
  const rowHits: Hit[] = [];
  const rows = rowsInView(input);
  const views = rows.map(({ row }) => (row.kind === 'lane' ? viewOf(row, scale) : undefined));
  const whole = wholeFrom(
    views.filter((view) => view !== undefined),
    scale,
    input.now,
  );
  const chosen = input.selection && input.lanes.rowOf(input.selection.call);
  let moves = false;
  for (const [at, { row, index, y, shape }] of rows.entries()) {
    const on = { ...stage, walls: sessions.walls.get(row.session) ?? [] };
    const view = views[at];
    const one = row.kind === 'call' ? pictureOf(row.call, input) : undefined;
    rowHits.push({ x: 0, y, w: width, h: shape.height, target: { on: 'row', row: index, call: one?.call.index } });
    if (index === chosen) back.push(...selectedRow(y, shape.height, width));
    if (one) drawRow([one], [], false, y, shape, on);
    const lane = { facts: input.facts, fills, row: index, top: y, shape, whole, selected: input.selection?.call };
    const pictures = view ? drawLane(view, { ...on, ...lane, diamond: LANE_DIAMOND }) : one ? [one] : [];
    rowHits.push(...drawGutter(row, one, y, shape, input, gutter));
    if (pictures.some((of) => !of.still) || (row.kind === 'lane' && isOpen(row))) moves = true;
  }
  into.marks.sort((a, b) => a.rank - b.rank);
  const clip: Command = { draw: 'clip', x: geometry.gutter, y: geometry.axis, w: scale.width, h: Math.max(0, height - geometry.axis) };
  const commands: Command[] = [
    { draw: 'rect', x: 0, y: 0, w: width, h: height, fill: 'page' },
    { draw: 'clip', x: 0, y: geometry.axis, w: width, h: Math.max(0, height - geometry.axis) },
    ...back,
    ...gutter,
    { draw: 'unclip' },
    ...drawGrid(input, scale, sessions.tagged),
    clip,
    ...sessions.commands,
    ...fills.commands(),
    ...into.bars,
    ...into.threads,
    ...into.marks.flatMap((mark) => mark.commands),
    ...into.words,
    ...shade(input, scale),
    { draw: 'unclip' },
    ...sessions.tags,
    ...elsewhere(input),
  ];
  const inPlot = [...sessions.hits, ...into.spans, ...into.marks.map((mark) => mark.hit)].flatMap((hit) => clipped(hit, input));
  return { commands, hits: [...rowHits, ...inPlot], scale, input, moves };
}

/** Half the width of a diamond on a lane. */
const LANE_DIAMOND = 6;

/** The last call of the lane has no end yet. */
const isOpen = ({ strip }: Lane): boolean => strip.length > 0 && strip.end(strip.length - 1) === Number.POSITIVE_INFINITY;

function pictureOf(index: number, { facts }: SceneInput): Picture | undefined {
  const call = facts.calls.all[index];
  return call && picture(facts, call);
}

/** The topmost thing at a point; undefined outside of all rows. */
export function hitTest(shown: Scene, x: number, y: number): Target | undefined {
  const { hits, input, scale } = shown;
  if (y < input.geometry.axis) return undefined;
  for (let index = hits.length - 1; index >= 0; index--) {
    const hit = hits[index];
    if (!hit || x < hit.x || x >= hit.x + hit.w || y < hit.y || y >= hit.y + hit.h) continue;
    const row = hit.target.on === 'row' ? input.lanes.rows[hit.target.row] : undefined;
    if (hit.target.on !== 'row' || row?.kind !== 'lane' || x < scale.left) return hit.target;
    return cellsAt(row, hit.target.row, x, scale, input.facts) ?? hit.target;
  }
  return undefined;
}

/** A box as far as it lies in the plot: nothing can be pointed at under the gutter. */
function clipped(hit: Hit, { geometry, width }: SceneInput): readonly Hit[] {
  const from = Math.max(hit.x, geometry.gutter);
  const to = Math.min(hit.x + hit.w, width);
  return to > from ? [{ ...hit, x: from, w: to - from }] : [];
}

interface RowInView {
  readonly row: Row;
  readonly index: number;
  readonly y: number;
  readonly shape: RowGeometry;
}

function rowsInView({ lanes, geometry, top, height }: SceneInput): readonly RowInView[] {
  const found: RowInView[] = [];
  const bottom = top + height - geometry.axis;
  for (let index = rowAt(top, lanes, geometry); index < lanes.rows.length; index++) {
    const row = lanes.rows[index];
    const y = topOf(index, lanes, geometry);
    if (!row || y >= bottom) break;
    found.push({ row, index, y: y - top + geometry.axis, shape: shapeOf(row, geometry) });
  }
  return found;
}

function shapeOf(row: Row, geometry: Geometry): RowGeometry {
  if (row.kind === 'call') return geometry.call;
  return row.swapped ? swapped(geometry.group) : geometry.group;
}

const selectedRow = (y: number, h: number, width: number): Command[] => [
  { draw: 'rect', x: 0, y, w: width, h, fill: 'lane' },
  { draw: 'rect', x: 0, y, w: 2, h, fill: 'request' },
];

/** The server of a call, where several were connected at the same time. */
const whose = ({ call }: Picture, { facts }: SceneInput): readonly string[] =>
  besideEachOther(facts.calls) ? [sessionName(facts.calls, call.session)] : [];

function drawGutter(row: Row, of: Picture | undefined, y: number, shape: RowGeometry, input: SceneInput, into: Command[]): Hit[] {
  const { geometry, measure } = input;
  const right = geometry.gutter - 46;
  if (row.kind === 'lane') return drawLaneName(row, y, shape, input, into);
  if (!of) return [];
  const alpha = input.dimmed?.(of.call.index) ? 0.4 : 1;
  const id = [idText(of.call.key), ...whose(of, input)].join(' · ');
  if (shape.below === undefined) drawNarrowName(of, id, y, shape, input, alpha, into);
  else {
    into.push({ draw: 'text', x: 14, y: y + 16, text: fitted(nameOf(of), 'name', right - 14, measure), face: 'name', fill: 'ink', alpha });
    into.push({ draw: 'text', x: 14, y: y + 30, text: fitted(id, 'id', right - 14, measure), face: 'id', fill: 'faint', alpha });
  }
  return drawSigns(of, y + (shape.below === undefined ? shape.height / 2 : 12), geometry.gutter, into);
}

/** A lane's group, named on its first lane; how many calls lie on it; the worst of them. */
function drawLaneName(row: Lane, y: number, shape: RowGeometry, { facts, lanes, geometry, measure }: SceneInput, into: Command[]): Hit[] {
  const baseline = y + shape.height / 2 + 4;
  const byCall = lanes.grouping === 'call';
  const session = byCall && row.session > 1 ? ` · ${sessionName(facts.calls, row.session)}` : '';
  const count = byCall ? '' : String(row.strip.length);
  const name = row.nth === 0 ? row.group + session : lanes.grouping === 'tool' ? `${row.group} ${row.nth + 1}` : `lane ${row.nth + 1}`;
  const room = geometry.gutter - 14 - (byCall ? 10 : 34 + measure(count, 'id'));
  const face = byCall || row.nth > 0 ? 'label' : 'name';
  into.push({ draw: 'text', x: 14, y: baseline, text: fitted(name, face, room, measure), face, fill: face === 'name' ? 'ink' : 'faint' });
  if (byCall) return [];
  into.push({ draw: 'text', x: geometry.gutter - 28, y: baseline, text: count, face: 'id', fill: 'faint', align: 'right' });
  const worst = row.strip.sum()?.rank ?? 0;
  if (worst >= RANK.warned) into.push(...sign(worst === RANK.breach ? 'breach' : 'warn', geometry.gutter - 15, y + shape.height / 2, 0.8));
  return [];
}

function drawNarrowName(of: Picture, id: string, y: number, shape: RowGeometry, input: SceneInput, alpha: number, into: Command[]): void {
  const { geometry, measure } = input;
  const baseline = y + shape.height / 2 + 4;
  const right = geometry.gutter - 44;
  const idWidth = Math.min(measure(id, 'id'), 40);
  into.push({
    draw: 'text',
    x: 14,
    y: baseline,
    text: fitted(nameOf(of), 'name', right - 20 - idWidth, measure),
    face: 'name',
    fill: 'ink',
    alpha,
  });
  into.push({ draw: 'text', x: right, y: baseline, text: fitted(id, 'id', 40, measure), face: 'id', fill: 'faint', align: 'right', alpha });
}

function drawSigns(of: Picture, y: number, gutter: number, into: Command[]): Hit[] {
  const hits: Hit[] = [];
  if (of.notProbed) {
    into.push(notProbedRing(gutter - 34, y));
    hits.push({ x: gutter - 41, y: y - 8, w: 14, h: 16, target: { on: 'not-probed', of } });
  }
  if (of.verdict) {
    into.push(...sign(of.verdict.severity, gutter - 16, y));
    hits.push({ x: gutter - 25, y: y - 9, w: 18, h: 18, target: { on: 'verdict', of } });
  }
  return hits;
}

function drawGrid(input: SceneInput, scale: Scale, tagged: readonly Interval[]): Command[] {
  const { geometry, height, measure, moments, origin } = input;
  const commands: Command[] = [];
  const { ticks, anchor } = moments ? orderAxis(scale, moments, 104, origin) : roomyAxis(scale, origin, measure);
  const right = scale.left + scale.width;
  // What all labels count from stands first, in the place of those that it would cover.
  const counted = anchor ? scale.left + 5 + measure(`${anchor.label} `, 'axis') : scale.left;
  for (const tick of ticks) {
    const x = scale.x(tick.t);
    if (x < scale.left || x > right) continue;
    commands.push({ draw: 'line', x1: x, y1: geometry.axis - 6, x2: x, y2: height, stroke: 'line', width: 1 });
    const end = x + 5 + measure(tick.label, 'axis');
    if (x < counted || end > right || tagged.some((tag) => tag.from < end + 4 && tag.to > x)) continue;
    commands.push({ draw: 'text', x: x + 5, y: geometry.axis - 10, text: tick.label, face: 'axis', fill: 'faint' });
  }
  if (moments) commands.push(...drawSqueezed(squeezed(scale, moments), input, tagged));
  commands.push(...drawFound(input, scale));
  if (anchor) commands.push({ draw: 'text', x: scale.left + 5, y: geometry.axis - 10, text: anchor.label, face: 'axis', fill: 'soft' });
  commands.push({ draw: 'line', x1: 0, y1: geometry.axis - 0.5, x2: right, y2: geometry.axis - 0.5, stroke: 'line', width: 1 });
  commands.push({ draw: 'line', x1: scale.left - 0.5, y1: geometry.axis, x2: scale.left - 0.5, y2: height, stroke: 'line', width: 1 });
  return commands;
}

/** `≈` where far more time passes in the same room, with how much where there is room for words. */
function drawSqueezed(places: readonly Squeezed[], { geometry, height, measure }: SceneInput, tagged: readonly Interval[]): Command[] {
  return places.flatMap(({ x, width, length }): Command[] => {
    const text = `≈ ${words(length)}`;
    const w = measure(text, 'axis');
    const shown = w + 4 <= width ? text : '≈';
    const half = (shown === text ? w : measure('≈', 'axis')) / 2;
    const free = !tagged.some((tag) => tag.from < x + half && tag.to > x - half);
    const edges = [x - 1.5, x + 1.5].map(
      (at): Command => ({ draw: 'line', x1: at, y1: geometry.axis, x2: at, y2: height, stroke: 'line', width: 1, dash: [2, 4] }),
    );
    if (!free) return edges;
    return [
      ...edges,
      { draw: 'rect', x: x - half - 3, y: geometry.axis - 22, w: 2 * half + 6, h: 16, fill: 'page' },
      { draw: 'text', x, y: geometry.axis - 10, text: shown, face: 'axis', fill: 'unknown-text', align: 'center' },
    ];
  });
}

/** What a search has found, as ticks on the axis: one for each pixel at most. */
function drawFound({ found, geometry }: SceneInput, scale: Scale): Command[] {
  if (!found) return [];
  const boxes: number[] = [];
  const end = scale.left + scale.width;
  for (let index = firstAt(found.length, (at) => found[at] ?? 0, scale.from); index < found.length; ) {
    const x = scale.x(asNs(found[index] ?? 0));
    if (x > end) break;
    boxes.push(x - 1, geometry.axis - 5, 2, 5);
    index = Math.max(
      index + 1,
      firstAt(found.length, (at) => found[at] ?? 0, scale.t(x + 2)),
    );
  }
  return [{ draw: 'rects', boxes, fill: 'focus', alpha: 1 }];
}

/** The finest axis whose labels do not touch one another. */
function roomyAxis(scale: Scale, origin: Origin, measure: Measure): Axis {
  let made = axis(scale, 84, origin);
  for (const gap of [120, 170, 240]) {
    const [first, second] = made.ticks;
    const widest = made.ticks.reduce((most, tick) => Math.max(most, measure(tick.label, 'axis')), 0);
    if (!first || !second || scale.x(second.t) - scale.x(first.t) >= widest + 16) return made;
    made = axis(scale, gap, origin);
  }
  return made;
}

interface SessionLines {
  readonly commands: Command[];
  readonly tags: Command[];
  /** What the tags cover of the axis. */
  readonly tagged: Interval[];
  readonly hits: Hit[];
  /** Where each session's lines stand. */
  readonly walls: Map<number, number[]>;
}

/** Lines at which a process or a session over HTTP began (after the first) or ended, as tall as the session's rows, with a tag above. */
function drawSessions(input: SceneInput, scale: Scale): SessionLines {
  const lines: SessionLines = { commands: [], tags: [], tagged: [], hits: [], walls: new Map() };
  for (const { number: session, connecting, started = connecting, ends } of input.facts.calls.sessions.values()) {
    const end = ends[0];
    const name = sessionName(input.facts.calls, session);
    if (started && session > 1) {
      const target: Target = { on: 'began', session, name, at: started.t, seq: started.seq, life: started.life };
      sessionLine({ x: scale.x(started.t), session, text: name, alarming: false, target }, input, scale, lines);
    }
    if (end) {
      const alarming = end.life.event === 'exited' && end.life.asked === 'nobody';
      const target: Target = { on: 'ended', session, name, end };
      sessionLine({ x: scale.x(end.t), session, text: endTitle(end), alarming, target }, input, scale, lines);
    }
  }
  return lines;
}

interface SessionLine {
  readonly x: number;
  readonly session: number;
  readonly text: string;
  /** Nobody had asked for it. */
  readonly alarming: boolean;
  readonly target: Target;
}

function sessionLine({ x, session, text, alarming, target }: SessionLine, input: SceneInput, scale: Scale, lines: SessionLines): void {
  const right = scale.left + scale.width;
  if (x < scale.left || x > right) return;
  const rows = rowSpan(session, input);
  const dash = target.on === 'began' ? { dash: [5, 4] as const } : {};
  lines.commands.push({
    draw: 'line',
    x1: x,
    y1: rows.y,
    x2: x,
    y2: rows.y + rows.h,
    stroke: alarming ? 'ink' : 'faint',
    width: 1,
    ...dash,
  });
  lines.hits.push({ x: x - 3, y: rows.y, w: 6, h: rows.h, target });
  lines.walls.set(session, [...(lines.walls.get(session) ?? []), x]);
  const w = input.measure(text, 'label') + 12;
  const free = lines.tagged.reduce(
    (from, tag) => (from < tag.to + 4 && from + w > tag.from - 4 ? tag.to + 4 : from),
    Math.min(x, right - w - 2),
  );
  if (free + w > right) return;
  const y = input.geometry.axis - 24;
  lines.tagged.push({ from: free, to: free + w });
  lines.tags.push({ draw: 'rect', x: free, y, w, h: 18, fill: 'raise', radius: 4 });
  lines.tags.push({ draw: 'frame', x: free, y, w, h: 18, stroke: 'line', width: 1, radius: 4 });
  lines.tags.push({ draw: 'text', x: free + 6, y: y + 13, text, face: 'label', fill: alarming ? 'cancel-text' : 'soft' });
}

function rowSpan(session: number, { lanes, geometry, top }: SceneInput): { readonly y: number; readonly h: number } {
  const span = lanes.span(session);
  if (!span) return { y: geometry.axis, h: 12 };
  const y = topOf(span[0], lanes, geometry);
  return { y: y - top + geometry.axis, h: topOf(span[1] + 1, lanes, geometry) - y };
}

/** Rows that are left out by a filter stay in their places, under a veil. */
function shade(input: SceneInput, scale: Scale): Command[] {
  const { dimmed } = input;
  if (!dimmed) return [];
  return rowsInView(input)
    .filter(({ row }) => row.kind === 'call' && dimmed(row.call))
    .map(({ y, shape }) => ({ draw: 'rect', x: scale.left, y, w: scale.width, h: shape.height, fill: 'page', alpha: 0.7 }));
}

/** How many breaches and warnings lie above and below what is in view. */
function elsewhere(input: SceneInput): Command[] {
  const { lanes, geometry, top, height } = input;
  const { alarms } = lanes;
  const first = rowAt(top + geometry.call.height / 2, lanes, geometry);
  const last = rowAt(top + height - geometry.axis - geometry.call.height / 2, lanes, geometry);
  const above = alarms.filter((alarm) => alarm.row < first);
  const below = alarms.filter((alarm) => alarm.row > last);
  return [...chip(above, geometry.axis + 6, '↑', input), ...chip(below, height - 26, '↓', input)];
}

function chip(alarms: readonly Alarm[], y: number, way: '↑' | '↓', { geometry, measure }: SceneInput): Command[] {
  if (alarms.length === 0) return [];
  const worst = alarms.some((alarm) => alarm.severity === 'breach') ? 'breach' : 'warn';
  const text = `${alarms.filter((alarm) => alarm.severity === worst).length} ${way}`;
  const w = measure(text, 'strong') + 28;
  const x = geometry.gutter - w - 8;
  return [
    { draw: 'rect', x, y, w, h: 20, fill: 'raise', radius: 10 },
    { draw: 'frame', x, y, w, h: 20, stroke: 'line', width: 1, radius: 10 },
    ...sign(worst, x + 12, y + 10, 0.8),
    { draw: 'text', x: x + 21, y: y + 14, text, face: 'strong', fill: worst === 'breach' ? 'breach-text' : 'cancel-text' },
  ];
}

/** Height of everything that can be scrolled through. */
export const contentHeight = (lanes: Lanes, geometry: Geometry): number => heightOf(lanes, geometry) + 12;
