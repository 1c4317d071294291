// The numbers that the colours have to keep, computed from the file that everybody uses.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { COLOURS } from './theme';

const css = readFileSync(path.resolve(import.meta.dirname, 'tokens.css'), 'utf8');

/** The tokens of one theme, as the cascade gives them. */
function tokens(theme: 'light' | 'dark'): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, selector = '', body = ''] of css.matchAll(/([^{}]+)\{([^{}]*)\}/g)) {
    if (!selector.includes(`[data-theme='${theme}']`) && !/:root\s*$/.test(selector.trim())) continue;
    for (const [, name = '', value = ''] of body.matchAll(/--([\w-]+):\s*([^;]+);/g)) found.set(name, value.trim());
  }
  return found;
}

/** WCAG 2.2 relative luminance of `#rrggbb`. */
function luminance(colour: string): number {
  const parts = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255);
  const [r = 0, g = 0, b = 0] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

const MARKS = ['request', 'cancel', 'late', 'breach', 'proof', 'unknown', 'fault'];
const TEXTS = ['ink', 'soft', 'faint', ...MARKS.map((role) => `${role}-text`)];
const GROUNDS = ['page', 'panel', 'lane', 'raise'];

describe.each([
  ['light', 3.5],
  ['dark', 3.9],
] as const)('the %s theme', (theme, least) => {
  const values = tokens(theme);
  const of = (name: string): string => values.get(name) ?? `no token ${name}`;

  it('has every colour that the canvas asks for', () => {
    expect(COLOURS.filter((colour) => !/^#[0-9a-f]{6}$/.test(of(colour)))).toEqual([]);
  });

  it('shows marks on the lane', () => {
    expect(MARKS.filter((role) => contrast(of(role), of('lane')) < least)).toEqual([]);
  });

  it('shows text on every ground', () => {
    const poor = TEXTS.flatMap((text) =>
      GROUNDS.filter((ground) => contrast(of(text), of(ground)) < 4.5).map((ground) => `${text} on ${ground}`),
    );
    expect(poor).toEqual([]);
  });

  it('shows text on filled roles', () => {
    const pairs = [
      ['on-request', 'request'],
      ['on-cancel', 'cancel'],
      ['on-breach', 'breach'],
      ['on-fault', 'fault'],
    ] as const;
    // The ✕ on a breach is a mark, not text.
    const poor = pairs.filter(([text, fill]) => contrast(of(text), of(fill)) < (text === 'on-breach' ? least : 4.5));
    expect(poor).toEqual([]);
  });
});
