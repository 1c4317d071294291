// Commands to pixels. Edges are rounded to device pixels and thin lines sit on them, so that the picture is crisp at any
// device pixel ratio. The painter knows no trace, no time and no role's meaning.
import type { Theme } from '../theme/theme';
import type { Command, Measure } from './draw';

/** The part of a canvas context that is drawn with; a test logs the calls. */
export type Context = Pick<
  CanvasRenderingContext2D,
  | 'setTransform'
  | 'save'
  | 'restore'
  | 'beginPath'
  | 'closePath'
  | 'moveTo'
  | 'lineTo'
  | 'rect'
  | 'roundRect'
  | 'arc'
  | 'clip'
  | 'fill'
  | 'stroke'
  | 'fillRect'
  | 'fillText'
  | 'setLineDash'
  | 'fillStyle'
  | 'strokeStyle'
  | 'lineWidth'
  | 'lineJoin'
  | 'globalAlpha'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
>;

export interface Surface {
  readonly context: Context;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  /** The hatch in a colour, anchored at a point in CSS pixels. */
  readonly hatch: (colour: string, x: number, y: number) => CanvasPattern | string;
}

/** Draws a list of commands, first to last. */
export function paint(commands: readonly Command[], theme: Theme, surface: Surface): void {
  const { context, ratio } = surface;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.textBaseline = 'alphabetic';
  context.lineJoin = 'miter';
  for (const command of commands) draw(command, theme, surface);
}

function draw(command: Command, theme: Theme, surface: Surface): void {
  const { context, ratio } = surface;
  switch (command.draw) {
    case 'clip': {
      const { x, y, w, h } = snapped(command, ratio);
      context.save();
      context.beginPath();
      context.rect(x, y, w, h);
      context.clip();
      break;
    }
    case 'unclip':
      context.restore();
      break;
    case 'rect':
      drawRect(command, theme, surface);
      break;
    case 'rects':
      drawRects(command, theme, surface);
      break;
    case 'frame':
      drawFrame(command, theme, surface);
      break;
    case 'line':
      drawLine(command, theme, surface);
      break;
    case 'shape':
      drawShape(command, theme, surface);
      break;
    case 'circle':
      drawCircle(command, theme, surface);
      break;
    case 'hatch':
      drawHatch(command, theme, surface);
      break;
    case 'text':
      drawText(command, theme, surface);
      break;
  }
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** Edges on device pixels; never thinner than one of them. */
function snapped({ x, y, w, h }: Rect, ratio: number): Rect {
  const left = Math.round(x * ratio);
  const top = Math.round(y * ratio);
  const right = Math.max(left + 1, Math.round((x + w) * ratio));
  const bottom = Math.max(top + 1, Math.round((y + h) * ratio));
  return { x: left / ratio, y: top / ratio, w: (right - left) / ratio, h: (bottom - top) / ratio };
}

/** A line's width in whole device pixels, in CSS pixels. */
const crispWidth = (width: number, ratio: number): number => Math.max(1, Math.round(width * ratio)) / ratio;

/** The centre of a crisp line: between pixels for even widths, on one for odd ones. */
function crispCentre(at: number, width: number, ratio: number): number {
  const device = Math.round(width * ratio);
  return device % 2 === 0 ? Math.round(at * ratio) / ratio : (Math.floor(at * ratio) + 0.5) / ratio;
}

function drawRect(command: Extract<Command, { draw: 'rect' }>, theme: Theme, { context, ratio }: Surface): void {
  const { x, y, w, h } = snapped(command, ratio);
  context.globalAlpha = command.alpha ?? 1;
  context.fillStyle = theme.colours[command.fill];
  if (command.radius === undefined) context.fillRect(x, y, w, h);
  else {
    context.beginPath();
    context.roundRect(x, y, w, h, Math.min(command.radius, w / 2, h / 2));
    context.fill();
  }
  context.globalAlpha = 1;
}

function drawRects({ boxes, fill, alpha }: Extract<Command, { draw: 'rects' }>, theme: Theme, { context, ratio }: Surface): void {
  context.globalAlpha = alpha;
  context.fillStyle = theme.colours[fill];
  for (let at = 0; at + 3 < boxes.length; at += 4) {
    // As in `snapped`, without an object for each of thousands.
    const x = boxes[at] ?? 0;
    const y = boxes[at + 1] ?? 0;
    const left = Math.round(x * ratio);
    const top = Math.round(y * ratio);
    const right = Math.max(left + 1, Math.round((x + (boxes[at + 2] ?? 0)) * ratio));
    const bottom = Math.max(top + 1, Math.round((y + (boxes[at + 3] ?? 0)) * ratio));
    context.fillRect(left / ratio, top / ratio, (right - left) / ratio, (bottom - top) / ratio);
  }
  context.globalAlpha = 1;
}

function drawFrame(command: Extract<Command, { draw: 'frame' }>, theme: Theme, { context, ratio }: Surface): void {
  const { x, y, w, h } = snapped(command, ratio);
  const width = crispWidth(command.width, ratio);
  context.globalAlpha = command.alpha ?? 1;
  context.strokeStyle = theme.colours[command.stroke];
  context.lineWidth = width;
  context.beginPath();
  context.roundRect(x + width / 2, y + width / 2, Math.max(0, w - width), Math.max(0, h - width), command.radius ?? 0);
  context.stroke();
  context.globalAlpha = 1;
}

function drawLine(command: Extract<Command, { draw: 'line' }>, theme: Theme, { context, ratio }: Surface): void {
  const straight = command.x1 === command.x2 || command.y1 === command.y2;
  const width = straight ? crispWidth(command.width, ratio) : command.width;
  const vertical = command.x1 === command.x2;
  const on = (at: number, across: boolean): number => (straight && across ? crispCentre(at, width, ratio) : at);
  context.globalAlpha = command.alpha ?? 1;
  context.strokeStyle = theme.colours[command.stroke];
  context.lineWidth = width;
  context.setLineDash(command.dash ? [...command.dash] : []);
  context.beginPath();
  context.moveTo(on(command.x1, vertical), on(command.y1, !vertical));
  context.lineTo(on(command.x2, vertical), on(command.y2, !vertical));
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawShape(command: Extract<Command, { draw: 'shape' }>, theme: Theme, { context }: Surface): void {
  const { points } = command;
  context.beginPath();
  context.moveTo(points[0] ?? 0, points[1] ?? 0);
  for (let index = 2; index + 1 < points.length; index += 2) context.lineTo(points[index] ?? 0, points[index + 1] ?? 0);
  if (command.closed) context.closePath();
  inkUp(command, theme, context);
}

function drawCircle(command: Extract<Command, { draw: 'circle' }>, theme: Theme, { context }: Surface): void {
  context.beginPath();
  context.arc(command.x, command.y, command.r, 0, Math.PI * 2);
  inkUp(command, theme, context);
}

function inkUp(command: Extract<Command, { draw: 'shape' | 'circle' }>, theme: Theme, context: Context): void {
  context.globalAlpha = command.alpha ?? 1;
  if (command.fill) {
    context.fillStyle = theme.colours[command.fill];
    context.fill();
  }
  if (command.stroke) {
    context.strokeStyle = theme.colours[command.stroke];
    context.lineWidth = command.width ?? 1;
    context.setLineDash('dash' in command && command.dash ? [...command.dash] : []);
    context.stroke();
    context.setLineDash([]);
  }
  context.globalAlpha = 1;
}

const FADE_STEPS = 16;

function drawHatch(command: Extract<Command, { draw: 'hatch' }>, theme: Theme, { context, ratio, hatch }: Surface): void {
  const { x, y, w, h } = snapped(command, ratio);
  context.fillStyle = hatch(theme.colours[command.fill], command.phase, y);
  const solid = Math.max(0, w - command.fade);
  context.globalAlpha = command.alpha;
  if (solid > 0) context.fillRect(x, y, solid, h);
  const step = Math.min(w, command.fade) / FADE_STEPS;
  for (let index = 0; step > 0 && index < FADE_STEPS; index++) {
    context.globalAlpha = command.alpha + (command.fadeTo - command.alpha) * ((index + 0.5) / FADE_STEPS);
    const part = snapped({ x: x + solid + index * step, y, w: step, h }, ratio);
    context.fillRect(part.x, part.y, part.w, part.h);
  }
  context.globalAlpha = 1;
}

function drawText(command: Extract<Command, { draw: 'text' }>, theme: Theme, { context, ratio }: Surface): void {
  const x = Math.round(command.x * ratio) / ratio;
  const y = Math.round(command.y * ratio) / ratio;
  context.font = theme.fonts[command.face];
  context.textAlign = command.align ?? 'left';
  context.globalAlpha = command.alpha ?? 1;
  context.fillStyle = theme.colours[command.fill];
  context.fillText(command.text, x, y);
  context.globalAlpha = 1;
}

const HATCH_PERIOD = 6;

/** Makes hatch patterns, one tile for each colour and pixel ratio. */
export function hatcher(context: CanvasRenderingContext2D, ratio: number): Surface['hatch'] {
  const tiles = new Map<string, CanvasPattern>();
  const size = Math.max(4, Math.round(HATCH_PERIOD * ratio));
  return (colour, x, y) => {
    let pattern = tiles.get(colour);
    if (!pattern) {
      pattern = tile(context, colour, size);
      if (!pattern) return colour;
      tiles.set(colour, pattern);
    }
    const period = size / ratio;
    pattern.setTransform({ a: 1 / ratio, b: 0, c: 0, d: 1 / ratio, e: x % period, f: y });
    return pattern;
  };
}

/** One tile of stripes at 45°, seamless in both directions. */
function tile(context: CanvasRenderingContext2D, colour: string, size: number): CanvasPattern | undefined {
  const canvas = document.createElement('canvas');
  canvas.width = size;
  canvas.height = size;
  const inside = canvas.getContext('2d');
  if (!inside) return undefined;
  const stripe = size * 0.42;
  inside.fillStyle = colour;
  for (const points of [
    [0, 0, stripe, 0, 0, stripe],
    [size, 0, size, stripe, stripe, size, 0, size],
  ]) {
    inside.beginPath();
    for (let index = 0; index < points.length; index += 2) inside.lineTo(points[index] ?? 0, points[index + 1] ?? 0);
    inside.fill();
  }
  return context.createPattern(canvas, 'repeat') ?? undefined;
}

/** Measures text on a canvas and remembers it; make a new one when theme or fonts change. */
export function measurer(context: Pick<CanvasRenderingContext2D, 'font' | 'measureText'>, theme: Theme): Measure {
  const known = new Map<string, number>();
  return (text, face) => {
    const key = `${face} ${text}`;
    const width = known.get(key);
    if (width !== undefined) return width;
    if (known.size > 5000) known.clear();
    context.font = theme.fonts[face];
    const measured = context.measureText(text).width;
    known.set(key, measured);
    return measured;
  };
}
