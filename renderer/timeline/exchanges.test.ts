// What the timeline draws of a call over HTTP: pale and full, a cancel with its status, a drop that is no cancel, a response that
// stays open and ages.
import { describe, expect, it } from 'vitest';
import { HttpBuild } from '../../app/trace/buildHttp.testing';
import { MODERN } from '../../app/wire/era';
import type { Frame } from '../../app/wire/frame';
import type { Command } from './draw';
import { edgesOfCall } from './edges';
import { type Mark, type Picture, picture } from './marks';
import { lookAt, texts } from './scene.testing';
import { modelOf } from './shop.testing';
import { explain, labels } from './words';

/** A call whose response stream began 5 ms behind it. */
function called(): HttpBuild {
  const b = new HttpBuild()
    .openedHttp([{ name: 'charge' }])
    .at(20)
    .post(3, 'charge');
  return b.at(25).stream(b.postOf(3));
}

function pictureAt(frames: readonly Frame[], nowMs: number): Picture {
  const model = modelOf(frames, nowMs);
  const call = model.calls.find(1, 'client', 'n:3');
  if (!call) throw new Error('expected call 3');
  return picture(model, call);
}

const drawn = (b: HttpBuild, nowMs: number) => lookAt(modelOf(b.frames, nowMs), { from: 0, to: nowMs });
const markOf = (of: Picture, kind: Mark['mark']): Mark => {
  const mark = of.marks.find((one) => one.mark === kind);
  if (!mark) throw new Error(`expected a mark of ${kind}`);
  return mark;
};
const labelOf = (of: Picture, kind: Mark['mark']): string | undefined => labels(markOf(of, kind), of)[0];
const sentenceOf = (of: Picture, kind: Mark['mark']): string | undefined => {
  const mark = markOf(of, kind);
  return explain({ on: 'mark', of, mark, members: [mark] })?.sentence;
};
const headsOf = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((c) =>
    c.draw === 'shape' && c.points.length === 6 && (c.fill === 'cancel' || c.stroke === 'cancel') ? [String(c.fill)] : [],
  );

describe('a call over HTTP', () => {
  it('is pale until the response begins, and full while it comes', () => {
    expect(pictureAt(called().frames, 600).delivers).toEqual([{ from: 25e6, to: undefined }]);
    const b = called();
    b.at(400)
      .onCall(3, (call) => call.result(3))
      .at(401)
      .end(b.postOf(3));
    expect(pictureAt(b.frames, 600).delivers).toEqual([{ from: 25e6, to: 400e6 }]);
    expect(pictureAt(new HttpBuild().openedHttp([], { head: 'json' }).at(20).post(3, 'charge').frames, 600).delivers).toEqual([]);
    const full = drawn(called(), 600).commands.filter((c) => c.draw === 'rect' && c.fill === 'request' && c.alpha === 0.4);
    expect(full).toHaveLength(1);
  });

  it('is lost where its response breaks off', () => {
    const b = called();
    const of = pictureAt(b.at(300).fail(b.postOf(3)).frames, 600);
    expect(of.waits.to).toBe(300e6);
    expect(sentenceOf(of, 'lost')).toBe(
      'POST #5 broke off before any reply (the connection was reset). What the call did is not known from the wire.',
    );
  });
});

describe('a cancel over HTTP', () => {
  it.each([
    ['202', (b: HttpBuild) => b.accepted(3), 'cancel “user pressed stop” · 202', 'cancel'],
    ['nothing yet', (b: HttpBuild) => b.postCancel(3), 'cancel “user pressed stop” · no status yet', 'cancel'],
    ['500', (b: HttpBuild) => b.accepted(3, 1, 500), 'cancel · 500 undelivered', 'page'],
    ['a reset', (b: HttpBuild) => b.postCancel(3).fail(b.newest, { phase: 'head' }), 'cancel · failed, undelivered', 'page'],
  ])('carries its status: %s', (_, stop, label, head) => {
    const b = stop(called().at(300));
    expect(labelOf(pictureAt(b.frames, 600), 'cancel')).toBe(label);
    const heads = headsOf(drawn(b, 600).commands);
    expect([heads.includes(head), heads.includes('cancel')]).toEqual([true, head === 'cancel']);
  });

  it('says what the status is worth', () => {
    expect(sentenceOf(pictureAt(called().at(300).accepted(3).frames, 600), 'cancel')).toBe(
      'POST #6 with notifications/cancelled was written here and answered 202: something received it, not necessarily the instance that runs the call. A cancel asks the server to stop; it undoes nothing.',
    );
  });

  it('whose POST never left is drawn as told to nobody', () => {
    const b = called().at(300).stopAct(3, { means: 'cancel' }, true).request({ cancels: 3 });
    const of = pictureAt(b.at(310).fail(b.newest, { phase: 'connect', why: 'the connection was refused' }).frames, 600);
    expect([labelOf(of, 'untold'), of.marks.some(({ mark }) => mark === 'cancel')]).toEqual(['not delivered', false]);
  });
});

it('puts nothing in the order of a pipe: the request and its cancel travel apart', () => {
  const model = modelOf(called().at(300).accepted(3).frames, 600);
  const call = model.calls.find(1, 'client', 'n:3');
  const [edge, ...others] = edgesOfCall(model, call?.index ?? -1);
  expect([edge?.reason, edge?.says.includes('either may be read first'), others]).toEqual(['clock', true, []]);
});

describe('a dropped connection', () => {
  const b = called().at(300).drop(3);

  it('is no cancel: a dotted line cut by two strokes, and a hollow head', () => {
    const of = pictureAt(b.frames, 600);
    expect(labelOf(of, 'untold')).toBe('dropped, not told');
    expect(of.marks.some(({ mark }) => mark === 'cancel')).toBe(false);
    const { commands } = drawn(b, 600);
    expect(headsOf(commands)).not.toContain('cancel');
    expect(commands.filter((c) => c.draw === 'line' && c.stroke === 'cancel' && c.x1 !== c.x2 && c.y1 !== c.y2)).toHaveLength(2);
    expect(commands.some((c) => c.draw === 'line' && c.stroke === 'cancel' && c.x1 === c.x2 && c.dash !== undefined)).toBe(true);
  });

  it('says that a disconnect is not a cancel', () =>
    expect(sentenceOf(pictureAt(b.frames, 600), 'untold')).toContain('A disconnect is not a cancel'));
});

describe('a closed stream where that is the cancel', () => {
  const closing = (): HttpBuild =>
    new HttpBuild()
      .openedHttp([{ name: 'charge' }], { protocol: MODERN })
      .at(20)
      .post(3, 'charge');
  const b = closing().at(300).close(3);

  it('is a cut: a whole line with two strokes, and no head of a message', () => {
    const of = pictureAt(b.frames, 600);
    expect(labelOf(of, 'closed')).toBe('stream closed: the cancel here');
    expect(of.marks.map(({ mark }) => mark)).toEqual(['request', 'closed']);
    const { commands } = drawn(b, 600);
    expect(headsOf(commands)).toEqual([]);
    expect(commands.filter((c) => c.draw === 'line' && c.stroke === 'cancel' && c.x1 !== c.x2 && c.y1 !== c.y2)).toHaveLength(2);
    expect(commands.some((c) => c.draw === 'line' && c.stroke === 'cancel' && c.x1 === c.x2 && c.dash === undefined)).toBe(true);
  });

  it('says that nothing can be heard after it', () => {
    const of = pictureAt(b.frames, 600);
    expect(sentenceOf(of, 'closed')).toContain('nothing that the server says afterwards can be heard');
    expect(explain({ on: 'span', of, span: 'gone' })?.sentence).toContain('no answer can come any more');
    expect(explain({ on: 'span', of, span: 'unknown' })?.sentence).toContain('only a probe can close this window');
  });

  it('leaves the window of ignorance open, also where the session is closed behind it', () => {
    expect(pictureAt(b.frames, 9000).unknown).toEqual({ from: 300e6, to: undefined });
    expect(texts(drawn(b, 9000).commands)).toContain('unknown 8.7 s, nothing can be heard');
    const over = closing().at(300).close(3).at(1000).life({ event: 'closed' });
    const of = pictureAt(over.frames, 9000);
    expect([of.unknown, of.gone]).toEqual([
      { from: 300e6, to: undefined },
      { from: 300e6, to: 1000e6 },
    ]);
    expect(of.marks.map(({ mark }) => mark)).toEqual(['request', 'closed']);
  });

  it('says so where it was a timeout', () => {
    const timed = closing().at(300).stopAct(3, { means: 'timeout', silent: false }, true);
    expect(labelOf(pictureAt(timed.cut(timed.postOf(3)).frames, 600), 'closed')).toBe('timeout 280 ms, stream closed: the cancel here');
  });

  it('is the wrong means as a message: a hollow head on a dotted line, and said so', () => {
    const wrong = closing().at(300).stopAct(3, { means: 'notify' }, true).request({ cancels: 3 });
    wrong.on(wrong.newest).cancelled(3).on(undefined).respond(wrong.newest, 202, 'none').end(wrong.newest);
    const of = pictureAt(wrong.frames, 600);
    expect(labelOf(of, 'cancel')).toBe('cancel by the wrong means · 202');
    expect(sentenceOf(of, 'cancel')).toContain('it tells nobody to stop');
    const { commands } = drawn(wrong, 600);
    expect([headsOf(commands).includes('page'), headsOf(commands).includes('cancel')]).toEqual([true, false]);
    expect(commands.some((c) => c.draw === 'line' && c.stroke === 'cancel' && c.x1 === c.x2 && c.dash !== undefined)).toBe(true);
  });
});

describe('a response that is left open', () => {
  const stopped = called().at(300).accepted(3);

  it('ages with now, and keeps the picture moving', () => {
    expect(texts(drawn(stopped, 12_300).commands)).toContain('stream open 12 s');
    expect(pictureAt(stopped.frames, 12_300).still).toBe(false);
  });

  it('is no more when the server ends it, and has a wall where somebody else did', () => {
    const ended = called().at(300).accepted(3);
    expect(texts(drawn(ended.at(310).end(ended.postOf(3)), 9000).commands).filter((text) => text.includes('open'))).toEqual([]);
    const closed = called().at(300).accepted(3);
    expect(texts(drawn(closed.at(5300).cut(closed.postOf(3), 'close'), 9000).commands)).toContain('stream open 5 s');
  });

  it('has no stream where not even a head has come', () => {
    const b = new HttpBuild().openedHttp([], { head: 'json' }).at(20).post(3, 'charge').at(300).accepted(3);
    expect(texts(drawn(b, 5300).commands)).toContain('no response for 5 s');
  });

  it('explains itself', () => {
    const shown = drawn(stopped, 12_300);
    const hit = shown.hits.find(({ target }) => target.on === 'span' && target.span === 'open');
    expect(hit && explain(hit.target)?.sentence).toBe(
      'The response stream of POST #5 is open although its call was cancelled. No reply is owed on it any more.',
    );
  });
});

it('begins a later session over HTTP with a line that names its address', () => {
  const b = called().at(1000).life({ event: 'closed' });
  b.at(2000).session(2).openedHttp().at(2100).post(3, 'charge');
  const shown = drawn(b, 3000);
  const began = shown.hits.filter(({ target }) => target.on === 'began');
  expect(began.map(({ target }) => explain(target)?.sentence)).toEqual([
    'The server at http://127.0.0.1:3000/mcp was turned to here; requests from here on went to it.',
  ]);
});
