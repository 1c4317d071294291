// `npm run bench`: how fast, against what, measured here and now. It prints; it judges nothing and fails only when
// something does not work (a lost frame, a window that does not open).

import { drawP95 } from './drawP95';
import { asJson, asText, type Figure } from './figures';
import { open1m } from './open1m';
import { panToFrame } from './panToFrame';
import { progress5000 } from './progress5000';
import { rendererBytes } from './rendererBytes';
import { start } from './start';
import { stdioFlood } from './stdioFlood';
import { tapOverhead } from './tapOverhead';
import { wireToPixel } from './wireToPixel';

const BENCHES: Readonly<Record<string, () => Promise<Figure>>> = {
  'tap-overhead': tapOverhead,
  'stdio-flood': stdioFlood,
  'progress-5000': progress5000,
  start,
  'draw-p95-1m': drawP95,
  'pan-to-frame-p95': panToFrame,
  'wire-to-pixel-p95': wireToPixel,
  'renderer-bytes-per-frame': rendererBytes,
  'open-1m': open1m,
};

const words = process.argv.slice(2);
const json = words.includes('--json');
const names = words.filter((word) => word !== '--json');
const unknown = names.find((name) => !(name in BENCHES));
if (unknown !== undefined) {
  console.error(`bench: expected a name of ${Object.keys(BENCHES).join(', ')}, or --json; got ${unknown}`);
  process.exit(2);
}

const figures: Figure[] = [];
for (const name of names.length > 0 ? names : Object.keys(BENCHES)) {
  console.error(`[bench] ${name}…`);
  const measured = await BENCHES[name]?.();
  if (!measured) continue;
  figures.push(measured);
  if (!json) console.log(asText(measured));
}
if (json) console.log(asJson(figures));
process.exit(0);
