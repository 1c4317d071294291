import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, Build } from '../trace/build.testing';
import { TaskBuild } from '../trace/buildTasks.testing';
import { Trace } from '../trace/trace';
import { type Judge, judge } from '../verdict/judge';
import { GROUPINGS, type Grouping, type Lanes, lanes, type Row } from './lanes';

/** A layout of the first frames, taken in `pieces`. */
function layOut(build: Build, frames: number, grouping: Grouping, step = frames): { readonly layout: Lanes; readonly court: Judge } {
  const trace = new Trace();
  const court = judge(trace);
  const layout = lanes({ trace, calls: court.calls, verdict: (call) => court.verdict(call) }, grouping);
  for (let end = 0; end < frames; ) {
    const next = Math.min(frames, end + Math.max(1, step));
    for (const frame of build.frames.slice(end, next)) append(trace, frame);
    end = next;
    court.advance(trace.t(end - 1));
    while (!layout.take(() => false)) {}
  }
  return { layout, court };
}

/** A row with what was laid on it, in order. */
const told = (row: Row): string =>
  row.kind === 'call' ? `call ${row.call}` : `${row.group}/${row.nth} of ${row.session}: ${row.strip.calls.join(' ')}`;

const tools = [{ name: 'charge' }, { name: 'crawl' }];

describe('rows by call', () => {
  it('gives calls rows of their own, lets the rest share, and leaves pings out', () => {
    const build = new Build().opened(tools).at(10).call(3, 'charge').at(20).stop(3).at(22).pong(3);
    build.at(30).s2c({ id: 3, method: 'roots/list' }).at(40).call(4, 'charge');
    const { layout, court } = layOut(build, build.frames.length, 'call');
    expect(layout.rows.map(told)).toEqual(['handshake/0 of 1: 0 1', 'call 3', 'server asks/0 of 1: 5', 'call 6']);
    expect([0, 1, 2, 3, 4].map((row) => layout.sharedBefore(row))).toEqual([0, 1, 1, 2, 2]);
    expect(court.calls.all.map((call) => layout.rowOf(call.index))).toEqual([0, 0, undefined, 1, undefined, 2, 3]);
    expect([layout.span(1), layout.order]).toEqual([
      [0, 3],
      [0, 1, 3, 5, 6],
    ]);
  });

  it('starts shared rows anew for each session', () => {
    const build = new Build().opened().at(10).call(3, 'charge').session(2).at(20).opened().at(30).call(3, 'charge');
    const { layout } = layOut(build, build.frames.length, 'call');
    expect(layout.rows.map(told)).toEqual(['handshake/0 of 1: 0 1', 'call 3', 'handshake/0 of 2: 4 5', 'call 7']);
  });
});

describe('tasks', () => {
  const run = (): TaskBuild => {
    const build = new TaskBuild().openedTasks(tools).at(10).callTask(3, 'charge').at(12).created(3, 'T').at(20).poll('T', 'working');
    return build.at(30).call(4, 'charge').at(40).result(4).at(50).poll('T', 'completed').at(60).call(5, 'charge');
  };

  it('are one row each: what asks for them has none', () => {
    const { layout, court } = layOut(run(), run().frames.length, 'call');
    const rows = layout.rows.map((row) => (row.kind === 'call' ? court.calls.all[row.call]?.key : row.group));
    expect(rows).toEqual(['handshake', 'n:3', 'n:4', 'n:5']);
  });

  it.each([1, 1000])('keep their lane until they came out, taken in steps of %i', (step) => {
    const { layout, court } = layOut(run(), run().frames.length, 'tool', step);
    const lanesOf = layout.rows.map((row) => (row.kind === 'lane' ? row.strip.calls.map((call) => court.calls.all[call]?.key) : []));
    expect(lanesOf).toEqual([['n:0', 's:list'], ['n:3', 'n:5'], ['n:4']]);
    const row = layOut(run(), run().frames.length - 2, 'tool', step).layout.rows[1];
    expect(row?.kind === 'lane' && row.strip.sum()).toMatchObject({ from: 10e6, to: 51e6 });
  });
});

it('a lane reaches as far as its task was heard of, also where that changes no verdict', () => {
  const build = new TaskBuild().openedTasks(tools).at(10).callTask(3, 'charge').at(12).created(3, 'T').at(20).cancelTask(3, 'T');
  build.at(21).acknowledged('T').at(8000).poll('T', 'cancelled').at(9000).poll('T', 'cancelled');
  const row = layOut(build, build.frames.length, 'tool', 1).layout.rows[1];
  expect(row?.kind === 'lane' && row.strip.sum()).toMatchObject({ from: 10e6, to: 9001e6 });
});

describe('lanes', () => {
  const busy = (): Build => {
    const build = new Build().opened(tools).at(10).call(3, 'charge', { settle: 100 }).at(20).call(4, 'crawl');
    build.at(30).result(3).at(40).call(5, 'charge', { settle: 100 }).at(50).stop(5).at(51).pong(5);
    build.at(90).call(6, 'charge').at(100).result(6).result(4).at(160).call(7, 'charge');
    return build.at(170).s2c({ id: 3, method: 'roots/list' });
  };
  const packed = (grouping: Grouping) => layOut(busy(), busy().frames.length, grouping).layout.rows.map(told);

  it('are shared by calls that do not overlap; a stopped call keeps its own until it has settled', () => {
    expect(packed('server')).toEqual([
      'session 1/0 of 1: 0 1 3 5 8',
      'session 1/1 of 1: 4',
      'session 1/2 of 1: 7',
      'server asks/0 of 1: 9',
    ]);
  });

  it('belong to tools or directions', () => {
    expect(packed('tool')).toEqual([
      'handshake/0 of 1: 0 1',
      'charge/0 of 1: 3 5 8',
      'crawl/0 of 1: 4',
      'charge/1 of 1: 7',
      'server asks/0 of 1: 9',
    ]);
    expect(packed('direction').map((row) => row.replace(/:.*/, ''))).toEqual([
      'client asks/0 of 1',
      'client asks/1 of 1',
      'client asks/2 of 1',
      'server asks/0 of 1',
    ]);
  });

  it('are free again when a session has ended', () => {
    const build = new Build().opened().at(10).call(3, 'charge').at(20).life({ event: 'closed' }).session(2).at(30).call(3, 'charge');
    expect(layOut(build, build.frames.length, 'direction').layout.rows.map(told)).toEqual(['client asks/0 of 1: 0 1 3 4']);
  });

  it('know the worst of a call, whenever it becomes known', () => {
    const build = new Build()
      .opened(tools)
      .watching('ledger')
      .at(10)
      .call(3, 'charge', { probes: ['ledger'], settle: 100 });
    build.at(20).stop(3, { fence: false }).seen('ledger', 30, 40).at(500).call(4, 'charge');
    const { layout } = layOut(build, build.frames.length, 'tool', 1);
    const lane = layout.rows.find((row) => row.kind === 'lane' && row.group === 'charge');
    const strip = lane?.kind === 'lane' ? lane.strip : undefined;
    expect([strip?.calls, strip?.rank(0), strip?.moment(0), strip?.end(0), strip?.wait(0), strip?.end(1)]).toEqual([
      [3, 4],
      6,
      40e6,
      120e6,
      20e6,
      Number.POSITIVE_INFINITY,
    ]);
    expect(layout.alarms).toEqual([{ row: layout.rowOf(3), call: 3, severity: 'breach' }]);
  });

  it('light the calls that a filter lets through', () => {
    const { layout } = layOut(busy(), busy().frames.length, 'server');
    layout.light((call) => call === 5);
    const strip = layout.rows[0]?.kind === 'lane' ? layout.rows[0].strip : undefined;
    expect(strip?.calls.map((_, place) => strip.isLit(place))).toEqual([false, false, false, true, false]);
  });
});

const anyGrouping = fc.constantFrom(...GROUPINGS);
const anyActs = fc.array(fc.tuple(fc.constantFrom('call', 'list', 'roots', 'stop', 'answer', 'ping', 'session', 'end'), fc.nat(40)), {
  maxLength: 60,
});

describe('any layout', () => {
  it('of a prefix of the trace is a prefix of the layout', () => {
    fc.assert(
      fc.property(anyActs, fc.nat(), anyGrouping, (acts, cut, grouping) => {
        const build = randomTrace(acts);
        const some = layOut(build, cut % (build.frames.length + 1), grouping).layout.rows;
        const all = layOut(build, build.frames.length, grouping).layout.rows;
        for (const [index, row] of some.entries()) expect(told(all[index] ?? row).startsWith(told(row))).toBe(true);
      }),
    );
  });

  it('is the same in pieces as at once', () => {
    fc.assert(
      fc.property(anyActs, fc.integer({ min: 1, max: 7 }), anyGrouping, (acts, step, grouping) => {
        const build = randomTrace(acts);
        const pieces = layOut(build, build.frames.length, grouping, step).layout;
        const whole = layOut(build, build.frames.length, grouping).layout;
        expect(pieces.rows.map(told)).toEqual(whole.rows.map(told));
        expect(pieces.alarms).toEqual(whole.alarms);
        for (const [index, row] of pieces.rows.entries()) {
          const other = whole.rows[index];
          if (row.kind !== 'lane' || other?.kind !== 'lane') continue;
          const extents = ({ strip }: typeof row) =>
            strip.calls.map((_, at) => [strip.start(at), strip.wait(at), strip.end(at), strip.stop(at), strip.rank(at), strip.moment(at)]);
          expect(extents(row)).toEqual(extents(other));
        }
      }),
    );
  });

  it('never lays two calls over one another that are in flight at once', () => {
    fc.assert(
      fc.property(anyActs, fc.constantFrom<Grouping>('server', 'tool', 'direction'), (acts, grouping) => {
        const { layout } = layOut(randomTrace(acts), randomTrace(acts).frames.length, grouping);
        for (const row of layout.rows) {
          if (row.kind !== 'lane') continue;
          const { strip } = row;
          for (let at = 1; at < strip.length; at++) expect(strip.wait(at - 1)).toBeLessThanOrEqual(strip.start(at));
        }
      }),
    );
  });
});

function randomTrace(acts: readonly (readonly [string, number])[]): Build {
  const build = new Build().opened(tools);
  let session = 1;
  let t = 10;
  for (const [index, [act, after]] of acts.entries()) {
    t += after;
    build.at(t);
    const some = index - 1 - (after % 4);
    if (act === 'call') build.call(index, after % 2 ? 'charge' : 'crawl', { settle: after * 3 });
    else if (act === 'list') build.c2s({ id: `list ${index}`, method: 'tools/list' });
    else if (act === 'roots') build.s2c({ id: index, method: 'roots/list' });
    else if (act === 'stop') build.stop(some);
    else if (act === 'answer') build.result(some);
    else if (act === 'ping') build.act({ act: 'idle', ping: `p${index}` }).c2s({ id: `p${index}`, method: 'ping' });
    else if (act === 'end') build.life({ event: 'closed' });
    else build.session(++session).opened();
  }
  return build;
}
