import { describe, expect, it } from 'vitest';
import { asNs, fromMs, toMs } from '../../app/base/time';
import { CLOCK, moments } from '../../app/layout/order';
import { edgesOf } from './edges';
import { activity, following } from './follow';
import { lastOf, picture } from './marks';
import type { Selection } from './model';
import { measured } from './overlay';
import { modelOf, SHOP, story } from './shop.testing';
import { type PictureFormat, type Stage, timelineController } from './TimelineController';
import { nameOfMark } from './words';

/** A controller on a stage without a window: calls in order, no motion. */
function onStage(nowMs = 3120) {
  const model = modelOf(SHOP, nowMs);
  const ordered = moments(model.trace);
  ordered.take();
  const controller = timelineController();
  let selection: Selection | undefined;
  const copied: PictureFormat[] = [];
  const of = (call: number) => {
    const found = model.calls.all[call];
    if (!found) throw new Error(`no call ${call}`);
    return picture(model, found);
  };
  const order = model.calls.all.filter((call) => call.method === 'tools/call').map((call) => call.index);
  controller.attach(
    (): Stage => ({
      model,
      selection,
      select: (next) => {
        selection = next;
      },
      order: () => order,
      marks: (call) => of(call).marks.map((mark) => ({ seq: mark.seq, t: mark.at, name: nameOfMark(mark) })),
      edges: (call) => edgesOf(model, of(call)),
      warp: (scale) => (scale === 'order' ? ordered : CLOCK),
      width: 1000,
      extent: (call) => ({ from: of(call).call.sent.t, to: lastOf(of(call), model.now()) }),
      topFor: (_, top) => top,
      reducedMotion: () => true,
      focus: () => undefined,
      copy: (as) => copied.push(as),
    }),
  );
  const selected = () => {
    const call = selection && of(selection.call);
    const mark = call?.marks.find((each) => each.seq === selection?.seq);
    return [call?.call.tool, mark?.mark].filter(Boolean).join(' ');
  };
  const range = () => [toMs(controller.view.get().from), toMs(controller.view.get().to)].map(Math.round);
  /** Where the chosen mark is, as a share of the view. */
  const place = () => {
    const { from, to, scale } = controller.view.get();
    const { u } = scale === 'order' ? ordered : CLOCK;
    const at = selection && of(selection.call).marks.find((mark) => mark.seq === selection?.seq)?.at;
    return (u(at ?? 0) - u(from)) / (u(to) - u(from));
  };
  return { controller, selected, range, place, ordered, copied };
}

describe('the controller', () => {
  it('does nothing without a stage', () => {
    const controller = timelineController();
    const before = controller.view.get();
    for (const act of [controller.zoomIn, controller.panLeft, controller.fit, controller.nextRow, controller.nextVerdict]) act();
    expect(controller.view.get()).toEqual(before);
  });

  it('walks the rows and stays at the ends', () => {
    const { controller, selected } = onStage();
    controller.nextRow();
    controller.nextRow();
    expect(selected()).toBe('send_email');
    controller.previousRow();
    controller.previousRow();
    expect(selected()).toBe('search_orders');
  });

  it('walks the marks of the selected row in time', () => {
    const { controller, selected } = onStage();
    controller.nextVerdict();
    const walked = [];
    for (let index = 0; index < 6; index++) {
      controller.nextMark();
      walked.push(selected());
    }
    expect(walked).toEqual(['request', 'cancel', 'fence', 'effect', 'effect', 'effect'].map((mark) => `charge_card ${mark}`));
    controller.previousMark();
    expect(selected()).toBe('charge_card fence');
  });

  it('goes to the next breach, and round again', () => {
    const { controller, selected } = onStage();
    controller.nextVerdict();
    expect(selected()).toBe('charge_card');
    controller.nextVerdict();
    expect(selected()).toBe('charge_card');
  });

  it('fits everything and the selection, and lets go of now', () => {
    const { controller, range } = onStage();
    controller.fit();
    expect(range()).toEqual([-118, 3078]);
    expect(controller.view.get().follow).toBe(false);
    controller.nextVerdict();
    controller.fitSelection();
    expect(range()).toEqual([97, 530]);
  });

  it('zooms about now while it follows, else about the middle', () => {
    const { controller, range } = onStage();
    controller.zoomIn();
    expect([range(), controller.view.get().follow]).toEqual([[1248, 3648], true]);
    controller.panLeft();
    controller.zoomOut();
    expect([range(), controller.view.get().follow]).toEqual([[-152, 3848], false]);
  });

  it('changes to the order of frames and back with the chosen mark in its place', () => {
    const { controller, selected, place } = onStage();
    controller.nextVerdict();
    controller.nextMark();
    controller.nextMark();
    const before = place();
    controller.toggleScale();
    expect([controller.view.get().scale, selected(), Math.abs(place() - before) < 0.001]).toEqual(['order', 'charge_card cancel', true]);
    controller.toggleScale();
    expect([controller.view.get().scale, Math.abs(place() - before) < 0.001]).toEqual(['clock', true]);
  });

  it('gives every frame room when the order is chosen, however many there are', () => {
    const { controller, ordered } = onStage();
    controller.fit();
    controller.toggleScale();
    const { from, to } = controller.view.get();
    expect(1000 / (ordered.u(to) - ordered.u(from))).toBeGreaterThan(13.9);
  });

  it('walks from cause to effect and back', () => {
    const { controller, selected } = onStage();
    controller.nextVerdict();
    const walked = [];
    for (let index = 0; index < 4; index++) {
      controller.nextEdge();
      walked.push(selected());
    }
    expect(walked).toEqual(['cancel', 'fence', 'effect', 'effect'].map((mark) => `charge_card ${mark}`));
    controller.previousEdge();
    controller.previousEdge();
    controller.previousEdge();
    expect(selected()).toBe('charge_card request');
  });

  it('measures between marks chosen by keys, and between points', () => {
    const { controller } = onStage();
    const said = (): string => measured(controller.view.get().ruler ?? { from: undefined, to: undefined, fixed: false });
    controller.nextVerdict();
    controller.nextMark();
    controller.nextMark();
    controller.toggleRuler();
    expect(said()).toBe('Measuring from the cancel: choose the other end.');
    controller.nextMark();
    controller.nextMark();
    expect(said()).toBe('87 ms from the cancel to the effect.');
    controller.mark({ t: fromMs(1), at: 'here' });
    controller.mark({ t: fromMs(3), at: 'here' });
    expect(said()).toBe('2 ms from here to here.');
    controller.toggleRuler();
    expect(controller.view.get().ruler).toBeUndefined();
  });

  it('counts times from the start, by the wall, from the call, and round again', () => {
    const { controller } = onStage();
    const walked = [1, 2, 3].map(() => {
      controller.nextTimes();
      return controller.view.get().times;
    });
    expect(walked).toEqual(['wall', 'call', 'relative']);
  });

  it('holds the drawing at a moment and lets go', () => {
    const { controller } = onStage();
    controller.toggleHold();
    expect(controller.view.get().heldAt).toBe(3120e6);
    controller.toggleHold();
    expect(controller.view.get().heldAt).toBeUndefined();
  });
});

describe('copying', () => {
  it('hands the wanted format to what is on stage', () => {
    const { controller, copied } = onStage();
    controller.copyPicture('svg');
    controller.copyPicture('png');
    expect(copied).toEqual(['svg', 'png']);
  });
});

describe('following', () => {
  const range = (from: number, to: number) => ({ from: fromMs(from), to: fromMs(to) });

  it('moves only when the edge comes near the end, and keeps the span', () => {
    expect(following(range(0, 1000), fromMs(800))).toEqual(range(0, 1000));
    expect(following(range(0, 1000), fromMs(950))).toEqual(range(50, 1050));
  });

  it('leaves room to the right when the edge had left the view', () => {
    expect(following(range(0, 1000), fromMs(9000))).toEqual(range(8700, 9700));
  });

  it('runs after now while something is open, and stays where the last thing happened afterwards', () => {
    const busy = activity();
    busy.take(modelOf(SHOP, 3120));
    expect(busy.busy).toBe(true);
    const done = activity();
    done.take(
      modelOf(
        SHOP.filter((frame) => frame.t < 280e6),
        60_000,
      ),
    );
    const idle = activity();
    idle.take(modelOf(SHOP.slice(0, 12), 9000));
    expect([idle.busy, idle.last < asNs(10e6)]).toEqual([false, true]);
  });

  it('goes along with evidence that comes after a call had settled', () => {
    const frames = story([
      [0, (b) => b.opened([{ name: 'charge_card' }])],
      [5, (b) => b.watching('ledger')],
      [100, (b) => b.call(1, 'charge_card', { probes: ['ledger'], settle: 500 })],
      [200, (b) => b.stop(1)],
      [9000, (b) => b.seen('ledger', 8990, 9000, { says: '1 line appended' })],
      [12_000, (b) => b.result(1)],
    ]);
    const acts = activity();
    const lastAt = (ms: number): readonly [boolean, number] => {
      acts.take(modelOf(frames, ms));
      return [acts.busy, toMs(acts.last)];
    };
    const settled = lastAt(2000);
    expect([settled[0], settled[1] < 1000]).toEqual([false, true]);
    expect(lastAt(9500)).toEqual([false, 9000]);
    expect(lastAt(12_500)).toEqual([false, 12_000]);
  });
});
