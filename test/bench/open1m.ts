// From the press of Open to the first picture of a million frames, against reading the same file and parsing each line.
import { readFileSync } from 'node:fs';
import { type Figure, figure, median, part } from './figures';
import { beside, MILLION, openIn, traceOf } from './longTrace';

const ROUNDS = 3;

export async function open1m(): Promise<Figure> {
  const file = await traceOf(MILLION);
  const firsts: number[] = [];
  const frames: number[] = [];
  const wholes: number[] = [];
  const baselines: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    baselines.push(readAndParse(file));
    const { page, close } = await beside(file);
    const { first, firstFrames, all } = await openIn(page, file, MILLION);
    firsts.push(first);
    frames.push(firstFrames);
    wholes.push(all);
    await close();
  }
  const baseline = median(baselines);
  const whole = part({ name: 'open-1m-all', value: median(wholes), unit: 'ms', baseline });
  return figure({
    name: 'open-1m',
    value: median(firsts),
    unit: 'ms',
    baseline,
    against: 'reading the same file and JSON.parse of each line',
    goal: { atMost: 1 },
    remark: `the first picture has the first ${median(frames).toLocaleString('en')} frames, which the window says; the one with all ${MILLION.toLocaleString('en')} came after ${Math.round(whole.value).toLocaleString('en')} ms (open-1m-all, ratio ${whole.ratio.toFixed(2)})`,
    parts: [whole],
  });
}

/** @returns ms */
function readAndParse(file: string): number {
  const since = performance.now();
  const bytes = readFileSync(file);
  let lines = 0;
  for (let start = 0, end = bytes.indexOf(10); end >= 0; start = end + 1, end = bytes.indexOf(10, start)) {
    JSON.parse(bytes.toString('utf8', start, end));
    lines++;
  }
  if (lines !== MILLION + 1) throw new Error(`expected a header and ${MILLION} lines, read ${lines}`);
  return performance.now() - since;
}
