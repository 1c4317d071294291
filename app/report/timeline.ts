// The timeline in characters, in the window's grammar: one call is one row of two bands. The upper band is what the client
// saw, the lower one what the server is known to have done. Solid is known, dashes are a client that no longer waits, a
// hatch is what nobody knows. Evidence is drawn over everything else and never left out.
import { minus, type Ns, plus, words } from '../base/time';
import type { Call } from '../trace/calls';
import { statusOf } from '../trace/exchanges';
import { changesOf, type Task } from '../trace/tasks';
import { cancelPost, type LeftOpen, leftOpen } from '../verdict/overHttp';
import { outcomeOf } from '../verdict/overTasks';
import type { Attributed, Verdict } from '../verdict/verdict';
import { succeeded } from '../verdict/view';
import { AFTER } from '../verdict/words';
import { type Judged, nameOf, reportedCalls } from './json';
import { type Paint, type Role, SEVERITY_ROLES, SIGNS } from './words';

interface Cell {
  readonly mark: string;
  readonly role: Role;
}

/** A line of cells that marks are put into. */
class Band {
  readonly #cells: (Cell | undefined)[];

  constructor(columns: number) {
    this.#cells = Array.from({ length: columns }, () => undefined);
  }

  put(column: number, mark: string, role: Role): void {
    if (column >= 0 && column < this.#cells.length) this.#cells[column] = { mark, role };
  }

  fill(from: number, to: number, mark: string, role: Role): void {
    for (let column = from; column <= to; column++) this.put(column, mark, role);
  }

  /** Writes a label behind the last mark; in front of the first one where there is no room behind; else not at all. */
  label(text: string, role: Role): void {
    const last = this.#cells.findLastIndex((cell) => cell !== undefined);
    const first = this.#cells.findIndex((cell) => cell !== undefined);
    const at = last + 2 + text.length <= this.#cells.length ? last + 2 : first - 1 - text.length;
    if (text !== '' && at >= 0) for (const [index, letter] of [...text].entries()) this.put(at + index, letter, role);
  }

  painted(paint: Paint): string {
    let line = '';
    let run = '';
    let role: Role | undefined;
    const end = (): void => {
      line += role === undefined ? run : paint(role, run);
      run = '';
    };
    for (const cell of this.#cells.slice(0, this.#cells.findLastIndex((one) => one !== undefined) + 1)) {
      if (cell?.role !== role) {
        end();
        role = cell?.role;
      }
      run += cell?.mark ?? ' ';
    }
    end();
    return line;
  }
}

const LABELS = 28;
const LEAST = 24;
/** Columns behind the last mark, for its label. */
const ROOM = 34;

/** The timeline of a trace's calls, a line for the axis and two for each call; nothing where there are no calls. */
export function timelineText(judged: Judged, calls: readonly Call[], width: number, paint: Paint): readonly string[] {
  const rows = reportedCalls(judged).filter(({ call }) => calls.includes(call));
  const [first] = rows;
  if (!first) return [];
  const labels = Math.min(LABELS, Math.max(...rows.map(({ call }) => nameOf(judged, call).length)));
  const columns = Math.max(LEAST, width - labels - 4);
  const from = first.call.sent.t;
  const to = rows.reduce((latest, row) => Math.max(latest, lastMoment(judged, row.call, row.verdict)), from + 1) as Ns;
  const span = ((to - from) * columns) / (columns - Math.min(ROOM, 0.4 * columns));
  const scale = (t: Ns): number => Math.min(columns - 1, Math.max(0, Math.round(((t - from) / span) * (columns - 1))));
  const gutter = ' '.repeat(labels + 3);
  const drawn: Drawn = { columns, scale, end: to, now: judged.now };
  return [
    gutter + axis(from, span as Ns, columns, scale).painted(paint),
    ...rows.flatMap(({ call, verdict }) => {
      const name = nameOf(judged, call);
      const shown = name.length > labels ? `${name.slice(0, labels - 1)}…` : name.padEnd(labels);
      const sign = paint(SEVERITY_ROLES[verdict.severity], SIGNS[verdict.severity]);
      const session = judged.court.calls.sessions.get(call.session);
      const left = session && leftOpen(call, session, verdict.stop);
      return [
        `${sign} ${paint('strong', shown)} ${client(call, verdict, left, drawn).painted(paint)}`,
        gutter + server(judged, call, verdict, drawn).painted(paint),
      ];
    }),
  ];
}

/** What the marks mean, for whoever sees them the first time. */
const LEGEND: readonly string[] = [
  '━ waiting',
  '▼ cancel',
  '▽ told nobody',
  '╳ killed',
  '◁ late reply',
  '═ response left open',
  '╱ not known',
  '] read past the cancel',
  '◆ effect after the stop',
  '⬖ order unknown',
  '◇ effect before it',
  '↶ taken back',
  '✓ watched to here, nothing seen',
  '○ not probed',
  '▣ a fault of ours',
];

const OF_TASKS: readonly string[] = ['● state of the task', '∙ asked for it'];

/** The marks that calls may have: those of tasks only where there is one. */
export const legendOf = (calls: readonly Call[]): readonly string[] => (calls.some(({ task }) => task) ? [...LEGEND, ...OF_TASKS] : LEGEND);

/** The last moment of a call that is worth drawing. */
function lastMoment({ trace }: Judged, call: Call, verdict: Verdict): number {
  const { stop, reply, effect, fence } = verdict;
  const late = Math.max(call.replies.at(-1)?.t ?? 0, call.task?.states.at(-1)?.t ?? 0);
  const ticks = call.progress.at(-1);
  const proofs = verdict.because.map(({ seq }) => trace.t(seq));
  const silent = stop.at !== undefined && effect.worst === undefined && reply.at === undefined;
  const window = silent && call.arrangement ? stop.at + call.arrangement.settle : 0;
  const seen = effect.observations.map(({ hi }) => hi);
  return Math.max(stop.at ?? 0, reply.at ?? 0, late, fence.at ?? 0, ticks === undefined ? 0 : trace.t(ticks), window, ...proofs, ...seen);
}

type Scale = (t: Ns) => number;

/** What the bands of all calls share: how far they are drawn, and how far time has come. */
interface Drawn {
  readonly columns: number;
  readonly scale: Scale;
  readonly end: Ns;
  readonly now: Ns;
}

function axis(from: Ns, span: Ns, columns: number, scale: Scale): Band {
  const band = new Band(columns);
  const step = niceStep(span / Math.max(2, Math.floor(columns / 12)));
  for (let t = 0; t <= span; t += step) {
    const text = t === 0 ? '0' : words(t as Ns);
    const column = scale((from + t) as Ns);
    if (column + 1 + text.length > columns) break;
    for (const [index, letter] of [...`╷${text}`].entries()) band.put(column + index, letter, 'faint');
  }
  return band;
}

/** The next of 1, 2, 5, 10, 20, … */
function niceStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ten * ([1, 2, 5].find((factor) => factor * ten >= least) ?? 10);
}

/** What the client saw. */
function client(call: Call, { stop, reply }: Verdict, left: LeftOpen | undefined, { columns, scale, end, now }: Drawn): Band {
  const band = new Band(columns);
  const sent = scale(call.sent.t);
  const stopped = stop.at === undefined ? undefined : scale(stop.at);
  const got = gotAt(stop, reply);
  const replied = got === undefined ? undefined : scale(got);
  band.fill(sent, stopped ?? replied ?? scale(end), '━', 'request');
  if (stopped !== undefined) band.fill(stopped, replied ?? scale(end), '╌', 'request');
  if (left) band.fill(scale(left.since), scale(left.until ?? end), '═', 'cancel');
  if (call.task) taskMarks(band, call.task, scale);
  band.put(sent, '┣', 'request');
  for (const extra of call.replies.slice(1)) band.put(scale(extra.t), '◁', 'late');
  if (replied !== undefined && reply.state === 'in-time') band.put(replied, failed(call) ? '!' : '┫', 'request');
  else if (replied !== undefined) band.put(replied, '◁', 'late');
  if (stopped !== undefined) band.put(stopped, stopMark(stop.state), 'cancel');
  for (const { t } of call.faults) band.put(scale(t), '▣', 'fault');
  band.label(
    [clientLabel(call, stop, reply), postLabel(call, stop), openLabel(left, now)].filter((text) => text !== '').join(' · '),
    replied !== undefined && reply.lateBy !== undefined ? 'late' : stopped === undefined ? 'request' : 'cancel',
  );
  return band;
}

/** How a task was asked for, and when it said otherwise than before. */
function taskMarks(band: Band, task: Task, scale: Scale): void {
  for (const { t } of task.states) band.put(scale(t), '∙', 'request');
  for (const { t } of changesOf(task)) band.put(scale(t), '●', 'request');
}

/** When the client got its answer; undefined while a fault of ours keeps it. */
function gotAt(stop: Verdict['stop'], { at, lateBy, state }: Verdict['reply']): Ns | undefined {
  if (at === undefined || stop.at === undefined || at >= stop.at || state === 'in-time') return state === 'lost' ? undefined : at;
  return lateBy === undefined ? undefined : plus(stop.at, lateBy);
}

const failed = (call: Call): boolean => outcomeOf(call) !== undefined && !succeeded(outcomeOf(call));

function stopMark(state: Verdict['stop']['state']): string {
  if (state === 'killed') return '╳';
  return state === 'sent' || state === 'stream-closed' || state === 'task-cancel' ? '▼' : '▽';
}

function clientLabel(call: Call, stop: Verdict['stop'], reply: Verdict['reply']): string {
  if (reply.lateBy !== undefined) return `late +${words(reply.lateBy)}`;
  if (reply.at !== undefined) return words(minus(reply.at, call.sent.t));
  if (stop.at === undefined) return reply.state === 'lost' ? 'lost' : 'in flight';
  if (stop.state === 'stream-closed') return 'stream closed';
  if (stop.how?.means === 'drop') return 'dropped, not told';
  if (stop.how?.means === 'stop-polling') return 'stopped polling';
  return stop.state === 'sent' ? 'cancel' : stop.state;
}

/** What the server answered to the POST of a cancel. */
function postLabel(call: Call, stop: Verdict['stop']): string {
  const post = cancelPost(call);
  if (!post || stop.at === undefined) return '';
  return String(statusOf(post) ?? 'no status');
}

const openLabel = (left: LeftOpen | undefined, now: Ns): string =>
  left ? `${left.began ? 'stream' : 'POST'} open ${words(minus(left.until ?? now, left.since))}` : '';

/** Nothing is drawn as watched for longer than the readings that say so. How long a finished run took may be known later. */
function watchedTo(trace: Judged['trace'], { because, normally }: Verdict): Ns {
  return Math.max(...because.filter(({ seq }) => seq !== normally?.seq).map(({ seq }) => trace.t(seq))) as Ns;
}

/** What the server is known to have done. */
function server({ trace }: Judged, call: Call, verdict: Verdict, { columns, scale, end }: Drawn): Band {
  const band = new Band(columns);
  const { stop, reply, effect, fence } = verdict;
  const sent = call.sent.t;
  const ticks = call.progress.map((seq) => trace.t(seq));
  const over = verdict.verdict === 'stopped' ? watchedTo(trace, verdict) : end;
  const alive = Math.max(sent, ticks.at(-1) ?? sent, reply.state === 'in-time' ? (reply.at ?? sent) : sent) as Ns;
  if (alive > sent) band.fill(scale(sent), scale(alive), '▂', 'request');
  if (stop.at !== undefined && reply.state !== 'in-time') {
    const proof = Math.min(reply.at ?? over, effect.worst?.lo ?? over);
    band.fill(scale(Math.max(stop.at, alive) as Ns), scale(proof as Ns), '╱', 'unknown');
  }
  for (const t of ticks) band.put(scale(t), '╵', stop.at !== undefined && t > stop.at ? 'late' : 'request');
  if (fence.at !== undefined) band.put(scale(fence.at), ']', 'proof');
  if (verdict.verdict === 'stopped') band.put(scale(over), '✓', 'proof');
  if (effect.state === 'not-probed' || effect.state === 'claimed') band.put(scale(reply.at ?? over), '○', 'unknown');
  for (const observation of [...effect.observations].reverse()) mark(band, observation, scale);
  if (effect.worst) mark(band, effect.worst, scale);
  band.label(serverLabel(effect, stop), effect.state === 'after' ? 'breach' : 'unknown');
  return band;
}

const EFFECT_MARKS = { after: ['◆', 'breach'], straddles: ['⬖', 'unknown'], before: ['◇', 'strong'], observed: ['◇', 'strong'] } as const;

/** The sign of an effect that is there no more, whenever it came. */
const TAKEN_BACK = ['↶', 'unknown'] as const;

function mark(band: Band, { state, lo, hi, reverted }: Attributed, scale: Scale): void {
  const [sign, role] = reverted ? TAKEN_BACK : EFFECT_MARKS[state];
  if (scale(hi) - scale(lo) > 1) band.fill(scale(lo), scale(hi), '─', role);
  band.put(scale(hi), sign, role);
}

function serverLabel({ state, worst, observations }: Verdict['effect'], stop: Verdict['stop']): string {
  const [first] = observations;
  if (!worst && first) return `taken back · ${first.probe}`;
  if (!worst) return state === 'not-probed' || state === 'claimed' ? 'not probed' : state === 'not-seen' ? 'no effect seen' : '';
  const more = observations.length > 1 ? ` (1 of ${observations.length})` : '';
  if (worst.state === 'after' && stop.at !== undefined)
    return `${AFTER[stop.state]} +${words(minus(worst.hi, stop.at))} · ${worst.probe}${more}`;
  if (worst.state === 'straddles') return `order unknown · ${worst.probe}${more}`;
  return `wrote · ${worst.probe}${more}`;
}
