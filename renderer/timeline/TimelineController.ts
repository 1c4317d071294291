// What keys, menu and palette can do with the timeline. The controller is made once and owns the viewport; a mounted
// Timeline lends it its stage (sizes, rows, data, selection). Without a stage every command does nothing.
import { asNs, type Ns, ZERO } from '../../app/base/time';
import { CLOCK, type Warp } from '../../app/layout/order';
import type { Seq } from '../../app/wire/frame';
import { along, type Edge } from './edges';
import type { Selection, TimelineModel } from './model';
import { around, clamp, pan, type Range, zoom } from './scale';
import { type Point, type ScaleName, TIMES, type TimelineView, timelineView } from './view';

/** Pixels at twice the size, or a drawing whose text is text. */
export type PictureFormat = 'png' | 'svg';

/** What a mounted timeline lends to its controller. */
export interface Stage {
  readonly model: TimelineModel;
  readonly selection: Selection | undefined;
  readonly select: (selection: Selection | undefined) => void;
  /** Calls in the order of their rows. */
  readonly order: () => readonly number[];
  /** Times of the marks on a call's row, in order, with their frames and names. */
  readonly marks: (call: number) => readonly { readonly seq: Seq; readonly t: Ns; readonly name: string }[];
  /** What happened after what, on a call's row. */
  readonly edges: (call: number) => readonly Edge[];
  /** How a scale gives room to time. */
  readonly warp: (scale: ScaleName) => Warp;
  /** Width of the plot in CSS pixels. */
  readonly width: number;
  /** First and last time that is known of a call. */
  readonly extent: (call: number) => Range | undefined;
  /** Scroll position that brings a call's row into view, given the present one. */
  readonly topFor: (call: number, top: number) => number;
  readonly reducedMotion: () => boolean;
  readonly focus: () => void;
  /** Puts what is to be seen on the clipboard. */
  readonly copy: (as: PictureFormat) => void;
}

export interface TimelineController {
  readonly view: TimelineView;
  zoomIn(): void;
  zoomOut(): void;
  panLeft(): void;
  panRight(): void;
  /** Moves by a share of what is in view, at once; whoever moves by hand has let go of now. */
  panBy(share: number): void;
  /** Zooms so that a time stays where it is. */
  zoomAt(t: Ns, factor: number): void;
  /** Changes between clock and order; what is selected, or the middle, stays in place. */
  toggleScale(): void;
  /** Counts times from the beginning, by the wall clock, from the selected call, and round again. */
  nextTimes(): void;
  /** Begins to measure, from the selected mark where there is one; ends when it did. */
  toggleRuler(): void;
  /** Sets the ruler's next end there. */
  mark(point: Point): void;
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
  /** From the selected mark to what is known to have happened after it; `previousEdge`: before it. */
  nextEdge(): void;
  previousEdge(): void;
  /** Next call below the selected one whose verdict is a breach; where there is none, a warning. Goes round. */
  nextVerdict(): void;
  /** Scrolls and pans so that a call is in view. */
  reveal(call: number): void;
  /** A call from its request to the last thing known of it. */
  zoomToCall(call: number): void;
  focus(): void;
  /** Puts the visible part on the clipboard. */
  copyPicture(as: PictureFormat): void;
  /** Called by the mounted timeline. @returns a function that ends it */
  attach(stage: () => Stage): () => void;
}

const ZOOM_STEP = 0.6;
const PAN_STEP = 0.25;
const GLIDE_MS = 140;
const CHANGE_MS = 280;
/** Least room of a frame in CSS pixels when the order scale is chosen. */
const ROOM = 14;

/** A controller with a view of its own. @param view given when another view is to be found again */
export function timelineController(view: TimelineView = timelineView()): TimelineController {
  let stage: (() => Stage) | undefined;
  const glide = glider(view, () => warp());
  const change = changer(view);
  const warp = (): Warp => stage?.().warp(view.get().scale) ?? CLOCK;

  /** Moves there smoothly, or at once for those who asked for no motion. Whoever moves by hand has let go of now. */
  const go = (range: Range, follow = false): void => {
    const on = stage?.();
    if (!on) return;
    const bounded = clamp(range, dataOf(on.model), warp());
    view.set({ follow });
    glide(bounded, on.reducedMotion() ? 0 : GLIDE_MS);
  };

  const zoomBy = (factor: number): void => {
    const { from, to, follow } = view.get();
    const { u, t } = warp();
    const anchor = follow && stage ? Math.min(to, stage().model.now()) : t((u(from) + u(to)) / 2);
    go(zoom({ from, to }, asNs(anchor), factor, warp()), follow);
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
    const { u, t } = warp();
    const span = u(to) - u(from);
    const [start, end] = [u(extent.from), u(extent.to)];
    const middle = at !== undefined ? u(at) : end - start > span ? start + span * 0.4 : (start + end) / 2;
    go({ from: asNs(t(middle - span / 2)), to: asNs(t(middle + span / 2)) });
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
    if (!mark) return;
    choose(selection.call, mark.seq);
    measureTo(mark);
  };

  /** While somebody measures by keys, the second end goes along with the chosen mark. */
  const measureTo = (mark: { readonly t: Ns; readonly name: string }): void => {
    const { ruler } = view.get();
    if (!ruler) return;
    const point = { t: mark.t, at: mark.name };
    view.set({ ruler: ruler.from ? { from: ruler.from, to: point, fixed: true } : { from: point, to: undefined, fixed: false } });
  };

  const stepEdge = (by: 1 | -1): void => {
    const on = stage?.();
    const selection = on?.selection;
    if (!on || !selection) return;
    const edges = on.edges(selection.call);
    const end = along(edges, selection.seq ?? on.marks(selection.call)[0]?.seq ?? -1, by);
    if (end) choose(end.call, end.seq);
  };

  /** What stays in place when the scale changes: the chosen mark or call where it is in view, else the middle. */
  const anchorOf = (on: Stage, from: Ns, to: Ns): Ns => {
    const marks = on.selection ? on.marks(on.selection.call) : [];
    const at = (marks.find((mark) => mark.seq === on.selection?.seq) ?? marks[0])?.t;
    if (at !== undefined && at >= from && at <= to) return at;
    const { u, t } = warp();
    return asNs(t((u(from) + u(to)) / 2));
  };

  const toggleScale = (): void => {
    const on = stage?.();
    if (!on) return;
    const { from, to, scale } = view.get();
    const next = scale === 'clock' ? 'order' : 'clock';
    const [a, b] = [on.warp(scale), on.warp(next)];
    const anchor = anchorOf(on, from, to);
    const share = Math.min(1, Math.max(0, (a.u(anchor) - a.u(from)) / (a.u(to) - a.u(from))));
    const whole = b.u(to) - b.u(from);
    const span = Math.max(b.least, next === 'order' ? Math.min(whole, on.width / ROOM) : whole);
    const start = b.u(anchor) - share * span;
    const range = clamp({ from: asNs(b.t(start)), to: asNs(b.t(start + span)) }, dataOf(on.model), b);
    view.set({ scale: next, ...range });
    change({ from: scale, range: { from, to } }, on.reducedMotion() ? 0 : CHANGE_MS);
  };

  const toggleRuler = (): void => {
    const on = stage?.();
    if (!on) return;
    const { selection } = on;
    const mark = selection?.seq === undefined ? undefined : on.marks(selection.call).find((each) => each.seq === selection.seq);
    const from = mark && { t: mark.t, at: mark.name };
    view.set({ ruler: view.get().ruler ? undefined : { from, to: undefined, fixed: false } });
  };

  const zoomToCall = (call: number): void => {
    const on = stage?.();
    const extent = on?.extent(call);
    if (!on || !extent) return;
    view.set({ top: on.topFor(call, view.get().top) });
    go(around(extent, 0.06, warp()));
  };

  return {
    view,
    zoomIn: () => zoomBy(ZOOM_STEP),
    zoomOut: () => zoomBy(1 / ZOOM_STEP),
    panLeft: () => go(pan(view.get(), -PAN_STEP, warp())),
    panRight: () => go(pan(view.get(), PAN_STEP, warp())),
    panBy(share) {
      const on = stage?.();
      if (on) view.set({ ...clamp(pan(view.get(), share, warp()), dataOf(on.model), warp()), follow: false });
    },
    zoomAt(t, factor) {
      const on = stage?.();
      if (on) view.set({ ...clamp(zoom(view.get(), t, factor, warp()), dataOf(on.model), warp()), follow: false });
    },
    toggleScale,
    nextTimes: () => view.set({ times: TIMES[(TIMES.indexOf(view.get().times) + 1) % TIMES.length] ?? 'relative' }),
    toggleRuler,
    mark(point) {
      const { ruler } = view.get();
      if (ruler)
        view.set({
          ruler: ruler.from && !ruler.fixed ? { ...ruler, to: point, fixed: true } : { from: point, to: undefined, fixed: false },
        });
    },
    fit: () => {
      const on = stage?.();
      if (on) go(around(dataOf(on.model), 0.04, warp()));
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
    nextEdge: () => stepEdge(1),
    previousEdge: () => stepEdge(-1),
    nextVerdict: () => {
      const on = stage?.();
      if (on) choose(worstAfter(on));
    },
    reveal,
    zoomToCall,
    focus: () => stage?.().focus(),
    copyPicture: (as) => stage?.().copy(as),
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
function glider(view: TimelineView, warp: () => Warp): (target: Range, ms: number) => void {
  const run = animation();
  return (target, ms) => {
    const { u, t } = warp();
    const [from, to] = [u(view.get().from), u(view.get().to)];
    const [nextFrom, nextTo] = [u(target.from), u(target.to)];
    run(ms, (eased) => {
      if (eased >= 1) view.set({ from: target.from, to: target.to });
      else view.set({ from: asNs(t(from + (nextFrom - from) * eased)), to: asNs(t(to + (nextTo - to) * eased)) });
    });
  };
}

/** Leads from one scale to the other in steps of animation frames. */
function changer(view: TimelineView): (from: { readonly from: ScaleName; readonly range: Range }, ms: number) => void {
  const run = animation();
  return (from, ms) => run(ms, (eased) => view.set({ change: eased >= 1 ? undefined : { ...from, share: eased } }));
}

/** Calls back with a share that goes from 0 to 1, slowing down; a new run ends the one before. */
function animation(): (ms: number, step: (eased: number) => void) => void {
  let newest = 0;
  return (ms, step) => {
    const id = ++newest;
    if (ms <= 0) {
      step(1);
      return;
    }
    const began = performance.now();
    const frame = (time: number): void => {
      if (id !== newest) return;
      const share = Math.min(1, Math.max(0, (time - began) / ms));
      step(1 - (1 - share) ** 3);
      if (share < 1) requestAnimationFrame(frame);
    };
    step(0);
    requestAnimationFrame(frame);
  };
}
