import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Build } from '../trace/build.testing';
import { calls } from '../trace/calls';
import { type Group, lanes, type Row } from './lanes';

const rowsOf = (build: Build, frames: number, open?: ReadonlySet<Group>): readonly Row[] => {
  const fold = calls(build.trace());
  fold.take(frames);
  const layout = lanes(open);
  layout.take(fold);
  return layout.rows;
};

/** A row without the part that may grow. */
const identity = (row: Row): string => (row.kind === 'call' ? `call ${row.call}` : `${row.group} of ${row.session}`);

describe('lanes', () => {
  it('gives calls rows of their own, hangs the rest in groups and leaves pings out', () => {
    const build = new Build()
      .opened([{ name: 'charge' }])
      .at(10)
      .call(3, 'charge')
      .at(20)
      .stop(3)
      .at(22)
      .pong(3);
    build.at(30).s2c({ id: 3, method: 'roots/list' }).at(40).call(4, 'charge');
    const fold = calls(build.trace());
    fold.take();
    const layout = lanes();
    layout.take(fold);
    const named = layout.rows.map((row) =>
      row.kind === 'call' ? fold.all[row.call]?.key : `${row.group}: ${row.calls.map((call) => fold.all[call]?.method).join(', ')}`,
    );
    expect(named).toEqual(['handshake: initialize, tools/list', 'n:3', 'server: roots/list', 'n:4']);
    expect(layout.groupRows).toEqual([0, 2]);
    expect(fold.all.map((call) => layout.rowOf(call.index))).toEqual([0, 0, undefined, 1, undefined, 2, 3]);
    expect(layout.span(1)).toEqual([0, 3]);
  });

  it('gives the requests of an open group rows at their place in time', () => {
    const build = new Build().opened().at(10).call(3, 'charge').c2s({ id: 4, method: 'tools/list' }).call(5, 'charge');
    const rows = rowsOf(build, build.frames.length, new Set(['handshake']));
    expect(rows.map((row) => row.kind)).toEqual(['group', 'call', 'call', 'call', 'call', 'call']);
  });

  it('starts groups anew for each session', () => {
    const build = new Build().opened().at(10).call(3, 'charge').session(2).at(20).opened().at(30).call(3, 'charge');
    const layout = rowsOf(build, build.frames.length);
    expect(layout.map(identity)).toEqual(['handshake of 1', 'call 3', 'handshake of 2', 'call 7']);
  });

  it('lays out a prefix of the trace as a prefix of the layout', () => {
    const act = fc.constantFrom('call', 'list', 'roots', 'stop', 'ping', 'session');
    fc.assert(
      fc.property(fc.array(act, { maxLength: 40 }), fc.nat(), fc.boolean(), (acts, cut, open) => {
        const build = randomTrace(acts);
        const opened = new Set<Group>(open ? ['handshake', 'server'] : []);
        const some = rowsOf(build, cut % (build.frames.length + 1), opened);
        const all = rowsOf(build, build.frames.length, opened);
        expect(all.slice(0, some.length).map(identity)).toEqual(some.map(identity));
        for (const [index, row] of some.entries()) {
          const later = all[index];
          if (row.kind === 'group' && later?.kind === 'group') expect(later.calls.slice(0, row.calls.length)).toEqual(row.calls);
        }
      }),
    );
  });

  it('lays out the same in pieces as at once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('call', 'list', 'roots', 'stop'), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        (acts, step) => {
          const build = randomTrace(acts);
          const fold = calls(build.trace());
          const layout = lanes();
          for (let end = 0; end <= build.frames.length + step; end += step) {
            fold.take(Math.min(end, build.frames.length));
            layout.take(fold);
          }
          expect(layout.rows).toEqual(rowsOf(build, build.frames.length));
        },
      ),
    );
  });
});

function randomTrace(acts: readonly string[]): Build {
  const build = new Build().opened();
  let session = 1;
  for (const [index, act] of acts.entries()) {
    build.at(10 + index);
    if (act === 'call') build.call(index, 'charge');
    else if (act === 'list') build.c2s({ id: `list ${index}`, method: 'tools/list' });
    else if (act === 'roots') build.s2c({ id: index, method: 'roots/list' });
    else if (act === 'stop') build.stop(index - 1);
    else if (act === 'ping') build.act({ act: 'idle', ping: `p${index}` }).c2s({ id: `p${index}`, method: 'ping' });
    else build.session(++session).opened();
  }
  return build;
}
