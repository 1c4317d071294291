// The timeline of a report as one SVG picture, in the window's grammar: one call is one row of two bands, the upper what the
// client saw, the lower what the server is known to have done. Solid is known, dashed is a client that no longer waits, a
// hatch is what nobody knows. It is made of the report alone, so a report can be drawn wherever it is read.
import { fromMs, words } from '../base/time';
import { AFTER } from '../verdict/words';
import { element, escaped } from './markup';
import type { Report, ReportedCall } from './schema';

const WIDTH = 1100;
const LABELS = 220;
const ROOM = 250;
const ROW = 52;
const AXIS = 28;
const UPPER = 14;
const LOWER = 6;

/** Colours by role come from the page around (`--request`, `--cancel`, …), so that one picture serves both themes. */
export function drawingOf({ calls, probes }: Report): string {
  const [first] = calls;
  if (!first) return '';
  const from = Math.min(...calls.map(({ sentAtMs }) => sentAtMs));
  const to = Math.max(from + 1, ...calls.map(lastMoment));
  const scale = (ms: number): number => LABELS + ((ms - from) / (to - from)) * (WIDTH - LABELS - ROOM);
  const height = AXIS + calls.length * ROW;
  const rows = calls.map((call, index) => row(call, AXIS + index * ROW, { scale, to, watchedTo: watchedTo(probes, call) }));
  const title = `Timeline of ${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
  return element('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': title, class: 'timeline' }, [
    HATCH,
    axis(from, to, scale, height),
    ...rows,
  ]);
}

const HATCH =
  '<defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V5" stroke="var(--unknown)" stroke-width="1.6"/></pattern></defs>';

interface Drawn {
  readonly scale: (ms: number) => number;
  readonly to: number;
  /** Until when the call's probes have watched; undefined without one. */
  readonly watchedTo: number | undefined;
}

function lastMoment({ sentAtMs, stop, reply, effect, task }: ReportedCall): number {
  const said = task?.states.at(-1)?.atMs ?? 0;
  return Math.max(sentAtMs, stop.atMs ?? 0, reply.atMs ?? 0, said, ...effect.observations.map(({ toMs }) => toMs));
}

const watchedTo = (probes: Report['probes'], { effect }: ReportedCall): number | undefined => {
  const ends = probes.filter(({ name }) => effect.watchedBy.includes(name)).map(({ watchedToMs }) => watchedToMs);
  return ends.length === 0 ? undefined : Math.min(...ends);
};

function axis(from: number, to: number, scale: Drawn['scale'], height: number): string {
  const step = niceStep((to - from) / 6);
  const marks: string[] = [];
  for (let ms = 0; ms <= to - from; ms += step) {
    const x = scale(from + ms);
    marks.push(line(x, AXIS - 6, x, height, 'grid'), label(x + 3, AXIS - 10, ms === 0 ? '0' : words(fromMs(ms)), 'faint'));
  }
  return marks.join('');
}

/** The next of 1, 2, 5, 10, 20, … */
function niceStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ten * ([1, 2, 5].find((factor) => factor * ten >= least) ?? 10);
}

function row(call: ReportedCall, top: number, drawn: Drawn): string {
  const y = top + 14;
  return element('g', { class: `row ${call.severity}` }, [
    label(10, y + 11, SIGN[call.severity], call.severity === 'breach' ? 'breach' : 'faint'),
    label(28, y + 8, call.name, 'name'),
    label(28, y + 22, call.verdict, 'faint'),
    client(call, y, drawn),
    server(call, y + UPPER + 2, drawn),
    ...taskMarks(call, y, drawn),
    ...faultMarks(call, y, drawn),
    stopMark(call, y, drawn),
    replyMark(call, y, drawn),
    ...call.effect.observations.map((seen) => effectMark(seen, y + UPPER + 2 + LOWER / 2, drawn)),
    behind(call, y, drawn),
  ]);
}

const SIGN = { ok: '·', info: '·', note: 'i', warn: '△', breach: '◆' } as const satisfies Record<ReportedCall['severity'], string>;

/** What the client saw: a bar while it waits, an outline once it no longer does. */
function client({ sentAtMs, stop, reply }: ReportedCall, y: number, { scale, to }: Drawn): string {
  const start = scale(sentAtMs);
  const over = scale(Math.min(stop.atMs ?? to, reply.state === 'in-time' ? (reply.atMs ?? to) : to));
  const end = stop.atMs === null ? over : scale(reply.atMs ?? to);
  const outline = end > over ? rect(over, y + 0.5, end - over, UPPER - 1, 'given-up') : '';
  return rect(start, y, Math.max(2, over - start), UPPER, 'waiting') + outline + rect(start, y, 2, UPPER, 'edge');
}

/** What the server is known to have done: nothing is known from the stop until the first proof. */
function server({ stop, effect, reply }: ReportedCall, y: number, { scale, to }: Drawn): string {
  if (stop.atMs === null || stop.state === 'too-late') return '';
  const proofs = [reply.atMs, effect.fromMs].filter((ms): ms is number => ms !== null && ms > (stop.atMs ?? 0));
  return rect(scale(stop.atMs), y, scale(Math.min(to, ...proofs)) - scale(stop.atMs), LOWER, 'unknown');
}

function stopMark({ stop }: ReportedCall, y: number, { scale }: Drawn): string {
  if (stop.atMs === null) return '';
  const x = scale(stop.atMs);
  const told = stop.state === 'sent' || stop.state === 'task-cancel';
  const shape = stop.state === 'killed' ? cross(x, y - 4) : stop.state === 'stream-closed' ? slashes(x, y + 4) : triangle(x, y - 7, told);
  return line(x, y, x, y + UPPER + LOWER + 4, told || stop.state === 'stream-closed' ? 'cancel' : 'cancel untold') + shape;
}

/** What faults of ours did to the call's messages: a square, in a colour of its own. */
function faultMarks({ faults, sentAtMs }: ReportedCall, y: number, { scale }: Drawn): readonly string[] {
  return faults.map(({ atMs, says }) =>
    element('g', {}, [`<title>${escaped(says)}</title>`, rect(scale(Math.max(atMs, sentAtMs)) - 4, y + 3, 8, 8, 'fault')]),
  );
}

/** When the client got its answer: one that a fault of ours kept came before the stop, and passed after it. */
function gotAt({ reply, stop }: ReportedCall): number | null {
  if (reply.atMs === null || stop.atMs === null || reply.atMs >= stop.atMs || reply.state === 'in-time') return reply.atMs;
  return reply.lateByMs === null ? null : stop.atMs + reply.lateByMs;
}

/** Where the state of a task became another one. */
function taskMarks({ task }: ReportedCall, y: number, { scale }: Drawn): readonly string[] {
  return (task?.states ?? []).map(({ status, atMs }) =>
    element('g', {}, [
      `<title>${escaped(`the task says “${status}”`)}</title>`,
      element('circle', { cx: r(scale(atMs)), cy: r(y + UPPER / 2), r: '3', class: 'state' }),
    ]),
  );
}

const triangle = (x: number, y: number, filled: boolean): string =>
  path(`M${r(x - 4)} ${r(y)}h8l-4 7z`, filled ? 'cancel-fill' : 'cancel-line');
const cross = (x: number, y: number): string => path(`M${r(x - 4)} ${r(y - 4)}l8 8m0 -8l-8 8`, 'cancel-line');
const slashes = (x: number, y: number): string => path(`M${r(x - 5)} ${r(y + 6)}l4 -8m2 8l4 -8`, 'cancel-line');

function replyMark(call: ReportedCall, y: number, { scale }: Drawn): string {
  const { reply, stop } = call;
  const got = gotAt(call);
  if (got === null) return '';
  const x = scale(got);
  if (reply.state === 'in-time' || stop.atMs === null) return rect(x - 2, y, 2, UPPER, 'edge');
  return line(scale(stop.atMs), y + UPPER / 2, x, y + UPPER / 2, 'late thread') + path(`M${r(x + 7)} ${r(y + 2)}v10l-8 -5z`, 'late-line');
}

type Seen = ReportedCall['effect']['observations'][number];

function effectMark(seen: Seen, y: number, { scale }: Drawn): string {
  const x = scale((seen.fromMs + seen.toMs) / 2);
  const bar = line(scale(seen.fromMs), y, scale(seen.toMs), y, 'interval');
  const size = seen.state === 'after' ? 7 : 5;
  const diamond = path(
    `M${r(x)} ${r(y - size)}l${size} ${size}l${-size} ${size}l${-size} ${-size}z`,
    `effect ${seen.state}${seen.reverted ? ' reverted' : ''}`,
  );
  const mark = seen.state === 'after' ? path(`M${r(x - 2.5)} ${r(y - 2.5)}l5 5m0 -5l-5 5`, 'on-breach') : '';
  return element('g', {}, [`<title>${escaped(`${seen.probe}: ${seen.says}`)}</title>`, bar, diamond, mark]);
}

/** The label behind the row's last mark: what a reader has to know without the legend. */
function behind({ stop, reply, effect }: ReportedCall, y: number, { scale, to, watchedTo }: Drawn): string {
  const last = Math.max(reply.atMs ?? 0, effect.toMs ?? 0, stop.atMs ?? 0);
  const x = scale(stop.atMs === null && reply.atMs !== null ? last : to) + 14;
  const late = reply.lateByMs === null ? undefined : `late +${words(fromMs(reply.lateByMs))}`;
  const wrote = effect.afterByMs === null ? undefined : `${AFTER[stop.state]} +${words(fromMs(effect.afterByMs))} · ${effect.probe ?? ''}`;
  const clear = effect.state === 'not-seen' && watchedTo !== undefined ? `✓ nothing seen by ${effect.watchedBy.join(', ')}` : undefined;
  const blind = effect.state === 'not-probed' ? '○ not probed' : undefined;
  const second = wrote ?? clear ?? blind;
  return [
    late === undefined ? '' : label(x, y + 10, late, 'late-text'),
    second === undefined ? '' : label(x, y + 24, second, wrote ? 'breach' : clear ? 'proof' : 'faint'),
  ].join('');
}

const r = (value: number): string => String(Math.round(value * 10) / 10);
const rect = (x: number, y: number, width: number, height: number, name: string): string =>
  element('rect', { x: r(x), y: r(y), width: r(Math.max(0, width)), height: String(height), class: name });
const line = (x1: number, y1: number, x2: number, y2: number, name: string): string =>
  element('path', { d: `M${r(x1)} ${r(y1)}L${r(x2)} ${r(y2)}`, class: `line ${name}` });
const path = (d: string, name: string): string => element('path', { d, class: name });
const label = (x: number, y: number, text: string, name: string): string =>
  element('text', { x: r(x), y: r(y), class: name }, [escaped(text)]);
