// What the painter asks of a canvas, read from a context that writes down every call.
import { describe, expect, it } from 'vitest';
import { COLOURS, FACES, type Theme } from '../theme/theme';
import type { Command } from './draw';
import * as glyph from './glyphs';
import { type Context, measurer, paint } from './painter';
import { lookAt } from './scene.testing';
import { EVERY_MARK, modelOf } from './shop.testing';

const theme: Theme = {
  name: 'dark',
  colours: Object.fromEntries(COLOURS.map((colour) => [colour, colour])) as Theme['colours'],
  fonts: Object.fromEntries(FACES.map((face) => [face, face])) as Theme['fonts'],
};

const round = (value: unknown): unknown => (typeof value === 'number' ? Math.round(value * 1000) / 1000 : value);

/** A context on which every call and every assignment leaves a line. */
function logging(): { readonly context: Context; readonly log: string[] } {
  const log: string[] = [];
  const values = new Map<PropertyKey, unknown>();
  const context = new Proxy({} as Context, {
    get: (_, name) => values.get(name) ?? ((...args: unknown[]) => void log.push(`${String(name)}(${args.flat().map(round).join(' ')})`)),
    set: (_, name, value) => {
      if (values.get(name) !== value) log.push(`${String(name)} = ${round(value)}`);
      values.set(name, value);
      return true;
    },
  });
  return { context, log };
}

function painted(commands: readonly Command[], ratio = 1): string[] {
  const { context, log } = logging();
  paint(commands, theme, { context, ratio, hatch: (colour, x, y) => `hatch of ${colour} from ${round(x)},${round(y)}` });
  return log.slice(3).filter((line) => line !== 'setLineDash()' && !line.startsWith('globalAlpha = 1'));
}

const line = (x: number, width: number): Command => ({ draw: 'line', x1: x, y1: 0, x2: x, y2: 9, stroke: 'line', width });

describe('the painter', () => {
  it('puts edges on device pixels and never draws thinner than one', () => {
    const rect: Command = { draw: 'rect', x: 10.3, y: 0, w: 0.1, h: 14.2, fill: 'request' };
    expect(painted([rect])).toEqual(['fillStyle = request', 'fillRect(10 0 1 14)']);
    expect(painted([rect], 2)).toEqual(['fillStyle = request', 'fillRect(10.5 0 0.5 14)']);
    expect(painted([rect], 1.5)).toEqual(['fillStyle = request', 'fillRect(10 0 0.667 14)']);
  });

  it.each([
    [1, 1, 10.5],
    [1, 2, 10],
    [2, 1, 10.5],
    [1.5, 1, 10],
    [3, 1, 10.5],
  ])('centres a line at ratio %d and width %d', (ratio, width, x) => {
    const moved = painted([line(10.3, width)], ratio).find((entry) => entry.startsWith('moveTo'));
    const centre = Number(moved?.slice(7).split(' ')[0]);
    const device = Math.max(1, Math.round(width * ratio));
    expect(Math.abs((centre * ratio - device / 2) % 1)).toBeLessThan(0.001);
    expect(Math.abs(centre - x)).toBeLessThan(0.7);
  });

  it('fades a hatch in steps that lie side by side', () => {
    const hatch: Command = { draw: 'hatch', x: 0, y: 0, w: 200, h: 6, fill: 'unknown', alpha: 1, fade: 160, fadeTo: 0, phase: -1e12 };
    const fills = painted([hatch]).filter((entry) => entry.startsWith('fillRect'));
    const ends = fills.map((entry) => entry.slice(9, -1).split(' ').map(Number));
    expect(ends.length).toBe(17);
    expect(ends.slice(1).every(([x], index) => x === (ends[index]?.[0] ?? 0) + (ends[index]?.[2] ?? 0))).toBe(true);
  });

  it('clips and lets go', () => {
    const clip: Command = { draw: 'clip', x: 164, y: 28, w: 500, h: 300 };
    expect(painted([clip, { draw: 'unclip' }])).toEqual(['save()', 'beginPath()', 'rect(164 28 500 300)', 'clip()', 'restore()']);
  });

  it('sets text', () => {
    const text: Command = { draw: 'text', x: 10.2, y: 20.7, text: 'late +412 ms', face: 'strong', fill: 'late-text' };
    expect(painted([text])).toEqual(['font = strong', 'textAlign = left', 'fillStyle = late-text', 'fillText(late +412 ms 10 21)']);
  });

  it('leaves every clip that it entered, whatever it is given', () => {
    const log = painted(lookAt(modelOf(EVERY_MARK, 9000), { from: 0, to: 8000 }).commands, 2);
    expect(log.filter((entry) => entry === 'save()').length).toBe(log.filter((entry) => entry === 'restore()').length);
    expect(log.filter((entry) => entry.includes('NaN') || entry.includes('undefined'))).toEqual([]);
  });
});

/** Polygons and colours only: enough to tell one mark from another. */
const shape = (commands: readonly Command[]): string =>
  painted(commands)
    .filter((entry) => /^(moveTo|lineTo|arc|fillRect|fillStyle|strokeStyle|fill\(|stroke\()/.test(entry))
    .join(' ');

describe('each mark', () => {
  const shapes: Readonly<Record<string, readonly Command[]>> = {
    'effect after': glyph.effectAfter(0, 0, 8, false),
    'effect after, inferred': glyph.effectAfter(0, 0, 8, true),
    'effect before': glyph.effectBefore(0, 0, 8, false),
    'effect, order unknown': glyph.effectStraddles(0, 0, 8),
    'effect taken back': glyph.effectReverted(0, 0, 8),
    cancel: glyph.cancelHead(0, 0),
    timeout: glyph.timeoutHead(0, 0),
    'not told': glyph.untoldHead(0, 0),
    'connection dropped': [...glyph.untoldHead(0, 0), ...glyph.cutLine(0, 13)],
    'stream closed': glyph.cutLine(0, 6),
    'response left open': glyph.leftOpen(0, 30, 0, 14, false),
    'response left open, and closed': glyph.leftOpen(0, 30, 0, 14, true),
    'tasks/cancel': glyph.taskCancelHead(0, 0),
    'task working': glyph.taskState('working', 0, 0, 14),
    'task wants input': glyph.taskState('input_required', 0, 0, 14),
    'task completed': glyph.taskState('completed', 0, 0, 14),
    'task failed': glyph.taskState('failed', 0, 0, 14),
    'task cancelled': glyph.taskState('cancelled', 0, 0, 14),
    'task in a state of its own': glyph.taskState('paused', 0, 0, 14),
    'task waits': glyph.taskRests(0, 30, 7),
    'task asked for': [glyph.taskPoll(0, 14)],
    'task told of': [glyph.taskNews(0, 14)],
    'task kept until here': glyph.taskKept(0, 0, 14),
    killed: glyph.killHead(0, 0),
    reply: glyph.replyCap(0, 0, 14),
    'error reply': glyph.errorCap(0, 0, 14),
    'late reply': glyph.lateReply(0, 0, 14, false),
    'late error': glyph.lateReply(0, 0, 14, true),
    'duplicate reply': glyph.duplicateReply(0, 0, 14),
    lost: glyph.tornCap(0, 0, 14),
    ping: glyph.fencePing(0, 0, 14),
    pong: glyph.fencePong(0, 0, 14),
    'all clear': glyph.allClear(0, 0, 12),
    'not probed': [glyph.notProbedRing(0, 0)],
    'sign of work': glyph.work(0, 0, 6),
    'held open': glyph.held(0, 30, 0, false),
    'held and let go': glyph.held(0, 30, 0, true),
    watched: glyph.watched(0, 30, 0),
    'not watched': glyph.unwatched(0, 30, 0),
    'interval of an observation': glyph.interval(0, 30, 0, 'unknown'),
    'arrow to an effect': glyph.arrow(0, 30, 0, false),
    'several marks': glyph.count(12, 0, 0),
    'happened after': glyph.tip([0, 0, 9, 3], 'ink'),
    note: glyph.sign('note', 0, 0),
    warning: glyph.sign('warn', 0, 0),
    breach: glyph.sign('breach', 0, 0),
  };

  it('has a shape of its own, without regard to colour', () => {
    const colourless = Object.values(shapes).map((commands) => shape(commands).replace(/(fill|stroke)Style = \S+/g, '$1'));
    expect(new Set(colourless).size).toBe(colourless.length);
  });

  it('asks the same of the canvas as before', () => {
    expect(Object.fromEntries(Object.entries(shapes).map(([name, commands]) => [name, painted(commands)]))).toMatchSnapshot();
  });

  it('is drawn like this', () => {
    const drawn = Object.fromEntries(
      ['effect after', 'effect before', 'cancel', 'not told', 'late reply', 'pong'].map((name) => [name, shape(shapes[name] ?? [])]),
    );
    expect(drawn).toMatchInlineSnapshot(`
      {
        "cancel": "moveTo(-5.5 0) lineTo(5.5 0) lineTo(0 8.5) fillStyle = cancel fill()",
        "effect after": "moveTo(0 -9.5) lineTo(9.5 0) lineTo(0 9.5) lineTo(-9.5 0) fillStyle = halo fill() moveTo(0 -8) lineTo(8 0) lineTo(0 8) lineTo(-8 0) fillStyle = breach fill() moveTo(-2.88 -2.88) lineTo(2.88 2.88) strokeStyle = on-breach stroke() moveTo(2.88 -2.88) lineTo(-2.88 2.88) stroke()",
        "effect before": "moveTo(0 -7.5) lineTo(7.5 0) lineTo(0 7.5) lineTo(-7.5 0) fillStyle = page fill() strokeStyle = ink stroke()",
        "late reply": "moveTo(0 7) lineTo(9.5 0) lineTo(9.5 14) fillStyle = page fill() strokeStyle = late stroke()",
        "not told": "moveTo(-5.5 0.5) lineTo(5.5 0.5) lineTo(0 8.5) fillStyle = page fill() strokeStyle = cancel stroke()",
        "pong": "moveTo(-3.5 0) lineTo(0 0) lineTo(0 14) lineTo(-3.5 14) strokeStyle = proof stroke()",
      }
    `);
  });
});

it('measures each text once', () => {
  let asked = 0;
  const measureText = (text: string) => {
    asked++;
    return { width: text.length };
  };
  const context = { font: '', measureText };
  const measure = measurer(context as never, theme);
  expect([measure('late', 'label'), measure('late', 'label'), measure('late', 'strong'), asked]).toEqual([4, 4, 4, 2]);
});
