// What a person does in the window and reads off it, by the roles and names that assistive technology sees. Where a
// public name stands behind plain words (a verdict, a lane's state), it is read from the title that carries it.
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { demoTitle } from '../../app/contract/server';
import type { Headline } from '../../app/verdict/verdict';
import type { DemoWire } from '../../app/wire/frame';
import type { StartCommand } from '../real/servers';
import { type App, PATIENT } from './app';

export type Tab = 'Wire' | 'Calls' | 'Findings' | 'Tasks' | 'stderr' | 'Traces';

/** What the menu says of the demo over each wire. */
const WIRES: Readonly<Record<DemoWire, string>> = {
  http: 'With sessions',
  'http-json': 'never begins',
  'http-stateless': 'reaches nobody',
  sse: 'older transport',
};

/** The text of an element, or an empty one. */
export const textOf = async (element: Locator): Promise<string> => (await element.textContent()) ?? '';

/** @param electron for what stands in the application's menu */
export function driver({ page, electron }: Pick<App, 'page' | 'electron'>) {
  const details = page.getByRole('complementary', { name: 'Details of the selected call' });
  const tag = details.locator('.certainty-tag');
  const welcome = page.locator('.welcome');
  const timeline = page.getByRole('application', { name: /^Timeline/ });
  const serverMenu = page.locator('#server-menu');
  const tools = page.getByRole('complementary', { name: 'Tools' });
  const flight = page.getByRole('region', { name: 'Calls in flight' });

  /** The headline's public name, or undefined while nothing is judged. */
  const headline = async (): Promise<string | undefined> =>
    (await tag.count()) === 0 ? undefined : ((await tag.getAttribute('title')) ?? '').split(':')[0];

  const lane = (name: 'stop' | 'reply' | 'effect'): Locator =>
    details.locator('.lane').filter({ has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) });

  return {
    details,
    timeline,
    tools,
    flight,
    /** The guided race, whichever step it is at. */
    welcome,
    wire: page.getByRole('listbox', { name: 'Wire log' }),
    stderr: page.getByRole('listbox', { name: 'stderr' }),
    findings: page.getByRole('list', { name: 'Findings' }),
    callsTable: page.getByRole('grid', { name: 'Calls' }),
    /** Says that the host is gone. */
    hostGone: page.getByRole('alert').filter({ hasText: 'The session host is not running.' }),
    /** Says that a trace file is looked at. */
    fileView: page.getByRole('status').filter({ hasText: 'You are looking at a trace file' }),

    /** Waits until the server is in a state, in the window's words. */
    async server(state: string): Promise<void> {
      await serverMenu.getByRole('img', { name: state }).waitFor();
    },

    /** Puts the guided race away for ever. */
    async dismissWelcome(): Promise<void> {
      await welcome.getByRole('button', { name: 'Never show this again' }).click();
    },

    async connected(): Promise<void> {
      await serverMenu.getByRole('img', { name: 'connected' }).waitFor();
    },

    /**
     * Starts another server by its command line, without waiting for what becomes of it.
     * @param protocol a revision to insist on
     */
    async connect({ command, args }: StartCommand, protocol = ''): Promise<void> {
      await serverMenu.click();
      await page.getByRole('menuitem', { name: /^Another server…/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
      await dialog.getByRole('textbox', { name: /^Command line/ }).fill([command, ...args].map((word) => JSON.stringify(word)).join(' '));
      await dialog.getByRole('combobox', { name: 'Revision of the protocol' }).selectOption(protocol);
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    },

    /**
     * Connects to a server at an address, without waiting for what becomes of it.
     * @param protocol a revision to insist on
     */
    async connectTo(url: string, protocol = ''): Promise<void> {
      await serverMenu.click();
      await page.getByRole('menuitem', { name: /^Another server…/ }).click();
      const dialog = page.getByRole('dialog', { name: 'Connect to a server' });
      await dialog.getByRole('radio', { name: 'Address' }).check();
      await dialog.getByRole('textbox', { name: /^Address/ }).fill(url);
      await dialog.getByRole('combobox', { name: 'Revision of the protocol' }).selectOption(protocol);
      await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    },

    /** Connects to the demo over another wire. */
    async demoOver(over: DemoWire): Promise<void> {
      await serverMenu.click();
      await page.getByRole('menuitem', { name: 'Demo server over HTTP', exact: true }).click();
      await page
        .getByRole('menuitem')
        .filter({ hasText: demoTitle(over) })
        .filter({ hasText: WIRES[over] })
        .click();
      await serverMenu.filter({ has: page.getByText(demoTitle(over), { exact: true }) }).waitFor();
      await serverMenu.getByRole('img', { name: 'connected' }).waitFor();
    },

    /** Chooses in the server menu: an item of a menu behind an item, and so on. */
    async serverItem(...names: readonly (string | RegExp)[]): Promise<void> {
      await serverMenu.click();
      for (const [depth, name] of names.entries())
        await page.getByRole('menu').nth(depth).getByRole('menuitem', { name, exact: true }).click();
    },

    async disconnect(): Promise<void> {
      await serverMenu.click();
      await page.getByRole('menuitem', { name: 'Disconnect' }).click();
    },

    async choose(tool: string): Promise<void> {
      await tools.locator(`[id="tool-${tool}"]`).click();
    },

    chosenTool: (): Promise<string> => textOf(tools.locator('[role=option][aria-selected=true] .clip')),

    /** Replaces the arguments, as JSON. */
    async fill(args: object): Promise<void> {
      await tools.getByRole('tab', { name: 'JSON' }).click();
      await tools.getByRole('textbox', { name: 'Arguments as JSON' }).fill(JSON.stringify(args));
    },

    async stopAfter(ms: number): Promise<void> {
      await tools.getByRole('textbox', { name: 'Stop after' }).fill(String(ms));
    },

    /** Adds a folder probe to the chosen tool. */
    async addProbe(name: string, folder: string): Promise<void> {
      await tools.getByRole('button', { name: 'Add a probe', exact: true }).click();
      const dialog = page.getByRole('dialog', { name: 'Add a probe' });
      await dialog.getByText('Folder', { exact: true }).first().click();
      await dialog.getByRole('textbox', { name: /^Folder/ }).fill(folder);
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
      await dialog.getByRole('button', { name: 'Watch it' }).click();
      await dialog.waitFor({ state: 'detached' });
    },

    async call(): Promise<void> {
      await page.locator('#call-button').click();
    },

    /** Sets the reason that goes with every cancel from now on; while something is in flight. */
    async reason(text: string): Promise<void> {
      await flight.getByRole('button', { name: 'Reason…' }).click();
      const field = page.getByRole('textbox', { name: 'Reason' });
      await field.fill(text);
      await field.press('Enter');
      await field.waitFor({ state: 'detached' });
    },

    async stop(by: 'button' | 'Escape' = 'button'): Promise<void> {
      if (by === 'button') await page.locator('#stop-button').click();
      else await page.keyboard.press('Escape');
    },

    /** Stops the newest call in another way than by a cancel. @param way as the menu beside Stop calls it */
    async stopBy(way: string): Promise<void> {
      await flight.getByRole('button', { name: 'Other ways to stop' }).click();
      await page.getByRole('menuitem', { name: way }).click();
    },

    /** Presses Stop as soon as it says that it comes too late. */
    async stopTooLate(): Promise<void> {
      await page.locator('#stop-button', { hasText: 'Too late' }).click();
    },

    /** Stops one of several calls in flight, by its name and id. */
    async stopOne(call: string): Promise<void> {
      await flight.getByRole('button', { name: `Stop ${call}: send cancel` }).click();
    },

    headline,

    /** Waits for the selected call's headline. */
    async verdict(expected: Headline): Promise<void> {
      await expect.poll(headline, { ...PATIENT, message: 'headline of the selected call' }).toBe(expected);
    },

    sentence: (): Promise<string> => textOf(details.locator('.sentence')),

    certainty: (): Promise<string | null> => tag.getAttribute('data-certainty'),

    /** A lane's state by its public name. */
    state: (name: 'stop' | 'reply' | 'effect'): Promise<string | null> => lane(name).locator('.lane-says').getAttribute('title'),

    /** The headlines through which the selected call went, oldest first, and when, in ms on the trace's clock. */
    async history(): Promise<readonly { readonly at: number; readonly verdict: string }[]> {
      const rows = await details.locator('.history li').allTextContents();
      return rows.map((row) => {
        const [, number = '', unit, verdict = ''] = /^([\d.]+) (ms|s)(.*)$/.exec(row) ?? [];
        return { at: Number(number) * (unit === 's' ? 1000 : 1), verdict };
      });
    },

    /**
     * What is on the timeline's canvas in the colour of a role, right of `from` in pixels.
     * @returns how many pixels, and the column with the most of them
     */
    drawn: (
      role: 'cancel' | 'breach' | 'fault',
      from = 0,
    ): Promise<{ readonly pixels: number; readonly x: number; readonly tallest: number }> =>
      page.evaluate(
        ([token, left]) => {
          const canvas = document.querySelector<HTMLCanvasElement>('[role=application] canvas');
          const context = canvas?.getContext('2d');
          if (!canvas || !context) throw new Error('Expected a canvas in the timeline.');
          const colour = getComputedStyle(document.documentElement).getPropertyValue(`--${token}`).trim();
          const wanted = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
          const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
          const columns = new Uint32Array(width);
          for (let i = 0; i < data.length; i += 4) {
            const x = (i / 4) % width;
            if (x >= left && wanted.every((part, at) => Math.abs(part - (data[i + at] ?? 0)) < 6)) columns[x] = (columns[x] ?? 0) + 1;
          }
          const tallest = Math.max(...columns);
          return { pixels: columns.reduce((sum, count) => sum + count, 0), x: columns.indexOf(tallest), tallest };
        },
        [role, from] as const,
      ),

    /**
     * Moves the pointer down a column of the timeline until its card begins with these words.
     * @param x in pixels of the canvas
     * @returns what the card says; empty where none of that column begins so
     */
    async cardAt(x: number, begins: RegExp): Promise<string> {
      const box = await timeline.locator('canvas').first().boundingBox();
      if (!box) throw new Error('Expected a canvas in the timeline.');
      const ratio = await page.evaluate(() => devicePixelRatio);
      const card = page.getByRole('tooltip');
      for (let y = 30; y < box.height; y += 3) {
        await page.mouse.move(box.x + x / ratio, box.y + y);
        const said = (await card.count()) === 0 ? '' : await textOf(card);
        if (begins.test(said)) return said;
      }
      return '';
    },

    /** Goes through the marks of the selected call with the arrow key. @returns what the wire log shows selected at each */
    async walkMarks(): Promise<readonly string[]> {
      await page.getByRole('tab', { name: /^Wire/ }).click();
      await timeline.focus();
      const selected = page.getByRole('listbox', { name: 'Wire log' }).locator('[aria-selected=true]');
      const walked: string[] = [];
      for (;;) {
        await page.keyboard.press('ArrowRight');
        await selected.waitFor();
        const text = await textOf(selected);
        if (text === walked.at(-1)) return walked;
        walked.push(text);
      }
    },

    async show(tab: Tab): Promise<void> {
      await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    },

    /** Opens a trace of the traces' folder. */
    async openTrace(file: string): Promise<void> {
      await page.getByRole('tab', { name: /^Traces/ }).click();
      const row = page.getByRole('row').filter({ hasText: path.basename(file) });
      await row.getByRole('button', { name: 'Open' }).click();
      await page.getByText('You are looking at a trace file').waitFor();
    },

    /** How many frames the window has, as its bottom line says. */
    async frameCount(): Promise<number> {
      const [number = ''] = /^[\d,]+/.exec(await textOf(page.getByRole('contentinfo'))) ?? [];
      return Number(number.replaceAll(',', ''));
    },

    /** Chooses a command in the application's menu, by its id. */
    async command(id: string): Promise<void> {
      await electron.evaluate(({ Menu }, item) => Menu.getApplicationMenu()?.getMenuItemById(item)?.click(), id);
    },

    async theme(theme: 'As the system' | 'Light' | 'Dark'): Promise<void> {
      await page.getByRole('button', { name: 'Theme, density and more' }).click();
      await page.getByRole('menuitemradio', { name: theme }).click();
      await page.keyboard.press('Escape');
    },
  };
}
