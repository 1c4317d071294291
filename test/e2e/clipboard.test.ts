// What the copy commands put on the clipboard, read back from it: a command line that a shell can run, a report and raw
// messages that a program can read, a picture and a drawing of what is to be seen.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { report } from '../../app/report/schema';
import { type App, cleanUp, launch, PATIENT, ROOT } from './app';
import { driver, textOf } from './window';

afterEach(cleanUp);

/** A call of the demo that was charged although it was stopped, and what runs commands of the palette by their titles. */
async function charged() {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill({ amount: 4200, currency: 'EUR', commit_ms: 100, write_ms: 1500 });
  await window.stopAfter(400);
  await window.call();
  await window.verdict('write-after-cancel');
  /** Runs a command and waits until the window has said what it copied. */
  const copied = async (title: string, says: string): Promise<void> => {
    await app.electron.evaluate(({ clipboard }) => clipboard.writeText(''));
    await app.page.keyboard.press('Control+k');
    await app.page.getByRole('option').first().waitFor();
    await app.page.keyboard.type(title);
    await app.page.keyboard.press('Enter');
    await expect.poll(() => textOf(app.page.locator('.toasts')), PATIENT).toContain(says);
    await app.page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  return { app, window, copied };
}

/** What is pasted: the text, and the picture as a data address. */
interface Pasted {
  readonly text: string;
  readonly picture: string | undefined;
}

/** Pastes into the page: that needs no permission, and is the same with every version of the runtime. */
async function pasted({ page }: App): Promise<Pasted> {
  // Listened first, pressed then: the key and the script reach the page on different ways.
  const waiting = await page.evaluateHandle(() => {
    const got = new Promise<Pasted>((resolve) => {
      const take = ({ clipboardData: data }: ClipboardEvent): void => {
        const text = data?.getData('text/plain') ?? '';
        const file = [...(data?.files ?? [])].find(({ type }) => type === 'image/png');
        const reader = new FileReader();
        reader.onload = () => resolve({ text, picture: String(reader.result) });
        if (file) reader.readAsDataURL(file);
        else resolve({ text, picture: undefined });
      };
      document.addEventListener('paste', take, { once: true, capture: true });
    });
    return { got };
  });
  await page.keyboard.press('Control+v');
  return waiting.evaluate(({ got }) => got);
}

/** Size of a picture, and how many of its pixels have a colour (`#rrggbb`). */
const looked = ({ page }: App, source: string, colour: string) =>
  page.evaluate(
    async ([address, wanted]) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
      context?.drawImage(image, 0, 0);
      const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? [];
      const parts = [1, 3, 5].map((at) => Number.parseInt(wanted.slice(at, at + 2), 16));
      let coloured = 0;
      for (let at = 0; at < pixels.length; at += 4) if (parts.every((part, index) => pixels[at + index] === part)) coloured++;
      return { size: { width: image.width, height: image.height }, coloured };
    },
    [source, colour] as const,
  );

test.skipIf(process.platform === 'win32')('the command line does the same again when a shell runs it', async () => {
  const { app, copied } = await charged();
  await copied('Copy the call as a command line', 'Copied the command line.');
  const { text: line } = await pasted(app);
  expect(line).toMatch(/^stopgap call demo charge_card --args '.*"amount":4200.*' --stop-after 4\d\d(\.\d)?ms /);
  // A breach ends the program with a code of its own, which is no failure of the shell.
  const script = `stopgap() { "${process.execPath}" "${path.join(ROOT, 'dist/main/cli.js')}" "$@" || true; }\n${line} --json`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script]);
  const [call] = report.parse(JSON.parse(stdout)).calls;
  expect([call?.tool, call?.verdict, call?.stop.reason]).toEqual(['charge_card', 'write-after-cancel', 'user pressed stop']);
  await app.close();
});

const raws = z.object({
  verdict: z.object({ verdict: z.string() }),
  messages: z.array(z.object({ seq: z.number(), atMs: z.number(), dir: z.enum(['c2s', 's2c']), raw: z.string() })),
});

test('the report is one of this call alone, and the raw messages are those of the trace file, byte for byte', async () => {
  const { app, copied } = await charged();
  await copied('Copy the call as a report', 'Copied the report.');
  const { calls, probes } = report.parse(JSON.parse((await pasted(app)).text));
  expect([calls.map(({ tool, verdict }) => `${tool} ${verdict}`), probes.map(({ name }) => name)]).toEqual([
    ['charge_card write-after-cancel'],
    ['ledger'],
  ]);

  await copied('Copy the verdict and raw messages as JSON', 'Copied the verdict and its messages.');
  const { verdict, messages } = raws.parse(JSON.parse((await pasted(app)).text));
  const frames = app.frames();
  const kept = messages.map(({ seq }) => frames.find((frame) => frame.seq === seq));
  expect(verdict.verdict).toBe('write-after-cancel');
  expect(messages.map(({ raw }) => raw)).toEqual(kept.map((frame) => (frame?.kind === 'message' ? frame.raw : undefined)));
  expect(messages.map(({ raw }) => (JSON.parse(raw) as { method?: string }).method)).toEqual(['tools/call', 'notifications/cancelled']);
  await app.close();
});

test('the picture has twice the size of the timeline and the drawing its words, and both show the breach', async () => {
  const { app, window, copied } = await charged();
  const size = await window.timeline.evaluate((stage) => ({ width: stage.clientWidth * 2, height: stage.clientHeight * 2 }));
  const breach = await app.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--breach').trim());
  await copied('Copy picture as PNG', 'The visible part is copied as a picture.');
  const { picture = '' } = await pasted(app);
  const png = await looked(app, picture, breach);
  expect(png.size).toEqual(size);
  expect(png.coloured).toBeGreaterThan(200);

  await copied('Copy picture as SVG', 'The visible part is copied as a drawing.');
  const { text: svg } = await pasted(app);
  expect(svg).toMatch(new RegExp(`^<svg [^>]*width="${size.width / 2}" height="${size.height / 2}"`));
  expect(
    ['charge_card', 'after cancel +', `fill="${breach}"`, '<title>Timeline of 1 call: 1 breach'].filter((part) => !svg.includes(part)),
  ).toEqual([]);
  await app.close();
});
