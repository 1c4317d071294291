// What is worth knowing and is not about one call's outcome.
import { useRef } from 'react';
import { minus, words } from '../../../app/base/time';
import type { Finding } from '../../../app/verdict/verdict';
import { useSelect, useStopgap, useTick, useVersion } from '../../context';
import { isFiltering, showsFinding } from '../../filter';
import { FINDING_HINTS } from '../../findingWords';
import { SeveritySign } from '../../ui/signs';

/** How long something has lasted, as long as it does. */
function Age({ lasts: { since, until } }: { readonly lasts: NonNullable<Finding['lasts']> }) {
  const { feed } = useStopgap();
  const text = useRef<HTMLSpanElement>(null);
  useTick(
    until === undefined,
    () => {
      if (text.current) text.current.textContent = `${words(minus(until ?? feed.now(), since))}${until === undefined ? ' so far' : ''}`;
    },
    1000,
  );
  return <span ref={text} className="mono faint" />;
}

export function Findings() {
  const { feed, actions } = useStopgap();
  const text = useSelect((state) => state.filter);
  const signs = useSelect((state) => state.signs);
  useVersion(250);
  const filter = { text, signs };
  const list = feed.findings.filter((finding) => showsFinding(filter, finding));
  if (list.length === 0)
    return (
      <p className="list-empty">
        {isFiltering(filter) && feed.findings.length > 0
          ? 'No finding has these words.'
          : 'Nothing beside the calls themselves. That is no proof that all is well.'}
      </p>
    );
  return (
    <ul className="findings" aria-label="Findings">
      {list.map((finding) => (
        <li key={`${finding.finding} ${finding.seq}`}>
          <button type="button" className="finding" onClick={() => actions.selectFrame(finding.seq, finding.call)}>
            <SeveritySign severity={finding.severity} />
            <span className="finding-says">
              {finding.sentence}
              {FINDING_HINTS[finding.finding] !== undefined && <small>{FINDING_HINTS[finding.finding]}</small>}
            </span>
            {finding.lasts && <Age lasts={finding.lasts} />}
            {finding.count > 1 && <span className="faint">× {finding.count}</span>}
            <span className="mono faint">frame {finding.seq}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
