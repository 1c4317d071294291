// `npm run bench`: how fast, against what, measured here and now. It prints; it judges nothing and fails only when
// something does not work (a lost frame, a window that does not open).
import { asJson, asText, type Figure } from './figures';
import { progress5000 } from './progress5000';
import { start } from './start';
import { stdioFlood } from './stdioFlood';
import { tapOverhead } from './tapOverhead';

const BENCHES: Readonly<Record<string, () => Promise<Figure>>> = {
  'tap-overhead': tapOverhead,
  'stdio-flood': stdioFlood,
  'progress-5000': progress5000,
  start,
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
