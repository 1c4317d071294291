// What overview and timeline look like, to the pixel. The pictures in screens/ were made by the runtime named below, with
// the app's own fonts and no others; there they are compared exactly. Another runtime sets text a little differently: on
// one it is only looked at whether everything is drawn at all, and that is said aloud.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterEach, expect, test } from 'vitest';
import type { Frame } from '../../app/wire/frame';
import { EXTENSION, encodeFrame, encodeHeader } from '../../app/wire/tracefile';
import { CLOSING, EVERY_MARK, OVER_HTTP, SHOP, TASKS } from '../../renderer/timeline/shop.testing';
import { electronArgs, electronVersion, ensureElectron } from '../../scripts/electron-runtime.mjs';
import { type App, cleanUp, launch, PATIENCE_MS, PATIENT, ROOT, temporaryFolder } from './app';
import { driver } from './window';

afterEach(cleanUp);

/** Which pictures can be compared: Electron's version, and the machine that it runs on. */
const PINNED = '33.2.1 on linux x64';
const WINDOW = { width: 1280, height: 800 };
const IN_VIEW = { x: 0, y: 0, width: WINDOW.width, height: 560 };
/** Overview and timeline in places of their own: the pictures show them, and not what panels leave of the window. */
const PLACED = `
  .overview-slot, .timeline-plot { position: fixed !important; left: 0; z-index: 1000; width: ${IN_VIEW.width}px !important; background: var(--page); }
  .overview-slot { top: 0; height: 40px !important; }
  .timeline-plot { top: 40px; height: ${IN_VIEW.height - 40}px !important; }
`;
const KEPT = path.join(path.dirname(fileURLToPath(import.meta.url)), 'screens');
const MADE = path.join(ROOT, 'dist/test/screens');
const ACCEPT = process.env['STOPGAP_ACCEPT_SCREENS'] === '1';

interface Picture {
  readonly name: string;
  readonly frames: readonly Frame[];
  readonly theme: 'dark' | 'light';
  readonly density: 'comfortable' | 'compact';
  /** The keys that lead there from the clock scale with nothing selected. */
  readonly keys: readonly string[];
}

const PICTURES: readonly Picture[] = [
  { name: 'shop-dark-clock', frames: SHOP, theme: 'dark', density: 'comfortable', keys: [] },
  { name: 'shop-light-clock-selected', frames: SHOP, theme: 'light', density: 'comfortable', keys: ['n'] },
  { name: 'shop-light-order', frames: SHOP, theme: 'light', density: 'comfortable', keys: ['o'] },
  { name: 'marks-light-clock-compact', frames: EVERY_MARK, theme: 'light', density: 'compact', keys: [] },
  { name: 'http-dark-clock', frames: OVER_HTTP, theme: 'dark', density: 'comfortable', keys: [] },
  { name: 'http-light-clock-compact', frames: OVER_HTTP, theme: 'light', density: 'compact', keys: [] },
  { name: 'closing-light-clock', frames: CLOSING, theme: 'light', density: 'comfortable', keys: [] },
  { name: 'tasks-light-clock', frames: TASKS, theme: 'light', density: 'comfortable', keys: [] },
  { name: 'tasks-dark-clock-compact', frames: TASKS, theme: 'dark', density: 'compact', keys: [] },
  { name: 'closing-dark-order-compact', frames: CLOSING, theme: 'dark', density: 'compact', keys: ['o'] },
  { name: 'marks-dark-order-compact', frames: EVERY_MARK, theme: 'dark', density: 'compact', keys: ['o'] },
];

test.each(PICTURES)('$name looks as it did', async (picture) => {
  const app = await show(picture);
  const here = `${electronVersion(ensureElectron().dist)} on ${process.platform} ${process.arch}`;
  if (here === PINNED) await compare(app.page, picture.name);
  else {
    console.warn(
      `Pictures are compared exactly with Electron ${PINNED} only, and here is ${here}: it is only checked that something is drawn.`,
    );
    await expect.poll(async () => coloursOf(app.page, await shot(app.page)), PATIENT).toBeGreaterThan(20);
  }
  expect(app.errors).toEqual([]);
  await app.kill(); // Nothing was recorded, so there is no file to ask for processes left behind.
});

/** The app with a trace file of these frames, in a window whose size, fonts, colours and movement depend on nothing around it. */
async function show({ frames, theme, density, keys }: Picture): Promise<App> {
  const home = temporaryFolder('screens');
  const file = path.join(home, `picture${EXTENSION}`);
  const began = frames[0]?.wall ?? '';
  writeFileSync(file, [encodeHeader(began, 'stopgap'), ...frames.map(encodeFrame), ''].join('\n'));
  const switches = ['--force-device-scale-factor=1', '--force-color-profile=srgb', '--force-prefers-reduced-motion'];
  const app = await launch({
    settings: { welcomeDismissed: true, theme, density },
    program: { path: ensureElectron().path, switches: [...electronArgs({ test: true }), ...switches], root: ROOT },
    args: [file],
    env: { HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home, FONTCONFIG_FILE: fontRaster(home), TZ: 'UTC', LC_ALL: 'C.UTF-8' },
  });
  const { page } = app;
  const { fileView, timeline, frameCount } = driver(app);
  await fileView.waitFor();
  await app.electron.evaluate(({ BrowserWindow }, { width, height }) => {
    BrowserWindow.getAllWindows()[0]?.setContentSize(width, height);
  }, WINDOW);
  const size = () => page.evaluate(() => [innerWidth, innerHeight, devicePixelRatio]);
  await expect.poll(size, PATIENT).toEqual([WINDOW.width, WINDOW.height, 1]);
  await page.addStyleTag({ content: PLACED });
  await expect.poll(() => fonts(page), PATIENT).toEqual(expect.arrayContaining(['Inter Variable', 'JetBrains Mono Variable']));
  await expect.poll(frameCount, PATIENT).toBe(frames.length);
  await timeline.focus();
  // Everything is shown last: where the view has been before is of no matter then.
  for (const key of [...keys, '0']) {
    await page.keyboard.press(key);
    await drawn(page);
  }
  await timeline.blur();
  return app;
}

/** Waits until what has changed is on the canvas: a picture begins with the next animation frame. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

/** The families of which a file has been loaded. */
const fonts = (page: Page): Promise<readonly string[]> =>
  page.evaluate(async () => {
    await document.fonts.ready;
    return [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family.replaceAll(/["']/g, ''));
  });

/**
 * Writes a font configuration that says how letters are drawn, whatever the person prefers. The machine's fonts are in it,
 * since Chromium does not start without any; that the pictures use the bundled ones is asked of the page.
 */
function fontRaster(folder: string): string {
  const drawn = [
    '<edit name="antialias" mode="assign"><bool>true</bool></edit>',
    '<edit name="hinting" mode="assign"><bool>false</bool></edit>',
    '<edit name="hintstyle" mode="assign"><const>hintnone</const></edit>',
    '<edit name="rgba" mode="assign"><const>none</const></edit>',
  ].join('');
  const file = path.join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
<dir>/usr/share/fonts</dir><cachedir>${path.join(folder, 'fonts')}</cachedir>
<match target="pattern">${drawn}</match><match target="font">${drawn}</match></fontconfig>`,
  );
  return file;
}

/**
 * Waits until what is shown is the kept picture. What is shown instead is written to dist/test/screens.
 * With STOPGAP_ACCEPT_SCREENS=1 it becomes the kept one first, as soon as it stands still.
 */
async function compare(page: Page, name: string): Promise<void> {
  mkdirSync(MADE, { recursive: true });
  const actual = path.join(MADE, `${name}.actual.png`);
  const kept = path.join(KEPT, `${name}.png`);
  if (ACCEPT) {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(kept, await still(page));
  }
  const expected = readFileSync(kept);
  const look = async (): Promise<number> => {
    const png = await shot(page);
    writeFileSync(actual, png);
    return differing(page, png, expected);
  };
  const advice = `If that is how it should look, accept it: STOPGAP_ACCEPT_SCREENS=1 npm test -- e2e`;
  await expect.poll(look, { ...PATIENT, interval: 500, message: `pixels of ${actual} that differ from ${kept}. ${advice}` }).toBe(0);
}

const shot = (page: Page): Promise<Buffer> => page.screenshot({ clip: IN_VIEW });

/** A picture that has been the same for two seconds. */
async function still(page: Page): Promise<Buffer> {
  let last = await shot(page);
  let same = 0;
  for (const until = performance.now() + PATIENCE_MS; same < 4; ) {
    if (performance.now() > until) throw new Error('Expected the window to stand still, but it goes on changing.');
    await page.waitForTimeout(500);
    const next = await shot(page);
    same = next.equals(last) ? same + 1 : 0;
    last = next;
  }
  return last;
}

/** How many pixels of two pictures are not the same. All of them, when the sizes differ. */
const differing = (page: Page, ...pictures: readonly [Buffer, Buffer]): Promise<number> =>
  page.evaluate(
    async (sources) => {
      const decode = async (source: string): Promise<ImageData> => {
        const image = new Image();
        image.src = `data:image/png;base64,${source}`;
        await image.decode();
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        if (!context) throw new Error('Expected a 2D context.');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [one, other] = await Promise.all(sources.map(decode));
      if (!one || !other || one.width !== other.width || one.height !== other.height) return Number.POSITIVE_INFINITY;
      const [a, b] = [new Uint32Array(one.data.buffer), new Uint32Array(other.data.buffer)];
      return a.reduce((count, pixel, at) => (pixel === b[at] ? count : count + 1), 0);
    },
    pictures.map((picture) => picture.toString('base64')),
  );

/** How many colours a picture has. */
const coloursOf = (page: Page, picture: Buffer): Promise<number> =>
  page.evaluate(async (source) => {
    const image = new Image();
    image.src = `data:image/png;base64,${source}`;
    await image.decode();
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context?.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context?.getImageData(0, 0, image.width, image.height).data.buffer ?? new ArrayBuffer(0))).size;
  }, picture.toString('base64'));
