// The terminal: results on stdout, what happens meanwhile on stderr, colours only where somebody can see them.
import type { Paint, Role } from '../../app/report/words';
import { plainPaint } from '../../app/report/words';

export type ColorChoice = 'auto' | 'always' | 'never';
export const COLOR_CHOICES = ['auto', 'always', 'never'] as const satisfies readonly ColorChoice[];

/** SGR codes: the sixteen colours that every terminal has in shades of its owner's choice. */
const CODES: Readonly<Record<Role, string>> = {
  request: '34',
  cancel: '33',
  late: '35',
  breach: '1;31',
  proof: '32',
  unknown: '90',
  fault: '36',
  faint: '2',
  strong: '1',
};

const colours: Paint = (role, text) => `\u001b[${CODES[role]}m${text}\u001b[0m`;

/** @see https://no-color.org: any value of NO_COLOR but the empty one means no colours, unless somebody asks for them here. */
export function painter(choice: ColorChoice): Paint {
  if (choice === 'always') return colours;
  if (choice === 'never' || process.env['NO_COLOR'] || process.env['TERM'] === 'dumb') return plainPaint;
  return process.stdout.isTTY ? colours : plainPaint;
}

const WIDTH = 100;
const WIDEST = 160;

/** Columns to fill: those of the terminal, or of COLUMNS where there is none. */
export function width(): number {
  const columns = process.stdout.columns ?? Number(process.env['COLUMNS']);
  return Math.min(WIDEST, Math.max(60, columns || WIDTH));
}

export interface Said {
  /** What happens: left out where `--quiet` is given. */
  readonly progress: (line: string) => void;
  readonly warn: (line: string) => void;
}

export function said(quiet = false): Said {
  const line = (text: string): void => void process.stderr.write(`stopgap: ${text}\n`);
  return { progress: quiet ? () => undefined : line, warn: line };
}

/** Resolves when the text has been handed on; a reader that has gone away (`| head`) ends nothing by that. */
export function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(text, () => resolve());
  });
}
