// The HTTP section of the details: by which exchanges a call and its cancel went, and what a status is worth.
import { useReducer } from 'react';
import type { Call } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { useStopgap, useTick } from '../../context';
import { exchangeLines, worthOf } from './exchanges';
import { FrameLink } from './FrameLink';

export function Exchanges({ call, verdict }: { readonly call: Call; readonly verdict: Verdict }) {
  const { feed } = useStopgap();
  const [, again] = useReducer((times: number) => times + 1, 0);
  const session = feed.calls.sessions.get(call.session);
  const lines = session ? exchangeLines(call, session, feed.now()) : [];
  useTick(
    lines.some(({ open }) => open),
    again,
    1000,
  );
  if (!session || lines.length === 0) return null;
  return (
    <section aria-label="HTTP">
      <h3 className="heading">HTTP</h3>
      <ul className="because">
        {lines.map(({ number, seq, name, carries, says }) => (
          <li key={number}>
            <FrameLink seq={seq} call={call.index} />
            <span>
              <b className="mono">{name}</b> <span className="faint">{carries}</span>
              {says.length > 0 && `: ${says.join(', ')}`}
            </span>
          </li>
        ))}
      </ul>
      {worthOf(call, session, verdict.stop).map((text) => (
        <p key={text} className="hint">
          {text}
        </p>
      ))}
    </section>
  );
}
