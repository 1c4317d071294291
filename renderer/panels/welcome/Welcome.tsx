// The first race, guided: charge 42 €, press Stop, see what happened. Three steps on the real controls of the window; a
// step is over when what it asks for has really happened, not when somebody presses "next".
import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSelect, useStopgap, useTick, useVersion } from '../../context';
import type { Feed } from '../../feed';
import './welcome.css';

/** Slow enough to read a sentence before the write, and past its commit point whenever Stop is pressed; the tool's own times are over in 400 ms. */
const SLOWLY = { amount: 4200, currency: 'EUR', commit_ms: 0, write_ms: 8000 };

type Step =
  | { readonly step: 'connect' }
  | { readonly step: 'call'; readonly again: boolean }
  | { readonly step: 'stop'; readonly call: number }
  | { readonly step: 'see'; readonly call: number; readonly over: boolean; readonly wrote: boolean };

/**
 * Where the race stands, read from the trace alone.
 * @param since index of the first call that counts
 */
export function stepOf(feed: Pick<Feed, 'calls' | 'verdict'>, connected: boolean, since: number): Step {
  const call = feed.calls.all.findLast((candidate) => candidate.index >= since && candidate.tool === 'charge_card');
  if (!call) return connected ? { step: 'call', again: false } : { step: 'connect' };
  if (call.stops.length === 0 || call.stops.every((stop) => stop.late))
    return call.replies.length === 0 ? { step: 'stop', call: call.index } : { step: 'call', again: true };
  const verdict = feed.verdict(call.index);
  const wrote = verdict?.effect.state === 'after';
  return { step: 'see', call: call.index, over: wrote || verdict?.settled === true, wrote };
}

const ANCHORS: Readonly<Record<Step['step'], string>> = {
  connect: 'server-menu',
  call: 'call-button',
  stop: 'stop-button',
  see: 'details',
};
const NUMBERS: Readonly<Record<Step['step'], number>> = { connect: 1, call: 1, stop: 2, see: 3 };

function words(step: Step): { readonly title: string; readonly text: string } {
  switch (step.step) {
    case 'connect':
      return { title: 'The first race: connect to the demo', text: 'This short race runs on the demo server, which comes with Stopgap.' };
    case 'call':
      return step.again
        ? {
            title: 'It finished first',
            text: 'The charge was answered before Stop was pressed. Press Call once more, then press Stop within a few seconds.',
          }
        : {
            title: 'Charge 42 €',
            text: 'The form is filled in, slowed down so that you can keep up. A probe watches the ledger. Press Call.',
          };
    case 'stop':
      return { title: 'Now press Stop', text: 'The charge is in flight. Press the amber button, or Esc. It asks the server to cancel.' };
    case 'see':
      return step.over
        ? {
            title: 'That is what really happened',
            text: step.wrote
              ? 'Here it stands in one sentence, with the evidence. The ◆ on the timeline is the write that came although you had pressed Stop.'
              : 'Here it stands in one sentence, with the evidence. This time no write was seen after the Stop.',
          }
        : {
            title: 'See what happens',
            text: 'Your client has been told “cancelled”. Watch the lower band: what the server does now is not known, until the probe sees it.',
          };
  }
}

export function Welcome() {
  const open = useSelect((state) => state.welcome);
  return open ? <Race /> : null;
}

function Race() {
  const { feed, store, actions } = useStopgap();
  const connected = useSelect(({ status }) => status.state === 'connected' && status.key === 'demo');
  const tool = useSelect(({ status }) => (status.key === 'demo' ? status.tools.find(({ name }) => name === 'charge_card') : undefined));
  const [since] = useState(() => feed.calls.all.length);
  useVersion(120);
  const step = stepOf(feed, connected, since);
  const anchor = useAnchor(ANCHORS[step.step]);
  const { title, text } = words(step);

  useEffect(() => {
    if (!tool) return;
    store.setState({ tool: 'charge_card', rawOpen: false, toolSearch: '' });
    actions.draft(tool, { arguments: SLOWLY, normallyMs: SLOWLY.write_ms, settleMs: SLOWLY.write_ms, stopAfterMs: undefined });
  }, [tool, store, actions]);

  const dismiss = (forEver: boolean): void => {
    store.setState({ welcome: false });
    if (tool) store.setState(({ drafts: { charge_card: _, ...drafts } }) => ({ drafts }));
    if (forEver) void actions.settings({ welcomeDismissed: true });
  };
  if (!anchor) return null;
  const over = step.step === 'see' && step.over;
  const place = placeBeside(SIDES[step.step], anchor, { width: window.innerWidth, height: window.innerHeight });
  return (
    <div className="welcome" role="dialog" aria-label={title} data-side={place.side} style={{ left: place.left, top: place.top }}>
      <span className="welcome-arrow" style={place.arrow} aria-hidden />
      <div className="row">
        <span className="welcome-step">{NUMBERS[step.step]} of 3</span>
        <b className="grow">{title}</b>
        <button type="button" className="icon-button quiet tiny" aria-label="Put the first race away" onClick={() => dismiss(over)}>
          <X size={14} aria-hidden />
        </button>
      </div>
      <p className="soft">{text}</p>
      <div className="row welcome-actions">
        {step.step === 'connect' && (
          <button type="button" className="button go" onClick={() => void actions.connect({ kind: 'demo' })}>
            Connect to the demo
          </button>
        )}
        <span className="grow" />
        {over ? (
          <button type="button" className="button go" onClick={() => dismiss(true)}>
            Done
          </button>
        ) : (
          <button type="button" className="link faint" onClick={() => dismiss(true)}>
            Never show this again
          </button>
        )}
      </div>
    </div>
  );
}

type Side = 'right' | 'left' | 'bottom';

interface Place {
  readonly side: Side;
  readonly left: number;
  readonly top: number;
  readonly arrow: { readonly left?: number; readonly top?: number };
}

const WIDTH = 320;
const HEIGHT = 150;
const GAP = 12;
const SIDES: Readonly<Record<Step['step'], Side>> = { connect: 'bottom', call: 'right', stop: 'bottom', see: 'left' };

const clamp = (value: number, room: number): number => Math.max(8, Math.min(room, value));

/**
 * Beside a control and within the window. Placed by hand: a popup of the component library would take Escape for itself,
 * and here Escape is what the person is asked to press.
 */
export function placeBeside(
  side: Side,
  anchor: Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>,
  window: { readonly width: number; readonly height: number },
): Place {
  const middle = { x: (anchor.left + anchor.right) / 2, y: Math.min((anchor.top + anchor.bottom) / 2, anchor.top + 90) };
  const room = { x: window.width - WIDTH - 8, y: window.height - HEIGHT - 8 };
  if (side === 'bottom') {
    const left = clamp(middle.x - WIDTH / 2, room.x);
    return { side, left, top: clamp(anchor.bottom + GAP, room.y), arrow: { left: middle.x - left - 6 } };
  }
  const top = clamp(middle.y - HEIGHT / 2, room.y);
  const left = clamp(side === 'right' ? anchor.right + GAP : anchor.left - GAP - WIDTH, room.x);
  return { side, left, top, arrow: { top: clamp(middle.y - top - 6, HEIGHT - 24) } };
}

/** Where the control is that a step points at; looked for again now and then, since it moves with the window. */
function useAnchor(id: string): DOMRect | undefined {
  const [rect, setRect] = useState<DOMRect | undefined>(undefined);
  useTick(true, () => {
    const found = document.getElementById(id)?.getBoundingClientRect();
    setRect((known) => (known && found && same(known, found) ? known : found));
  });
  return rect;
}

const same = (a: DOMRect, b: DOMRect): boolean => a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;
