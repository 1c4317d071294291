// The moving part behind the Timeline component: it owns two canvases, one frame loop, the rows and the pointer. It draws
// only when something changed, and frame by frame only while something in view moves with time. Work that takes long (the
// layout of a long trace, a filter over all of its calls) is done in slices, and the last picture stays until it is done.
import { asNs, type Ns } from '../../app/base/time';
import { type Grouping, type Lanes, lanes } from '../../app/layout/lanes';
import { CLOCK, type Moments, moments, type Warp } from '../../app/layout/order';
import { besideEachOther, sessionName } from '../../app/layout/sessions';
import { onThemeChange, readTheme } from '../theme/theme';
import { type Sheet, sheet } from './canvas';
import type { Command } from './draw';
import { edgesOfCall } from './edges';
import { getsRoom, isFiltering, passes } from './facets';
import { type Activity, activity, following } from './follow';
import { type Geometry, geometryOf, topOf } from './geometry';
import { lastOf, picture } from './marks';
import { type Density, goesOn, type Selection, type TimelineModel } from './model';
import { overlay } from './overlay';
import { around, BEGINNING, between, type Origin, type Range, type Scale, scaleOf } from './scale';
import { contentHeight, hitTest, type Scene, scene } from './scene';
import { dataOf, type PictureFormat, type Stage, type TimelineController } from './TimelineController';
import type { Point, ScaleName } from './view';
import { callOf, momentOf, nameOfMark, type Target } from './words';

export interface EngineProps {
  readonly model: TimelineModel;
  readonly controller: TimelineController;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection | undefined) => void;
  readonly density: Density;
  /** Calls that the caller's filter leaves out. */
  readonly dimmed: ((call: number) => boolean) | undefined;
  /** Frames that the caller's search has found, ascending. */
  readonly found: readonly number[] | undefined;
  readonly onHover: (hover: Hover | undefined) => void;
  readonly onCopy: (as: PictureFormat) => void;
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
  /** Sets the ruler's next end at what the pointer rests on. */
  mark(x: number, y: number): void;
  /** Everything that is to be seen now, from the lowest to the topmost, and its size. */
  picture(): { readonly commands: readonly Command[]; readonly width: number; readonly height: number };
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

/** How long the parts of one frame may take that can be put off, in ms. */
const SLICE_MS = 6;
/** Between two pictures of a file that is being read or laid out, in ms: what they cost would only hold that up. */
const BEHIND_MS = 150;
/** More calls than this are packed, unless somebody chose otherwise. */
const MANY = 300;

/** Whether there is time left in this frame's slice. */
function slice(): () => boolean {
  const end = performance.now() + SLICE_MS;
  return () => performance.now() < end;
}

/** What a filter leaves out, worked out for all calls. */
interface Sieve {
  readonly out: Uint8Array;
  readonly key: unknown;
}

/** Starts drawing; call `stop` when the elements go. */
export function engine({ stage, below, above }: Elements, first: EngineProps): Engine {
  const pictureSheet: Sheet = sheet(below, readTheme());
  const overSheet: Sheet = sheet(above, readTheme());
  let props = first;
  /** What is drawn: rows and the model that they were made of. */
  let rows: Lanes = lanes(first.model);
  let drawn: TimelineModel = first.model;
  /** What will be drawn when it is ready. */
  let next: Lanes | undefined;
  let acts: Activity = activity();
  let ordered: { readonly of: unknown; readonly moments: Moments; shows: ReturnType<typeof hidden> } | undefined;
  let sieve: Sieve | undefined;
  let sifting: { readonly out: Uint8Array; readonly key: unknown; at: number } | undefined;
  let version = -1;
  /** A new version is not in the stage's accessible name yet. */
  let unsaid = false;
  let shown: Scene | undefined;
  let hover: Target | undefined;
  let pointer: Point | undefined;
  let over: readonly Command[] = [];
  let stale = true;
  /** Somebody has moved or changed something since the last picture, and waits for it. */
  let asked = false;
  let drawing = false;
  let shownAt = Number.NEGATIVE_INFINITY;
  let shownFrames = 0;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const size = { width: 0, height: 0 };

  const geometry = (): Geometry => geometryOf(props.density, size.width);
  const now = (): Ns => props.controller.view.get().heldAt ?? props.model.now();
  const viewport = () => props.controller.view.get();

  const wake = (): void => {
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const redraw = (): void => {
    stale = true;
    if (!drawing) asked = true;
    wake();
  };

  /** How the rows should be made now. Once packed by themselves, they stay packed for as long as the trace is shown. */
  function grouping(): Grouping {
    const chosen = viewport().grouping;
    if (chosen !== 'auto') return chosen;
    const packed = drawn === props.model && rows.grouping !== 'call';
    return packed || rows.order.length > MANY || besideEachOther(drawn.calls) ? 'server' : 'call';
  }

  /** Rows, filter and activity for a new version, as far as there is time. @returns whether more is to be done */
  function layOut(): boolean {
    const { model } = props;
    const goOn = slice();
    if (drawn !== model) begin(model);
    if (version !== model.version) {
      version = model.version;
      acts.take(model);
      unsaid = true;
      stale = true;
    }
    const before = rows.rows.length;
    const whole = rows.take(goOn);
    keepAtEnd(rows.rows.length > before);
    const sifted = sift(goOn);
    const regrouped = regroup(goOn);
    if (unsaid && whole) sayAloud(model);
    return !regrouped || !whole || !sifted;
  }

  /** The canvas in words; only once its rows have caught up, or it would speak of the version before. */
  function sayAloud(model: TimelineModel): void {
    stage.setAttribute('aria-label', summary(model, rows));
    unsaid = false;
  }

  function begin(model: TimelineModel): void {
    drawn = model;
    version = -1;
    const chosen = viewport().grouping;
    rows = lanes(model, chosen === 'auto' ? 'call' : chosen, hidden());
    next = undefined;
    sieve = undefined;
    sifting = undefined;
    acts = activity();
  }

  /** Other rows are made beside the present ones, which stay until they are done. @returns whether they are */
  function regroup(goOn: () => boolean): boolean {
    const wanted = grouping();
    if (!next && rows.grouping === wanted) return true;
    if (next?.grouping !== wanted) next = lanes(drawn, wanted, hidden());
    if (!next.take(goOn)) return false;
    settle(next);
    return true;
  }

  function settle(made: Lanes): void {
    rows = made;
    next = undefined;
    const call = props.selection?.call;
    rows.light(passing());
    props.controller.view.set({ top: Math.min(maxTop(), call === undefined ? viewport().top : topFor(rows.rowOf(call), 0)) });
    stale = true;
  }

  function keepAtEnd(grew: boolean): void {
    const { follow, top } = viewport();
    if (grew && follow && props.model.live) props.controller.view.set({ top: Math.max(top, maxTop()) });
  }

  const isFiltered = (): boolean => props.dimmed !== undefined || isFiltering(viewport().facets);

  /** Whether the filters leave a call out, asked anew. */
  function leftOut(index: number): boolean {
    const call = drawn.calls.all[index];
    return call !== undefined && (!passes(viewport().facets, call, drawn) || (props.dimmed?.(index) ?? false));
  }

  /** Whether the filters leave a call out, as far as it has been worked out. */
  function isOut(index: number): boolean {
    return sieve && index < sieve.out.length ? sieve.out[index] === 1 : leftOut(index);
  }

  const passing = (): ((call: number) => boolean) | undefined => (isFiltered() ? (call) => !isOut(call) : undefined);
  const hidden = (): ((call: number) => boolean) | undefined =>
    viewport().filtered === 'hide' && isFiltered() ? (call) => !isOut(call) : undefined;

  /** Asks the filters about every call, again whenever a filter or a version is another one. @returns whether all are asked */
  function sift(goOn: () => boolean): boolean {
    const { facets, filtered } = viewport();
    const key = isFiltered() ? `${version} ${filtered}` : '';
    if (!isFiltered()) {
      if (sieve) leaveOut(undefined);
      sifting = undefined;
      return true;
    }
    if (sieve && sieve.key === key && siftedWith.dimmed === props.dimmed && siftedWith.facets === facets) return true;
    if (!sifting || siftedWith.dimmed !== props.dimmed || siftedWith.facets !== facets)
      sifting = { out: new Uint8Array(drawn.calls.all.length), key, at: 0 };
    siftedWith = { dimmed: props.dimmed, facets };
    for (; sifting.at < sifting.out.length; sifting.at++) {
      if (sifting.at % 128 === 127 && !goOn()) {
        sifting.at++;
        return false;
      }
      sifting.out[sifting.at] = leftOut(sifting.at) ? 1 : 0;
    }
    leaveOut({ out: sifting.out, key });
    sifting = undefined;
    return true;
  }
  let siftedWith: { readonly dimmed: EngineProps['dimmed']; readonly facets: unknown } = { dimmed: undefined, facets: undefined };

  /** The filters have been worked out: lanes are lit, and where what is left out gives up its place, rows are made anew. */
  function leaveOut(made: Sieve | undefined): void {
    const before = sieve;
    sieve = made;
    const hides = rows.hides || viewport().filtered === 'hide';
    const turned = rows.hides !== (hidden() !== undefined);
    const changed = !before !== !made || (before && made && !sameBytes(before.out, made.out)) || turned;
    if (!changed) return;
    rows.light(passing());
    if (hides) next = lanes(drawn, grouping(), hidden());
    // Calls that were added at the end leave the moments as they were; others push them together or apart.
    const grown = !turned && before && made && sameBytes(before.out, made.out.subarray(0, before.out.length));
    if (hides && !grown) ordered = undefined;
    stale = true;
  }

  const momentsOf = (): Moments => {
    const shows = hidden();
    if (ordered?.of !== props.model.trace) {
      const { trace, calls } = props.model;
      ordered = { of: trace, moments: moments(trace, (seq) => getsRoom(calls, seq, ordered?.shows)), shows };
    }
    ordered.shows = shows;
    ordered.moments.take();
    return ordered.moments;
  };
  const warp = (name: ScaleName): Warp => (name === 'order' ? momentsOf() : CLOCK);

  function scale(left: number, width: number): Scale {
    const { from, to, scale: name, change } = viewport();
    const there = scaleOf({ from, to }, warp(name), left, width);
    return change ? between(scaleOf(change.range, warp(change.from), left, width), there, change.share) : there;
  }

  function follow(): void {
    const { view } = props.controller;
    const { from, to, follow: on, heldAt, scale: name } = view.get();
    if (!on || heldAt !== undefined || size.width === 0) return;
    if (!props.model.live) {
      if (props.model.trace.length > 0) view.set(around(dataOf(props.model), 0.03, warp(name)));
      return;
    }
    view.set(following({ from, to }, acts.busy ? props.model.now() : acts.last, warp(name)));
  }

  function draw(): void {
    frame = 0;
    if (size.width === 0 || size.height === 0) return;
    drawing = true;
    const held = viewport().heldAt !== undefined;
    const more = !held && layOut();
    if (canWait(more)) wake();
    else picturesOf(more, held);
    drawing = false;
  }

  /** A file that is being read, or laid out, has had a picture just now, and nobody has asked for another. */
  function canWait(more: boolean): boolean {
    const grows = !props.model.live && (more || rows.frames > shownFrames);
    return grows && !asked && performance.now() - shownAt < BEHIND_MS;
  }

  /** Both sheets, as far as they are not what they should be. @param more rows are still to be laid out */
  function picturesOf(more: boolean, held: boolean): void {
    follow();
    if (stale || !shown || (shown.moves && !held && props.model.live)) show();
    if (shown) {
      over = overlay(shown, {
        now: now(),
        live: goesOn(props.model),
        hover,
        edges: props.selection ? edgesOfCall(drawn, props.selection.call) : [],
        ruler: viewport().ruler,
        pointer,
      });
      overSheet.show(over);
    }
    if (more) wake();
    else plan();
  }

  function show(): void {
    const { top, scale: name, change } = viewport();
    const began = performance.now();
    stale = false;
    asked = false;
    shownAt = began;
    shownFrames = rows.frames;
    shown = scene({
      facts: drawn,
      lanes: rows,
      geometry: geometry(),
      scale,
      moments: name === 'order' && !change ? momentsOf() : undefined,
      origin: origin(),
      top: Math.min(top, maxTop()),
      width: size.width,
      height: size.height,
      now: now(),
      selection: props.selection,
      dimmed: isFiltered() ? isOut : undefined,
      found: found(),
      measure: pictureSheet.measure,
    });
    pictureSheet.show(shown.commands);
    // For whoever measures: how many frames are on the picture, and how long scene and paint calls took.
    below.dataset['painted'] = String(rows.frames);
    below.dataset['drawMs'] = (performance.now() - began).toFixed(2);
  }

  function origin(): Origin {
    const { times } = viewport();
    const call = props.selection && drawn.calls.all[props.selection.call];
    if (times === 'call' && call) return { at: call.sent.t, as: 'length' };
    if (times === 'wall' && drawn.began !== undefined) return { at: -sinceMidnight(drawn.began) * 1e6, as: 'clock' };
    return BEGINNING;
  }

  /** What a search has found: the caller's frames, else the calls that the filters let through. */
  function found(): ArrayLike<number> | undefined {
    if (props.found) return timesOf(props.found);
    if (!isFiltered() || !sieve) return undefined;
    if (foundOf.sieve !== sieve) {
      const times = rows.order.flatMap((call) => (isOut(call) ? [] : (drawn.calls.all[call]?.sent.t ?? [])));
      foundOf = { sieve, times: Float64Array.from(times).sort() };
    }
    return foundOf.times;
  }

  /** Frames that are not here yet are on no picture. */
  function timesOf(seqs: readonly number[]): Float64Array {
    const { trace } = drawn;
    const here = (seqs.at(-1) ?? -1) < trace.length ? seqs : seqs.filter((seq) => seq < trace.length);
    if (given.seqs !== seqs || given.of !== trace || given.times.length !== here.length)
      given = { seqs, of: trace, times: Float64Array.from(here, (seq) => trace.t(seq)).sort() };
    return given.times;
  }
  let given: { readonly seqs: readonly number[]; readonly of: unknown; readonly times: Float64Array } = {
    seqs: [],
    of: undefined,
    times: new Float64Array(),
  };
  let foundOf: { readonly sieve: Sieve | undefined; readonly times: Float64Array } = { sieve: undefined, times: new Float64Array() };

  /** The next frame at once while time moves something in view; a few times a second while only the clock does. */
  function plan(): void {
    clearTimeout(timer);
    if (!props.model.live || viewport().heldAt !== undefined) return;
    const { to } = viewport();
    if (acts.busy || (shown?.moves && props.model.now() < to)) wake();
    else timer = setTimeout(wake, props.model.now() < to ? 33 : 500);
  }

  /** A mark's own time, where the pointer rests on one; else the time under it. */
  function pointAt(x: number, target: Target | undefined): Point {
    const at = target && momentOf(target);
    return at ?? { t: asNs(Math.round(shown?.scale.t(x) ?? 0)), at: 'here' };
  }

  const maxTop = (): number => Math.max(0, contentHeight(rows, geometry()) - (size.height - geometry().axis));

  const lent = (): Stage => ({
    model: props.model,
    selection: props.selection,
    select: props.onSelect,
    order: () => orderOf(rows),
    marks: (call) => marksOf(props.model, call),
    edges: (call) => edgesOfCall(props.model, call),
    warp,
    width: Math.max(1, size.width - geometry().gutter),
    extent: (call) => extentOf(props.model, call, now()),
    topFor: (call, top) => topFor(rows.rowOf(call), top),
    reducedMotion: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
    focus: () => stage.focus(),
    copy: props.onCopy,
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
    stage.parentElement?.style.setProperty('--gutter', `${geometry().gutter}px`);
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
    update(to) {
      const { model, selection, density, dimmed, found: before } = props;
      props = to;
      if (to.model !== model) {
        unsubscribe();
        unsubscribe = to.model.subscribe(wake);
      }
      const chosen = to.selection?.call !== selection?.call || to.selection?.seq !== selection?.seq;
      if (chosen || to.model !== model || to.density !== density || to.dimmed !== dimmed || to.found !== before) redraw();
    },
    point(x, y) {
      const target = shown && hitTest(shown, x, y);
      const measuring = viewport().ruler;
      pointer = measuring && shown && x > shown.scale.left ? pointAt(x, target) : undefined;
      if (!sameTarget(target, hover) || target?.on === 'cells') {
        hover = target;
        props.onHover(target && { target, x, y });
        wake();
      } else if (measuring) wake();
      return target;
    },
    mark(x, y) {
      if (shown) props.controller.mark(pointAt(x, hitTest(shown, x, y)));
    },
    picture: () => ({ commands: [...(shown?.commands ?? []), ...over], width: size.width, height: size.height }),
    leave() {
      if (!hover && !pointer) return;
      hover = undefined;
      pointer = undefined;
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

/** Calls as a person steps through them: by row, then as they were made. */
function orderOf({ rows, order, grouping }: Lanes): readonly number[] {
  return grouping === 'call' ? rows.flatMap((row) => (row.kind === 'call' ? [row.call] : [])) : order;
}

function summary(model: TimelineModel, { order, alarms }: Lanes): string {
  const calls = order.filter((call) => model.calls.all[call]?.method === 'tools/call').length;
  const breaches = alarms.filter((alarm) => alarm.severity === 'breach').length;
  const warnings = alarms.length - breaches;
  const counted = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`.replace('breachs', 'breaches');
  const what = `Timeline of ${counted(calls, 'call')}: ${counted(breaches, 'breach')}, ${counted(warnings, 'warning')}.`;
  return `${what} ${servers(model)}${goesOn(model) ? 'Live. ' : ''}The calls table says the same in words.`;
}

/** The servers that were connected at the same time. */
function servers({ calls }: TimelineModel): string {
  if (!besideEachOther(calls)) return '';
  return `Servers: ${[...calls.sessions.keys()].map((session) => sessionName(calls, session)).join('; ')}. `;
}

function marksOf(model: TimelineModel, index: number): readonly { readonly seq: number; readonly t: Ns; readonly name: string }[] {
  const call = model.calls.all[index];
  return call ? picture(model, call).marks.map((mark) => ({ seq: mark.seq, t: mark.at, name: nameOfMark(mark) })) : [];
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((value, index) => value === b[index]);

/** Milliseconds of the day, by the clock on the wall, at a moment given in milliseconds since 1970. */
function sinceMidnight(wall: number): number {
  const day = new Date(wall);
  return wall - new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
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
