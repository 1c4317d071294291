// The moving part behind the Timeline component: it owns two canvases, one frame loop, the rows and the pointer. It draws
// only when something changed, and frame by frame only while something in view moves with time.
import { asNs, type Ns } from '../../app/base/time';
import { type Lanes, lanes } from '../../app/layout/lanes';
import { onThemeChange, readTheme } from '../theme/theme';
import { type Sheet, sheet } from './canvas';
import { type Activity, activity, following } from './follow';
import { GEOMETRY, type Geometry, topOf } from './geometry';
import { lastOf, picture } from './marks';
import type { Density, Selection, TimelineModel } from './model';
import { around, type Range } from './scale';
import { type Alarm, contentHeight, hitTest, overlay, type Scene, scene } from './scene';
import { dataOf, type Stage, type TimelineController } from './TimelineController';
import { callOf, type Target } from './words';

export interface EngineProps {
  readonly model: TimelineModel;
  readonly controller: TimelineController;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection | undefined) => void;
  readonly density: Density;
  readonly dimmed: ((call: number) => boolean) | undefined;
  readonly onHover: (hover: Hover | undefined) => void;
}

/** What the pointer rests on, with its place in the timeline's box. */
export interface Hover {
  readonly target: Target;
  readonly x: number;
  readonly y: number;
}

export interface Engine {
  /** New props; draws again where needed. */
  update(props: EngineProps): void;
  /** Position in the timeline's box; undefined when the pointer left. */
  point(x: number, y: number): Target | undefined;
  leave(): void;
  readonly scene: Scene | undefined;
  readonly canScroll: boolean;
  /** Scrolls the rows by pixels. */
  scroll(by: number): void;
  stop(): void;
}

/** The elements that the engine draws on: the stage has the focus and the name, the canvases lie in it. */
export interface Elements {
  readonly stage: HTMLElement;
  readonly below: HTMLCanvasElement;
  readonly above: HTMLCanvasElement;
}

/** Starts drawing; call `stop` when the elements go. */
export function engine({ stage, below, above }: Elements, first: EngineProps): Engine {
  const pictureSheet: Sheet = sheet(below, readTheme());
  const overSheet: Sheet = sheet(above, readTheme());
  let props = first;
  let rows: Lanes = lanes();
  let acts: Activity = activity();
  let alarms: readonly Alarm[] = [];
  let laidOut: { readonly calls: unknown; readonly version: number } = { calls: undefined, version: -1 };
  let shown: Scene | undefined;
  let hover: Target | undefined;
  let stale = true;
  /** Frames of the trace that the rows have taken in. */
  let taken = 0;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const size = { width: 0, height: 0 };

  const geometry = (): Geometry => GEOMETRY[props.density];
  const now = (): Ns => props.controller.view.get().heldAt ?? props.model.now();

  const wake = (): void => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const redraw = (): void => {
    stale = true;
    wake();
  };

  /** Rows, alarms and activity for a new version. */
  function layOut(): void {
    const { model } = props;
    if (laidOut.calls !== model.calls) {
      rows = lanes();
      acts = activity();
      laidOut = { calls: model.calls, version: -1 };
    }
    if (laidOut.version === model.version) return;
    laidOut = { calls: model.calls, version: model.version };
    taken = model.trace.length;
    const grew = rows.take(model.calls);
    const { follow, top } = props.controller.view.get();
    if (grew && follow && model.live) props.controller.view.set({ top: Math.max(top, maxTop()) });
    acts.take(model);
    alarms = alarmsOf(model, rows);
    stage.setAttribute('aria-label', summary(model, rows, alarms));
    stale = true;
  }

  function follow(): void {
    const { view } = props.controller;
    const { from, to, follow: on, heldAt } = view.get();
    if (!on || heldAt !== undefined || size.width === 0) return;
    if (!props.model.live) {
      if (props.model.trace.length > 0) view.set(around(dataOf(props.model), 0.03));
      return;
    }
    view.set(following({ from, to }, acts.busy ? props.model.now() : acts.last));
  }

  function draw(): void {
    frame = 0;
    if (size.width === 0 || size.height === 0) return;
    const { view } = props.controller;
    if (view.get().heldAt === undefined) layOut();
    follow();
    if (stale || !shown || (shown.moves && view.get().heldAt === undefined && props.model.live)) show();
    if (shown) overSheet.show(overlay(shown, now(), props.model.live, hover));
    plan();
  }

  function show(): void {
    const { from, to, top } = props.controller.view.get();
    stale = false;
    shown = scene({
      facts: props.model,
      lanes: rows,
      geometry: geometry(),
      range: { from, to },
      top: Math.min(top, maxTop()),
      width: size.width,
      height: size.height,
      now: now(),
      selection: props.selection,
      alarms,
      dimmed: props.dimmed,
      measure: pictureSheet.measure,
    });
    pictureSheet.show(shown.commands);
    // For whoever measures how long a frame takes to the pixels.
    below.dataset['painted'] = String(taken);
  }

  /** The next frame at once while time moves something in view; a few times a second while only the clock does. */
  function plan(): void {
    clearTimeout(timer);
    if (!props.model.live || props.controller.view.get().heldAt !== undefined) return;
    const { to } = props.controller.view.get();
    if (acts.busy || (shown?.moves && props.model.now() < to)) wake();
    else timer = setTimeout(wake, props.model.now() < to ? 33 : 500);
  }

  const maxTop = (): number => Math.max(0, contentHeight(rows, geometry()) - (size.height - geometry().axis));

  const lent = (): Stage => ({
    model: props.model,
    selection: props.selection,
    select: props.onSelect,
    order: () => rows.rows.flatMap((row) => (row.kind === 'call' ? [row.call] : [])),
    marks: (call) => marksOf(props.model, call),
    extent: (call) => extentOf(props.model, call, now()),
    topFor: (call, top) => topFor(rows.rowOf(call), top),
    reducedMotion: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
    focus: () => stage.focus(),
  });

  function topFor(row: number | undefined, top: number): number {
    if (row === undefined) return top;
    const y = topOf(row, rows, geometry());
    const h = topOf(row + 1, rows, geometry()) - y;
    const room = size.height - geometry().axis;
    const next = y < top ? y - h : y + h > top + room ? y + 2 * h - room : top;
    return Math.min(maxTop(), Math.max(0, next));
  }

  const observer = new ResizeObserver(() => {
    size.width = stage.clientWidth;
    size.height = stage.clientHeight;
    const ratio = window.devicePixelRatio;
    pictureSheet.resize(size.width, size.height, ratio);
    overSheet.resize(size.width, size.height, ratio);
    stale = true;
    // At once: a canvas that was resized is empty until it is drawn again.
    draw();
  });
  observer.observe(stage);

  const dress = (): void => {
    const theme = readTheme();
    pictureSheet.dress(theme);
    overSheet.dress(theme);
    redraw();
  };
  const ends = [onThemeChange(dress), props.controller.view.subscribe(redraw), props.controller.attach(lent)];
  let unsubscribe = props.model.subscribe(wake);
  // Canvas text does not wait for fonts, and does not ask for them either.
  void Promise.all(Object.values(readTheme().fonts).map((font) => document.fonts.load(font))).then(dress);

  return {
    get scene() {
      return shown;
    },
    get canScroll() {
      return maxTop() > 0;
    },
    update(next) {
      const { model, selection, density, dimmed } = props;
      props = next;
      if (next.model !== model) {
        unsubscribe();
        unsubscribe = next.model.subscribe(wake);
      }
      const chosen = next.selection?.call !== selection?.call || next.selection?.seq !== selection?.seq;
      if (chosen || next.model !== model || next.density !== density || next.dimmed !== dimmed) redraw();
    },
    point(x, y) {
      const target = shown && hitTest(shown, x, y);
      if (!sameTarget(target, hover)) {
        hover = target;
        props.onHover(target && { target, x, y });
        wake();
      }
      return target;
    },
    leave() {
      if (!hover) return;
      hover = undefined;
      props.onHover(undefined);
      wake();
    },
    scroll(by) {
      const { top } = props.controller.view.get();
      props.controller.view.set({ top: Math.min(maxTop(), Math.max(0, Math.min(top, maxTop()) + by)) });
    },
    stop() {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      observer.disconnect();
      unsubscribe();
      for (const end of ends) end();
    },
  };
}

function alarmsOf(model: TimelineModel, rows: Lanes): readonly Alarm[] {
  const found: Alarm[] = [];
  for (const [index, row] of rows.rows.entries()) {
    if (row.kind !== 'call') continue;
    const severity = model.verdict(row.call)?.severity;
    if (severity === 'warn' || severity === 'breach') found.push({ row: index, call: row.call, severity });
  }
  return found;
}

function summary(model: TimelineModel, rows: Lanes, alarms: readonly Alarm[]): string {
  const calls = rows.rows.filter((row) => row.kind === 'call').length;
  const breaches = alarms.filter((alarm) => alarm.severity === 'breach').length;
  const warnings = alarms.length - breaches;
  const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`.replace('breachs', 'breaches');
  const what = `Timeline of ${counted(calls, 'call')}: ${counted(breaches, 'breach')}, ${counted(warnings, 'warning')}.`;
  return `${what} ${model.live ? 'Live. ' : ''}The calls table says the same in words.`;
}

function marksOf(model: TimelineModel, index: number): readonly { readonly seq: number; readonly t: Ns }[] {
  const call = model.calls.all[index];
  return call ? picture(model, call).marks.map((mark) => ({ seq: mark.seq, t: mark.at })) : [];
}

function extentOf(model: TimelineModel, index: number, now: Ns): Range | undefined {
  const call = model.calls.all[index];
  if (!call) return undefined;
  const to = lastOf(picture(model, call), now);
  return { from: call.sent.t, to: asNs(Math.max(call.sent.t + 1000, to)) };
}

/** Pictures are made anew for each frame, so targets are compared by what they are of. */
function sameTarget(a: Target | undefined, b: Target | undefined): boolean {
  if (a === b) return true;
  if (!a || !b || a.on !== b.on || callOf(a) !== callOf(b)) return false;
  if (a.on === 'mark' && b.on === 'mark') return a.mark.seq === b.mark.seq && a.mark.mark === b.mark.mark;
  if (a.on === 'span' && b.on === 'span') return a.span === b.span;
  if (a.on === 'row' && b.on === 'row') return a.row === b.row;
  if ((a.on === 'began' || a.on === 'ended') && (b.on === 'began' || b.on === 'ended')) return a.session === b.session;
  return true;
}
