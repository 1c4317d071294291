// Messages as they were on the wire: as a tree to look into, or as the raw text, byte for byte. What a server sent is
// text here, never markup, and nothing in it is a link.
import { type ComponentProps, memo, useMemo, useState } from 'react';
import { JsonView } from 'react-json-view-lite';
import type { Call, Calls } from '../../../app/trace/calls';
import type { Seq } from '../../../app/wire/frame';
import { textOf } from '../../bodies';
import { useBodiesVersion, useStopgap } from '../../context';
import { messagesOf } from './copy';
import { at } from './words';

/** Long floods of progress would bury the rest: the first and last few are shown. */
const EACH_END = 4;

/** Texts longer than this are shown cut: a tree of a hundred thousand nodes helps nobody. */
const LARGE = 100_000;

const ARROWS = { c2s: '→', s2c: '←', '-': '·' } as const;
const NAMES = { c2s: 'client to server', s2c: 'server to client', '-': 'recorded here' } as const;

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

const Tree = memo(JsonView);
const expanded = (level: number): boolean => level < 4;

function Message({ seq, raw }: { readonly seq: Seq; readonly raw: boolean }) {
  const { feed, bodies } = useStopgap();
  const body = bodies.get(seq);
  const text = textOf(body);
  const large = text !== undefined && text.length > LARGE;
  const value = useMemo(() => (raw || large || text === undefined ? undefined : parsed(text)), [raw, large, text]);
  const dir = feed.trace.dir(seq);
  const extra = feed.trace.extra(seq);
  const own = extra && (extra.about === 'act' || extra.about === 'effect' || extra.about === 'life') ? extra : undefined;
  return (
    <div className="message">
      <p className="message-head mono">
        <span role="img" aria-label={NAMES[dir]}>
          {ARROWS[dir]}
        </span>
        <span className="faint">frame {seq}</span>
        <span className="grow" />
        <span className="faint">{at(feed.trace.t(seq))}</span>
      </p>
      {value ? (
        <Tree data={value} style={STYLE} shouldExpandNode={expanded} aria-label={`Frame ${seq}`} />
      ) : text !== undefined ? (
        <>
          <pre className="raw mono">{large ? text.slice(0, LARGE) : text}</pre>
          {large && (
            <p className="hint">
              Cut here: the whole has {text.length.toLocaleString('en')} characters. Copying the raw messages takes all of it.
            </p>
          )}
        </>
      ) : own ? (
        <Tree data={own} style={STYLE} shouldExpandNode={expanded} aria-label={`Frame ${seq}`} />
      ) : (
        <p className="hint">{body ? 'The trace file no longer has this body.' : 'Reading…'}</p>
      )}
    </div>
  );
}

function Head({ title, raw, onRaw }: { readonly title: string; readonly raw: boolean; readonly onRaw: (raw: boolean) => void }) {
  return (
    <div className="row message-title">
      <h3 className="heading grow">{title}</h3>
      <button type="button" className="button small" aria-pressed={raw} onClick={() => onRaw(!raw)}>
        Raw
      </button>
    </div>
  );
}

/** The first and the last messages of a call. Of progress and polls no more is looked at: there may be a great deal, more each moment. */
function endsOf(call: Call, calls: Calls): { readonly shown: readonly Seq[]; readonly hidden: number } {
  const { progress } = call;
  const between = Math.max(0, progress.length - 2 * EACH_END);
  const polled = Math.max(0, (call.task?.polls.length ?? 0) - 2 * EACH_END);
  const all = messagesOf(
    {
      ...call,
      progress: bothEnds(progress),
      task: call.task && polled > 0 ? { ...call.task, polls: bothEnds(call.task.polls), states: bothEnds(call.task.states) } : call.task,
    },
    calls,
  );
  const whole = between === 0 && polled === 0 && all.length <= EACH_END * 2 + 1;
  const shown = whole ? all : [...all.slice(0, EACH_END), ...all.slice(-EACH_END)];
  // Of each poll that is left out two messages are.
  return { shown, hidden: between + 2 * polled + all.length - shown.length };
}

const bothEnds = <T,>(list: readonly T[]): readonly T[] =>
  list.length <= 2 * EACH_END ? list : [...list.slice(0, EACH_END), ...list.slice(-EACH_END)];

export function RawMessages({ call }: { readonly call: Call }) {
  const { bodies, feed } = useStopgap();
  const [raw, setRaw] = useState(false);
  useBodiesVersion();
  const { shown, hidden } = endsOf(call, feed.calls);
  bodies.want(shown);
  return (
    <section className="messages">
      <Head title="Messages" raw={raw} onRaw={setRaw} />
      {shown.map((seq, i) => (
        <div key={seq}>
          {hidden > 0 && i === EACH_END && <p className="hint">{hidden} messages between are in the wire log.</p>}
          <Message seq={seq} raw={raw} />
        </div>
      ))}
    </section>
  );
}

/** The one frame that is selected. */
export function FrameBodyView({ seq }: { readonly seq: Seq }) {
  const { bodies } = useStopgap();
  const [raw, setRaw] = useState(false);
  useBodiesVersion();
  bodies.want([seq]);
  return (
    <section className="messages selected-frame">
      <Head title="The selected frame" raw={raw} onRaw={setRaw} />
      <Message seq={seq} raw={raw} />
    </section>
  );
}

const STYLE: NonNullable<ComponentProps<typeof JsonView>['style']> = {
  container: 'json mono',
  basicChildStyle: 'json-child',
  childFieldsContainer: 'json-fields',
  label: 'json-label',
  clickableLabel: 'json-label json-clickable',
  nullValue: 'json-null',
  undefinedValue: 'json-null',
  stringValue: 'json-string',
  numberValue: 'json-number',
  booleanValue: 'json-number',
  otherValue: 'json-null',
  punctuation: 'json-punctuation',
  collapseIcon: 'json-icon json-open',
  expandIcon: 'json-icon',
  collapsedContent: 'json-more',
  stringifyStringValues: true,
};
