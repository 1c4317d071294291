// What the shell itself remembers between starts: where the window stood, and the theme, which is needed before the page
// is there to say it (a window that flashes white in a dark room is a bug). Everything else is the host's to remember.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const pixels = z.number().int();
const rectangle = z.object({ x: pixels, y: pixels, width: pixels.positive(), height: pixels.positive() });
/** In device-independent pixels. */
export type Rectangle = z.infer<typeof rectangle>;

const windowState = z.object({
  theme: z.enum(['system', 'light', 'dark']).default('system'),
  bounds: rectangle.optional(),
  maximized: z.boolean().default(false),
});
export type WindowState = z.infer<typeof windowState>;

const NORMAL: Rectangle = { x: 0, y: 0, width: 1440, height: 900 };
export const SMALLEST = { width: 880, height: 560 } as const;
/** So much of a window's upper edge has to be on a display for the window to be found and moved. */
const GRIP = { width: 96, height: 32 } as const;

/** What was kept in the file, or the defaults where there is none or it cannot be understood. */
export function readWindowState(file: string): WindowState {
  try {
    return windowState.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return windowState.parse({}); // Where a window stood is not worth a message.
  }
}

/** Written beside and renamed, so that a kill leaves the old state or the new one. */
export function writeWindowState(file: string, state: WindowState): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.part`, `${JSON.stringify(state)}\n`);
  renameSync(`${file}.part`, file);
}

/**
 * Where to open the window.
 * @param saved where it stood last
 * @param workAreas of the displays there are now, the primary one first
 * @returns a place that fits on one display: the saved one as far as its display still exists, else the middle of the primary
 */
export function placeWindow(saved: Rectangle | undefined, workAreas: readonly Rectangle[]): Rectangle {
  const primary = workAreas[0] ?? NORMAL;
  if (saved === undefined) return centre(NORMAL, primary);
  const grip = { x: saved.x, y: saved.y, width: saved.width, height: Math.min(saved.height, GRIP.height) };
  const home = largest(workAreas, grip);
  return home === undefined ? centre(saved, primary) : squeeze(saved, home);
}

/** The area that shows most of the grip, if any shows enough of it. */
function largest(areas: readonly Rectangle[], grip: Rectangle): Rectangle | undefined {
  const shown = areas.map((area) => ({
    area,
    width: overlap(area.x, area.width, grip.x, grip.width),
    height: overlap(area.y, area.height, grip.y, grip.height),
  }));
  const enough = shown.filter(({ width, height }) => width >= GRIP.width && height >= GRIP.height / 2);
  return enough.sort((a, b) => b.width * b.height - a.width * a.height)[0]?.area;
}

const overlap = (a: number, aSize: number, b: number, bSize: number): number =>
  Math.max(0, Math.min(a + aSize, b + bSize) - Math.max(a, b));

const within = (at: number, size: number, from: number, room: number): number => Math.min(Math.max(at, from), from + room - size);

function squeeze(window: Rectangle, area: Rectangle): Rectangle {
  const width = Math.min(window.width, area.width);
  const height = Math.min(window.height, area.height);
  return { x: within(window.x, width, area.x, area.width), y: within(window.y, height, area.y, area.height), width, height };
}

function centre(size: Rectangle, area: Rectangle): Rectangle {
  const width = Math.min(size.width, area.width);
  const height = Math.min(size.height, area.height);
  return { x: area.x + Math.round((area.width - width) / 2), y: area.y + Math.round((area.height - height) / 2), width, height };
}
