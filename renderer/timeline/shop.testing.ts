// Traces for the timeline's tests: the shop of the drawings (one call for each truth about cancelling), a trace with a
// mark of every kind, and judged models of any frames at any time.
import { asNs, fromMs, type Ns } from '../../app/base/time';
import { append, Build } from '../../app/trace/build.testing';
import { HttpBuild } from '../../app/trace/buildHttp.testing';
import { TaskBuild } from '../../app/trace/buildTasks.testing';
import { Trace } from '../../app/trace/trace';
import { judge } from '../../app/verdict/judge';
import { MODERN } from '../../app/wire/era';
import type { Frame } from '../../app/wire/frame';
import type { TimelineModel } from './model';

type Scene<B extends Build = Build> = readonly [ms: number, act: (build: B) => unknown];

/** Frames of what happened, in order of time whatever the order in which it is told. */
export const story = (scenes: readonly Scene[]): readonly Frame[] => told(scenes, new Build());

function told<B extends Build>(scenes: readonly Scene<B>[], build: B): readonly Frame[] {
  for (const [ms, act] of [...scenes].sort((a, b) => a[0] - b[0])) act(build.at(ms));
  return build.frames;
}

/** A model of the frames up to a time, judged at that time. */
export function modelOf(frames: readonly Frame[], nowMs: number, live = true): TimelineModel & { readonly now: () => Ns } {
  const trace = new Trace();
  for (const frame of frames) if (frame.t <= fromMs(nowMs)) append(trace, frame);
  const court = judge(trace);
  court.advance(fromMs(nowMs));
  return {
    trace,
    calls: court.calls,
    world: court.world,
    verdict: (call) => court.verdict(call),
    version: 1,
    now: () => fromMs(nowMs),
    live,
    running: live,
    subscribe: () => () => undefined,
  };
}

const READ = { readOnlyHint: true };
const TOOLS = [
  { name: 'search_orders', annotations: READ },
  { name: 'huge_search', annotations: READ },
  { name: 'crawl_site' },
  { name: 'charge_card' },
  { name: 'send_email' },
  { name: 'create_ticket' },
  { name: 'book_seat' },
  { name: 'deploy' },
];

const PROBES = ['ledger', 'outbox', 'tickets', 'seats'];

const opened: readonly Scene[] = [[0, (b) => b.opened(TOOLS, 3)], ...PROBES.map((probe): Scene => [6, (b) => b.watching(probe)])];

const progress = (id: number, times: readonly number[], total: number): readonly Scene[] =>
  times.map((ms, index): Scene => [ms, (b) => b.progress(id, index + 1, total)]);

/** The shop as in the drawings. Look at it at 3120 ms. */
export const SHOP: readonly Frame[] = story([
  ...opened,
  [40, (b) => b.call(10, 'search_orders')],
  [222, (b) => b.result(10)],
  [60, (b) => b.call(11, 'send_email', { probes: ['outbox'], settle: 1000 })],
  [190, (b) => b.seen('outbox', 184, 190, { says: 'a mail appeared' })],
  [520, (b) => b.stop(11)],
  [530, (b) => b.pong(11)],
  [120, (b) => b.call(12, 'charge_card', { probes: ['ledger'], settle: 1000 })],
  [420, (b) => b.stop(12)],
  [428, (b) => b.pong(12)],
  [507, (b) => b.seen('ledger', 497, 507, { says: '1 line appended' })],
  [300, (b) => b.call(13, 'huge_search', { settle: 1000 })],
  [900, (b) => b.stop(13)],
  [908, (b) => b.pong(13)],
  [1312, (b) => b.result(13)],
  [620, (b) => b.call(14, 'create_ticket', { probes: ['tickets'], settle: 1000, normally: 1200 })],
  [980, (b) => b.stop(14)],
  [994, (b) => b.pong(14)],
  [2900, (b) => b.clear('tickets', 6, 2900)],
  [1020, (b) => b.call(15, 'crawl_site')],
  ...progress(15, [1180, 1330, 1490, 1660, 1800, 1990, 2150, 2330, 2540, 2730, 2960], 40),
  [1500, (b) => b.call(16, 'deploy', { settle: 1000 })],
  [1800, (b) => b.stop(16)],
  [1812, (b) => b.pong(16)],
  ...progress(16, [1600, 1720, 1950, 2120, 2300, 2480], 12),
  [1700, (b) => b.s2c({ id: 1, method: 'roots/list' })],
  [1761, (b) => b.c2s({ id: 1, result: { roots: [] } })],
]);

/** Every mark that stdio and the legacy revisions can make, and a process that ends by itself. Look at it at 9000 ms. */
export const EVERY_MARK: readonly Frame[] = story([
  ...opened,
  [40, (b) => b.call(10, 'search_orders')],
  [222, (b) => b.error(10, -32602, 'bad argument')],
  [60, (b) => b.call(11, 'search_orders')],
  [400, (b) => b.result(11, 'no such order', true)],
  [100, (b) => b.call(12, 'send_email', { probes: ['outbox'], settle: 1000 })],
  [400, (b) => b.stopAct(12, { means: 'timeout', silent: false }, true).cancelled(12, 'McpError: MCP error -32001: Request timed out')],
  [600, (b) => b.call(13, 'charge_card', { probes: ['ledger'], settle: 500 })],
  [900, (b) => b.stopAct(13, { means: 'abandon' }, false)],
  [1300, (b) => b.seen('ledger', 1290, 1300)],
  [1400, (b) => b.call(14, 'book_seat', { probes: ['seats'], settle: 500 })],
  [1500, (b) => b.seen('seats', 1495, 1500, { says: 'a seat was held' })],
  [1600, (b) => b.stop(14)],
  [1610, (b) => b.pong(14)],
  [1800, (b) => b.reverted('seats', 1795, 1800)],
  [2000, (b) => b.call(15, 'huge_search', { settle: 500 })],
  [2300, (b) => b.stop(15)],
  [2340, (b) => b.pong(15)],
  [2700, (b) => b.error(15, -32603, 'boom')],
  [2900, (b) => b.result(15)],
  [2500, (b) => b.call(16, 'charge_card', { probes: ['ledger'], settle: 500 })],
  [2900, (b) => b.stop(16)],
  [2950, (b) => b.seen('ledger', 2860, 2950)],
  [3100, (b) => b.call(17, 'search_orders')],
  [3200, (b) => b.result(17)],
  [3300, (b) => b.stopAct(17, { means: 'cancel' }, false, true)],
  [3400, (b) => b.call(18, 'crawl_site', { settle: 500 })],
  [3700, (b) => b.stop(18)],
  [3702, (b) => b.error(18, -32800, 'Request cancelled')],
  [3710, (b) => b.pong(18)],
  [4000, (b) => b.call(19, 'send_email', { settle: 500 })],
  [4300, (b) => b.stopAct(19, { means: 'cancel-id', id: 99 }, true).cancelled(99)],
  [4600, (b) => b.call(20, 'create_ticket', { settle: 500 })],
  [4900, (b) => b.act({ act: 'stop', id: 20, how: { means: 'cancel' }, wrote: false, late: false })],
  [4901, (b) => b.act({ act: 'undelivered', id: 20, why: 'the pipe was closed' })],
  [5000, (b) => b.call(21, 'deploy', { probes: ['seats'], settle: 500 })],
  [5300, (b) => b.seen('seats', 5290, 5300)],
  [5400, (b) => b.result(21)],
  [5500, (b) => b.call(22, 'deploy', { settle: 500 })],
  [5600, (b) => b.call(23, 'crawl_site')],
  [5900, (b) => b.life({ event: 'exited', code: 7, asked: 'nobody' })],
  [6500, (b) => b.session(2).opened(TOOLS, 3)],
  [6600, (b) => b.watching('ledger')],
  [6700, (b) => b.call(10, 'charge_card', { probes: ['ledger'], settle: 500 })],
  [7000, (b) => b.stopAct(10, { means: 'kill' }, false)],
  [7050, (b) => b.life({ event: 'exited', signal: 'SIGKILL', asked: 'kill' })],
  [7400, (b) => b.seen('ledger', 7390, 7400)],
]);

/** A call over HTTP whose response stream begins a little later. */
const posted = (ms: number, id: number, tool: string, probes: readonly string[] = []): readonly Scene<HttpBuild>[] => [
  [ms, (b) => b.post(id, tool, { probes, settle: 600 })],
  [ms + 30, (b) => b.stream(b.postOf(id))],
];

/** Every mark that only HTTP has, in the legacy revisions. Look at it at 3120 ms. */
export const OVER_HTTP: readonly Frame[] = told<HttpBuild>(
  [
    [0, (b) => b.openedHttp(TOOLS)],
    ...PROBES.map((probe): Scene<HttpBuild> => [20, (b) => b.watching(probe)]),
    ...posted(40, 10, 'search_orders'),
    [222, (b) => b.onCall(10, (call) => call.result(10)).end(b.postOf(10))],
    ...posted(100, 11, 'charge_card'),
    [500, (b) => b.accepted(11, 4)],
    ...posted(200, 12, 'charge_card', ['ledger']),
    [700, (b) => b.accepted(12, 6, 500)],
    [980, (b) => b.seen('ledger', 970, 980)],
    ...posted(300, 13, 'send_email', ['outbox']),
    [900, (b) => b.drop(13)],
    [1500, (b) => b.seen('outbox', 1490, 1500, { says: 'a mail appeared' })],
    ...posted(400, 14, 'huge_search'),
    [1100, (b) => b.accepted(14, 3)],
    [2100, (b) => b.onCall(14, (call) => call.result(14)).end(b.postOf(14))],
    ...posted(600, 15, 'crawl_site'),
    [1400, (b) => b.fail(b.postOf(15))],
    [800, (b) => b.post(16, 'deploy', { settle: 600 })],
    [1600, (b) => b.accepted(16, 5)],
    ...posted(1200, 17, 'book_seat'),
    ...[1500, 1900, 2400].map((ms, index): Scene<HttpBuild> => [ms, (b) => b.onCall(17, (call) => call.progress(17, index + 1, 10))]),
    [1700, (b) => b.post(18, 'create_ticket', { settle: 600 })],
    [2300, (b) => b.stopAct(18, { means: 'cancel' }, true).request({ cancels: 18 })],
    [2330, (b) => b.fail(b.newest, { phase: 'connect', why: 'the connection was refused' })],
  ],
  new HttpBuild(),
);

/** What only 2026-07-28 over HTTP has: the cut that is the cancel, with and without a probe, and the wrong means. Look at it at 3120 ms. */
export const CLOSING: readonly Frame[] = told<HttpBuild>(
  [
    [0, (b) => b.openedHttp(TOOLS, { protocol: MODERN })],
    ...PROBES.map((probe): Scene<HttpBuild> => [20, (b) => b.watching(probe)]),
    ...posted(40, 10, 'search_orders'),
    [222, (b) => b.onCall(10, (call) => call.result(10)).end(b.postOf(10))],
    ...posted(100, 11, 'charge_card'),
    [500, (b) => b.close(11)],
    ...posted(200, 12, 'charge_card', ['ledger']),
    [700, (b) => b.close(12)],
    [1180, (b) => b.seen('ledger', 1170, 1180)],
    [300, (b) => b.post(13, 'send_email', { settle: 600 })],
    [340, (b) => b.close(13)],
    ...posted(600, 14, 'create_ticket'),
    [1300, (b) => b.stopAct(14, { means: 'notify' }, true).request({ cancels: 14 }).on(b.newest).cancelled(14).on(undefined)],
    [1304, (b) => b.respond(b.newest, 202, 'none').end(b.newest)],
    [800, (b) => b.post(15, 'deploy', { settle: 600 })],
    [1800, (b) => b.stopAct(15, { means: 'timeout', silent: false }, true).cut(b.postOf(15))],
  ],
  new HttpBuild(),
);

/** A call as a task, made so after a moment. */
const asTask = (ms: number, id: number, tool: string, probes: readonly string[] = []): readonly Scene<TaskBuild>[] => [
  [ms, (b) => b.callTask(id, tool, { probes, settle: 600 })],
  [ms + 40, (b) => b.created(id, `t-${id}`)],
];
const polled = (id: number, times: readonly number[], status: string): readonly Scene<TaskBuild>[] =>
  times.map((ms): Scene<TaskBuild> => [ms, (b) => b.poll(`t-${id}`, status)]);

/** Everything that only tasks have, in 2025-11-25. Look at it at 3120 ms. */
export const TASKS: readonly Frame[] = told<TaskBuild>(
  [
    [0, (b) => b.openedTasks(TOOLS)],
    ...PROBES.map((probe): Scene<TaskBuild> => [6, (b) => b.watching(probe)]),
    // To its end, with a question between; told of unasked in the middle.
    ...asTask(60, 10, 'crawl_site'),
    ...polled(10, [300, 500], 'working'),
    [700, (b) => b.poll('t-10', 'input_required', { message: 'Which site?' })],
    [1210, (b) => b.news('t-10', 'working')],
    ...polled(10, [1400, 1720], 'working'),
    [2000, (b) => b.poll('t-10', 'completed')],
    // Failed.
    ...asTask(210, 11, 'deploy'),
    [880, (b) => b.poll('t-11', 'failed', { message: 'no disk' })],
    // Cancelled, and wrote all the same.
    ...asTask(310, 12, 'charge_card', ['ledger']),
    ...polled(12, [520, 720], 'working'),
    [900, (b) => b.cancelTask(12, 't-12')],
    [908, (b) => b.acknowledged('t-12')],
    ...polled(12, [1110, 1310, 1520], 'cancelled'),
    [1420, (b) => b.seen('ledger', 1410, 1420)],
    // Cancelled, and then completed.
    ...asTask(410, 13, 'create_ticket'),
    [1000, (b) => b.cancelTask(13, 't-13')],
    [1006, (b) => b.acknowledged('t-13')],
    [1700, (b) => b.poll('t-13', 'completed')],
    // Polled no more, and told nobody.
    ...asTask(530, 14, 'send_email', ['outbox']),
    ...polled(14, [740, 940], 'working'),
    [1120, (b) => b.stopPolling(14)],
    // The notification is the wrong means.
    ...asTask(610, 15, 'huge_search'),
    [1300, (b) => b.stopAct(15, { means: 'notify' }, true).cancelled(15)],
    ...polled(15, [1540, 1900, 2300], 'working'),
    // A tasks/cancel that is refused.
    ...asTask(780, 16, 'book_seat'),
    [1560, (b) => b.cancelTask(16, 't-16')],
    [1565, (b) => b.refused(-32602, 'no such task')],
    // In flight, in a state of its own.
    ...asTask(1600, 17, 'deploy'),
    ...polled(17, [2200, 2800], 'paused'),
  ],
  new TaskBuild(),
);

/** As many calls as wanted, with a bit of everything: for looking at many rows. */
export function crowd(calls: number): readonly Frame[] {
  const scenes: Scene[] = [...opened];
  for (let index = 0; index < calls; index++) {
    const id = 100 + index;
    const t = 100 + index * 210;
    const tool = TOOLS[(index * 5) % TOOLS.length]?.name ?? 'search_orders';
    const probes = index % 3 === 0 ? ['ledger'] : [];
    scenes.push([t, (b) => b.call(id, tool, { probes, settle: 800 })]);
    if (index % 4 === 1) scenes.push(...progress(id, [t + 90, t + 160, t + 240, t + 330, t + 520], 9));
    if (index % 2 === 0) {
      scenes.push([t + 300, (b) => b.stop(id)], [t + 308, (b) => b.pong(id)]);
      if (index % 9 === 0) scenes.push([t + 390, (b) => b.seen('ledger', t + 380, t + 390)]);
      if (index % 8 === 2) scenes.push([t + 700, (b) => b.result(id)]);
    } else scenes.push([t + 420 + (index % 7) * 60, (b) => b.result(id)]);
  }
  return story(scenes);
}

/** The end of the frames, in ms, with some time for everything to settle. */
export const endOf = (frames: readonly Frame[], more = 1500): number => asNs(Math.max(...frames.map((frame) => frame.t))) / 1e6 + more;
