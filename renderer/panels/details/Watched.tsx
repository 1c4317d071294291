// The probes of a call, each with what it saw, when, and what it missed.
import type { Call } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { useStopgap } from '../../context';
import { FrameLink } from './FrameLink';
import { watchedBy } from './watched';

const SIGNS = { seen: '◇', after: '◆', reverted: '↺', work: '⋯', held: '▣', gap: '△' } as const;
const SIGN_WORDS = {
  seen: 'seen',
  after: 'seen after the stop',
  reverted: 'taken back',
  work: 'work goes on',
  held: 'held open',
  gap: 'not watched',
} as const;

export function Watched({ call, verdict }: { readonly call: Call; readonly verdict: Verdict }) {
  const { feed } = useStopgap();
  const probes = watchedBy(call, verdict, feed.world);
  if (probes.length === 0) return null;
  return (
    <section>
      <h3 className="heading">{verdict.stop.at === undefined ? 'What watched' : 'What watched, from the stop on'}</h3>
      {probes.map(({ probe, watch, says, rows }) => (
        <div key={probe} className="watched">
          <p>
            <b>{probe}</b> <span className="faint">{watch?.kind}</span>{' '}
            <span className="mono faint watched-place" title={watch?.place}>
              {watch?.place}
            </span>
          </p>
          <p className="hint">
            {says}
            {watch && (
              <>
                {' · '}
                <FrameLink seq={watch.began} call={call.index} />
              </>
            )}
          </p>
          {rows.length > 0 && (
            <ul className="watched-rows">
              {rows.map((row) => (
                <li key={row.seq} data-is={row.is}>
                  <span className="watched-sign" role="img" aria-label={SIGN_WORDS[row.is]} title={SIGN_WORDS[row.is]}>
                    {SIGNS[row.is]}
                  </span>
                  <span className="mono watched-when">{row.when}</span>
                  <span className="watched-says">
                    {row.says} <FrameLink seq={row.seq} call={call.index} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}
