// What keys, menu and palette can do with the timeline. The controller is made once and owns the viewport; a mounted
// Timeline lends it its stage (sizes, rows, data, selection). Without a stage every command does nothing.
import { asNs, fromMs, type Ns, ZERO } from '../../app/base/time';
import type { Seq } from '../../app/wire/frame';
import type { Selection, TimelineModel } from './model';
import { around, clamp, pan, type Range, zoom } from './scale';
import { type TimelineView, timelineView } from './view';

/** What a mounted timeline lends to its controller. */
export interface Stage {
  readonly model: TimelineModel;
  readonly selection: Selection | undefined;
  readonly select: (selection: Selection | undefined) => void;
  /** Calls in the order of their rows. */
  readonly order: () => readonly number[];
  /** Times of the marks on a call's row, in order, with their frames. */
  readonly marks: (call: number) => readonly { readonly seq: Seq; readonly t: Ns }[];
  /** First and last time that is known of a call. */
  readonly extent: (call: number) => Range | undefined;
  /** Scroll position that brings a call's row into view, given the present one. */
  readonly topFor: (call: number, top: number) => number;
  readonly reducedMotion: () => boolean;
  readonly focus: () => void;
}

export interface TimelineController {
  readonly view: TimelineView;
  zoomIn(): void;
  zoomOut(): void;
  panLeft(): void;
  panRight(): void;
  /** Everything from the first frame to the last. */
  fit(): void;
  /** The selected call, from its request to the last thing known of it. */
  fitSelection(): void;
  /** Keeps what happens now in view; lets go again when it did. */
  toggleFollow(): void;
  /** Holds the drawing while the recording goes on; lets go again when it did. */
  toggleHold(): void;
  nextRow(): void;
  previousRow(): void;
  /** Next mark along the selected row, in time. */
  nextMark(): void;
  previousMark(): void;
  /** Next call below the selected one whose verdict is a breach; where there is none, a warning. Goes round. */
  nextVerdict(): void;
  /** Scrolls and pans so that a call is in view. */
  reveal(call: number): void;
  /** A call from its request to the last thing known of it. */
  zoomToCall(call: number): void;
  focus(): void;
  /** Called by the mounted timeline. @returns a function that ends it */
  attach(stage: () => Stage): () => void;
}

const ZOOM_STEP = 0.6;
const PAN_STEP = 0.25;
const GLIDE_MS = 140;

/** A controller with a view of its own. @param view given when another view is to be found again */
export function timelineController(view: TimelineView = timelineView()): TimelineController {
  let stage: (() => Stage) | undefined;
  const glide = glider(view);

  /** Moves there smoothly, or at once for those who asked for no motion. Whoever moves by hand has let go of now. */
  const go = (range: Range, follow = false): void => {
    const on = stage?.();
    if (!on) return;
    const bounded = clamp(range, dataOf(on.model));
    view.set({ follow });
    glide(bounded, on.reducedMotion() ? 0 : GLIDE_MS);
  };

  const zoomBy = (factor: number): void => {
    const { from, to, follow } = view.get();
    const anchor = follow && stage ? Math.min(to, stage().model.now()) : (from + to) / 2;
    go(zoom({ from, to }, asNs(anchor), factor), follow);
  };

  const choose = (call: number | undefined, seq?: Seq): void => {
    if (call === undefined) return;
    stage?.().select(seq === undefined ? { call } : { call, seq });
    reveal(call, seq);
  };

  const reveal = (call: number, seq?: Seq): void => {
    const on = stage?.();
    const extent = on?.extent(call);
    if (!on || !extent) return;
    const { from, to, top } = view.get();
    view.set({ top: on.topFor(call, top) });
    const at = seq === undefined ? undefined : on.marks(call).find((mark) => mark.seq === seq)?.t;
    if (at !== undefined ? at >= from && at <= to : extent.to >= from && extent.from <= to) return;
    const span = to - from;
    const middle = at ?? (extent.to - extent.from > span ? extent.from + span * 0.4 : (extent.from + extent.to) / 2);
    go({ from: asNs(middle - span / 2), to: asNs(middle + span / 2) });
  };

  const step = (by: 1 | -1): void => {
    const on = stage?.();
    if (!on) return;
    const order = on.order();
    const at = on.selection ? order.indexOf(on.selection.call) : -1;
    const next = at < 0 ? (by > 0 ? 0 : order.length - 1) : Math.min(order.length - 1, Math.max(0, at + by));
    choose(order[next]);
  };

  const stepMark = (by: 1 | -1): void => {
    const on = stage?.();
    const selection = on?.selection;
    if (!on || !selection) return;
    const marks = on.marks(selection.call);
    const at = marks.findIndex((mark) => mark.seq === selection.seq);
    const mark = marks[at < 0 ? (by > 0 ? 0 : marks.length - 1) : Math.min(marks.length - 1, Math.max(0, at + by))];
    if (mark) choose(selection.call, mark.seq);
  };

  const zoomToCall = (call: number): void => {
    const on = stage?.();
    const extent = on?.extent(call);
    if (!on || !extent) return;
    view.set({ top: on.topFor(call, view.get().top) });
    go(around(extent));
  };

  return {
    view,
    zoomIn: () => zoomBy(ZOOM_STEP),
    zoomOut: () => zoomBy(1 / ZOOM_STEP),
    panLeft: () => go(pan(view.get(), -PAN_STEP)),
    panRight: () => go(pan(view.get(), PAN_STEP)),
    fit: () => {
      const on = stage?.();
      if (on) go(around(dataOf(on.model), 0.04, fromMs(100)));
    },
    fitSelection: () => {
      const call = stage?.().selection?.call;
      if (call !== undefined) zoomToCall(call);
    },
    toggleFollow: () => view.set({ follow: !view.get().follow, heldAt: undefined }),
    toggleHold: () => {
      const now = stage?.().model.now();
      view.set({ heldAt: view.get().heldAt === undefined ? now : undefined });
    },
    nextRow: () => step(1),
    previousRow: () => step(-1),
    nextMark: () => stepMark(1),
    previousMark: () => stepMark(-1),
    nextVerdict: () => {
      const on = stage?.();
      if (on) choose(worstAfter(on));
    },
    reveal,
    zoomToCall,
    focus: () => stage?.().focus(),
    attach(lent) {
      stage = lent;
      return () => {
        if (stage === lent) stage = undefined;
      };
    },
  };
}

/** From the first frame to the last thing that is known; a second at least. */
export function dataOf(model: TimelineModel): Range {
  const { trace } = model;
  const last = trace.length > 0 ? trace.t(trace.length - 1) : ZERO;
  return { from: ZERO, to: asNs(Math.max(last, model.live ? 0 : model.now(), 1e9)) };
}

/** The next breach after the selected row, going round; where there is none at all, the next warning. */
function worstAfter({ model, order, selection }: Stage): number | undefined {
  const rows = order();
  const start = selection ? rows.indexOf(selection.call) + 1 : 0;
  const round = [...rows.slice(start), ...rows.slice(0, start)];
  const next = (severity: 'breach' | 'warn'): number | undefined => round.find((call) => model.verdict(call)?.severity === severity);
  return next('breach') ?? next('warn');
}

/** Moves a view to a range in steps of animation frames; a new move takes over from where the last one is. */
function glider(view: TimelineView): (target: Range, ms: number) => void {
  let run = 0;
  return (target, ms) => {
    const id = ++run;
    const { from, to } = view.get();
    if (ms <= 0) {
      view.set({ from: target.from, to: target.to });
      return;
    }
    const began = performance.now();
    const frame = (time: number): void => {
      if (id !== run) return;
      const share = Math.min(1, Math.max(0, (time - began) / ms));
      const eased = 1 - (1 - share) ** 3;
      view.set({ from: asNs(from + (target.from - from) * eased), to: asNs(to + (target.to - to) * eased) });
      if (share < 1) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  };
}
