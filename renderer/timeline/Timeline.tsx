// The timeline as a component: two canvases (the picture, and over it what follows pointer and clock), a corner with the
// live switch, and a card that explains whatever the pointer rests on. All drawing is the engine's.
import './timeline.css';
import { Maximize2, Minus, Plus } from 'lucide-react';
import { type PointerEvent, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { asNs, toMs } from '../../app/base/time';
import { type Engine, engine, type Hover } from './engine';
import { copyPng, copySvg } from './export';
import { GEOMETRY } from './geometry';
import { type Density, goesOn, type Selection, type TimelineModel } from './model';
import type { PictureFormat, TimelineController } from './TimelineController';
import { type KeyText, Toolbar, titled } from './Toolbar';
import { useView } from './view';
import { callOf, explain, type Target } from './words';

export interface TimelineProps {
  readonly model: TimelineModel;
  /** The same one for as long as the component is mounted. */
  readonly controller: TimelineController;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection | undefined) => void;
  readonly density: Density;
  /** Calls whose rows are drawn faint, such as those that a filter leaves out. */
  readonly dimmed?: ((call: number) => boolean) | undefined;
  /** Frames that a search has found, ascending: ticks on the axis. Without it, the calls that `dimmed` leaves. */
  readonly found?: readonly number[] | undefined;
  /** A command's key as people read it. */
  readonly keyText: KeyText;
  /** Told what became of copying a picture. */
  readonly onCopied?: ((told: string, failed: boolean) => void) | undefined;
  /** Shown in the middle while there are no calls. Whether there are any is the caller's knowledge. */
  readonly empty?: ReactNode;
}

export function Timeline({ model, controller, selection, onSelect, density, dimmed, found, keyText, onCopied, empty }: TimelineProps) {
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const below = useRef<HTMLCanvasElement>(null);
  const above = useRef<HTMLCanvasElement>(null);
  const running = useRef<Engine>(undefined);
  const [hover, setHover] = useState<Hover>();

  const onCopy = (as: PictureFormat): void => {
    const shown = running.current?.picture();
    if (!shown) return;
    const title = stage.current?.getAttribute('aria-label') ?? 'Timeline';
    (as === 'png' ? copyPng(shown) : copySvg(shown, title)).then(
      () => onCopied?.(as === 'png' ? 'The visible part is copied as a picture.' : 'The visible part is copied as a drawing.', false),
      (error: unknown) => onCopied?.(`The clipboard did not take the picture: ${error instanceof Error ? error.message : error}`, true),
    );
  };
  const props = { model, controller, selection, onSelect, density, dimmed, found, onHover: setHover, onCopy };
  const latest = useRef(props);
  latest.current = props;

  useLayoutEffect(() => {
    if (!stage.current || !below.current || !above.current) return undefined;
    const started = engine({ stage: stage.current, below: below.current, above: above.current }, latest.current);
    running.current = started;
    const endWheel = onWheel(stage.current, started, () => latest.current);
    return () => {
      endWheel();
      started.stop();
    };
  }, []);
  useEffect(() => running.current?.update(latest.current));

  const pointer = usePointer(running, () => latest.current);
  return (
    <div className="timeline" data-testid="timeline">
      <Toolbar controller={controller} model={model} keyText={keyText} />
      <div ref={root} className="timeline-plot">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keys of what is drawn in it */}
        <div ref={stage} className="timeline-stage" role="application" aria-label="Timeline" tabIndex={0} {...pointer}>
          <canvas ref={below} />
          <canvas ref={above} />
        </div>
        <Corner controller={controller} model={model} height={GEOMETRY[density].axis} keyText={keyText} />
        {empty ? <div className="timeline-empty">{empty}</div> : undefined}
        <Card hover={hover} within={root.current} />
      </div>
    </div>
  );
}

/** Drag pans, click selects, double click zooms to the call. */
function usePointer(running: { readonly current: Engine | undefined }, props: () => Pick<TimelineProps, 'controller' | 'onSelect'>) {
  const drag = useRef<{ x: number; y: number; moved: boolean }>(undefined);
  const at = (event: PointerEvent | React.MouseEvent): { x: number; y: number } => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      drag.current = { ...at(event), moved: false };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const { x, y } = at(event);
      const from = drag.current;
      if (!from) {
        running.current?.point(x, y);
        return;
      }
      if (!from.moved && Math.hypot(x - from.x, y - from.y) < 4) return;
      const scale = running.current?.scene?.scale;
      if (!scale) return;
      running.current?.leave();
      running.current?.scroll(from.y - y);
      if (x !== from.x) props().controller.panBy((from.x - x) / scale.width);
      drag.current = { x, y, moved: true };
    },
    onPointerUp: (event: PointerEvent) => {
      const ended = drag.current;
      drag.current = undefined;
      if (!ended || ended.moved) return;
      const { x, y } = at(event);
      if (props().controller.view.get().ruler) running.current?.mark(x, y);
      else choose(running.current?.point(x, y), props().onSelect);
    },
    onPointerCancel: () => {
      drag.current = undefined;
    },
    onPointerLeave: () => running.current?.leave(),
    onDoubleClick: (event: React.MouseEvent) => {
      const { x, y } = at(event);
      const target = running.current?.point(x, y);
      const call = target && callOf(target);
      if (call !== undefined) props().controller.zoomToCall(call);
    },
  };
}

function choose(target: Target | undefined, onSelect: TimelineProps['onSelect']): void {
  const call = target && callOf(target);
  if (call === undefined) onSelect(undefined);
  else onSelect(target?.on === 'mark' ? { call, seq: target.mark.seq } : { call });
}

/**
 * Plain wheel scrolls the rows, sideways (or with Shift) it pans, with Ctrl, Cmd or by pinching it zooms at the pointer.
 * Not passive, so that the page itself never zooms.
 */
function onWheel(root: HTMLElement, running: Engine, props: () => Pick<TimelineProps, 'controller'>): () => void {
  const wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const scale = running.scene?.scale;
    if (!scale) return;
    const line = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const dx = (event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX) * line;
    const dy = (event.shiftKey ? 0 : event.deltaY) * line;
    if (event.ctrlKey || event.metaKey) {
      const x = Math.max(scale.left, event.clientX - root.getBoundingClientRect().left);
      const factor = Math.exp(Math.max(-80, Math.min(80, event.deltaY * line)) * 0.005);
      props().controller.zoomAt(asNs(scale.t(x)), factor);
      return;
    }
    if (dy !== 0 && running.canScroll) running.scroll(dy);
    if (dx !== 0) props().controller.panBy(dx / scale.width);
  };
  root.addEventListener('wheel', wheel, { passive: false });
  return () => root.removeEventListener('wheel', wheel);
}

interface CornerProps {
  readonly controller: TimelineController;
  readonly model: TimelineModel;
  readonly height: number;
  readonly keyText: KeyText;
}

function Corner({ controller, model, height, keyText }: CornerProps) {
  const follow = useView(controller.view, (viewport) => viewport.follow);
  const held = useView(controller.view, (viewport) => viewport.heldAt !== undefined);
  return (
    <div className="timeline-corner" style={{ height }}>
      {!model.live ? (
        <span className="timeline-file">from a file</span>
      ) : held || goesOn(model) ? (
        <LiveButton controller={controller} follow={follow} held={held} keyText={keyText} />
      ) : (
        <span className="timeline-over" title="No session is open, so nothing can happen now. It goes on once a server is connected.">
          {[...model.calls.sessions.values()].some(({ opened }) => opened) ? 'Ended' : 'No session'}
        </span>
      )}
      <span className="timeline-zoom">
        <button type="button" aria-label="Zoom out" title={titled('Zoom out', keyText('zoom.out'))} onClick={controller.zoomOut}>
          <Minus size={13} />
        </button>
        <button type="button" aria-label="Zoom in" title={titled('Zoom in', keyText('zoom.in'))} onClick={controller.zoomIn}>
          <Plus size={13} />
        </button>
        <button type="button" aria-label="Show everything" title={titled('Show everything', keyText('fit'))} onClick={controller.fit}>
          <Maximize2 size={12} />
        </button>
      </span>
    </div>
  );
}

interface LiveProps {
  readonly controller: TimelineController;
  readonly follow: boolean;
  readonly held: boolean;
  readonly keyText: KeyText;
}

function LiveButton({ controller, follow, held, keyText }: LiveProps) {
  if (held)
    return (
      <button
        type="button"
        className="timeline-live"
        data-state="held"
        title={titled('Let the drawing go on', keyText('hold'))}
        onClick={controller.toggleHold}
      >
        Held
      </button>
    );
  return (
    <button
      type="button"
      className="timeline-live"
      data-state={follow ? 'on' : 'off'}
      aria-pressed={follow}
      title={titled(follow ? 'Following what happens now' : 'Go back to what happens now', keyText('live'))}
      onClick={controller.toggleFollow}
    >
      Live
    </button>
  );
}

const CARD = { width: 300, height: 96 };

/** One sentence about what the pointer rests on, beside it and inside the timeline. */
function Card({ hover, within }: { hover: Hover | undefined; within: HTMLElement | null }) {
  const said = hover && explain(hover.target);
  if (!hover || !said) return undefined;
  const left = Math.max(8, Math.min(hover.x + 14, (within?.clientWidth ?? 0) - CARD.width - 8));
  const fits = hover.y + 20 + CARD.height < (within?.clientHeight ?? 0);
  const style = fits ? { left, top: hover.y + 20 } : { left, bottom: (within?.clientHeight ?? 0) - hover.y + 14 };
  return (
    <div className="timeline-card" style={style} role="tooltip">
      <strong>{said.title}</strong>
      <p>{said.sentence}</p>
      {said.at === undefined && said.seq === undefined ? undefined : (
        <small>
          {said.at === undefined ? '' : `${toMs(said.at).toFixed(3)} ms`}
          {said.seq === undefined ? '' : `  frame ${said.seq}`}
        </small>
      )}
    </div>
  );
}
