// The strip above the timeline: the whole trace at a glance, and a window on it that can be dragged and resized.
import './timeline.css';
import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef } from 'react';
import { asNs, type Ns } from '../../app/base/time';
import { onThemeChange, readTheme } from '../theme/theme';
import { sheet } from './canvas';
import { goesOn, type TimelineModel } from './model';
import { type Alarm, alarms, gripAt, type OverviewScene, overview } from './overview';
import { clamp, MIN_SPAN } from './scale';
import { dataOf, type TimelineController } from './TimelineController';

export interface OverviewProps {
  readonly model: TimelineModel;
  /** The same one for as long as the component is mounted. */
  readonly controller: TimelineController;
  /** A verdict's sign was clicked. */
  readonly onSelect: (selection: { readonly call: number }) => void;
}

export function Overview({ model, controller, onSelect }: OverviewProps) {
  const root = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const running = useRef<Strip>(undefined);
  const props = { model, controller, onSelect };
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    if (!root.current || !canvas.current) return undefined;
    running.current = strip(root.current, canvas.current, () => latest.current);
    return () => running.current?.stop();
  }, []);
  useEffect(() => running.current?.watch(model), [model]);

  const pointer = usePointer(running, () => latest.current);
  const keys = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowLeft') controller.panLeft();
    else if (event.key === 'ArrowRight') controller.panRight();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={root}
      className="overview"
      role="scrollbar"
      aria-label="Part of the trace in view"
      aria-orientation="horizontal"
      aria-controls="timeline"
      aria-valuenow={0}
      aria-valuemin={0}
      aria-valuemax={100}
      tabIndex={0}
      data-testid="overview"
      onKeyDown={keys}
      {...pointer}
    >
      <canvas ref={canvas} />
    </div>
  );
}

/** A few pictures a second: at this size nobody sees more of what comes, nor of the edge of now creeping. */
const EVERY_MS = 100;

interface Strip {
  readonly shown: OverviewScene | undefined;
  /** Draws again whenever this model changes. */
  watch(model: TimelineModel): void;
  stop(): void;
}

function strip(root: HTMLElement, canvas: HTMLCanvasElement, props: () => OverviewProps): Strip {
  const paper = sheet(canvas, readTheme());
  let shown: OverviewScene | undefined;
  let known: { readonly version: number; readonly calls: unknown; readonly alarms: readonly Alarm[] } | undefined;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const size = { width: 0, height: 0 };

  const alarmsNow = (model: TimelineModel): readonly Alarm[] => {
    if (known?.version !== model.version || known.calls !== model.calls)
      known = { version: model.version, calls: model.calls, alarms: alarms(model) };
    return known.alarms;
  };

  const draw = (): void => {
    frame = 0;
    const { model, controller } = props();
    const { width, height } = size;
    if (width === 0 || height === 0) return;
    const view = controller.view.get();
    shown = overview(model, alarmsNow(model), view, width, height);
    paper.resize(width, height, window.devicePixelRatio);
    paper.show(shown.commands);
    tell(root, shown);
    if (goesOn(model) && view.heldAt === undefined) soon();
  };
  const wake = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (frame === 0) frame = requestAnimationFrame(draw);
  };
  const soon = (): void => {
    timer ??= setTimeout(wake, EVERY_MS);
  };
  /** What a hand moves is shown at once; a window that follows now creeps along. */
  const moved = (): void => (props().controller.view.get().follow ? soon() : wake());
  const dress = (): void => {
    paper.dress(readTheme());
    wake();
  };
  const observer = new ResizeObserver(() => {
    size.width = root.clientWidth;
    size.height = root.clientHeight;
    wake();
  });
  observer.observe(root);
  const ends = [onThemeChange(dress), props().controller.view.subscribe(moved)];
  let unsubscribe = props().model.subscribe(soon);

  return {
    get shown() {
      return shown;
    },
    watch(model) {
      unsubscribe();
      unsubscribe = model.subscribe(soon);
      wake();
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

/** Says where the window is, in percent of the whole, to those who cannot see it. */
function tell(root: HTMLElement, { scale, window: box }: OverviewScene): void {
  const middle = String(Math.round(((box.x + box.w / 2) / scale.width) * 100));
  if (root.getAttribute('aria-valuenow') !== middle) root.setAttribute('aria-valuenow', middle);
}

/** What a drag has hold of, and where in the window it took hold. */
interface Drag {
  readonly grip: 'from' | 'to' | 'both';
  readonly offset: number;
}

function usePointer(running: { readonly current: Strip | undefined }, props: () => OverviewProps) {
  const drag = useRef<Drag>(undefined);
  const xOf = (event: PointerEvent): number => event.clientX - event.currentTarget.getBoundingClientRect().left;
  return {
    onPointerDown: (event: PointerEvent) => {
      const shown = running.current?.shown;
      if (!shown || event.button !== 0) return;
      const x = xOf(event);
      const hit = signAt(shown, x, event.clientY - event.currentTarget.getBoundingClientRect().top);
      if (hit !== undefined) {
        props().onSelect({ call: hit });
        props().controller.reveal(hit);
        return;
      }
      event.currentTarget.setPointerCapture(event.pointerId);
      const { controller } = props();
      const { from, to } = controller.view.get();
      const grip = gripAt(shown, x);
      drag.current = { grip: grip === 'none' ? 'both' : grip, offset: grip === 'none' ? (to - from) / 2 : shown.scale.t(x) - from };
      if (grip === 'none') move(props(), drag.current, shown.scale.t(x));
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const shown = running.current?.shown;
      if (!shown) return;
      const x = xOf(event);
      if (drag.current) move(props(), drag.current, shown.scale.t(x));
      else event.currentTarget.style.cursor = CURSORS[gripAt(shown, x)];
    },
    onPointerUp: () => {
      drag.current = undefined;
    },
    onPointerCancel: () => {
      drag.current = undefined;
    },
  };
}

const CURSORS = { from: 'ew-resize', to: 'ew-resize', both: 'grab', none: 'pointer' } as const;

function move({ model, controller }: OverviewProps, { grip, offset }: Drag, t: Ns): void {
  const { from, to } = controller.view.get();
  const next = {
    from: { from: asNs(Math.min(t, to - MIN_SPAN)), to },
    to: { from, to: asNs(Math.max(t, from + MIN_SPAN)) },
    both: { from: asNs(t - offset), to: asNs(t - offset + (to - from)) },
  }[grip];
  controller.view.set({ ...clamp(next, dataOf(model)), follow: false });
}

const signAt = ({ signs }: OverviewScene, x: number, y: number): number | undefined =>
  signs.findLast((box) => x >= box.x && x < box.x + box.w && y >= box.y && y < box.y + box.h)?.call;
