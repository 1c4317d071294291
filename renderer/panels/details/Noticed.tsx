// What was noticed about the selected call beside its outcome: its findings, each with its frame, and the rule behind it where
// the name alone says little.

import { useStopgap } from '../../context';
import { FINDING_HINTS } from '../../findingWords';
import { SeveritySign } from '../../ui/signs';
import { FrameLink } from './FrameLink';

export function Noticed({ call }: { readonly call: number }) {
  const { feed } = useStopgap();
  const findings = feed.findings.filter((finding) => finding.call === call);
  if (findings.length === 0) return null;
  return (
    <section aria-label="Also noticed">
      <h3 className="heading">Also noticed</h3>
      <ul className="because noticed">
        {findings.map(({ finding, severity, seq, sentence, count }) => (
          <li key={`${finding} ${seq}`}>
            <FrameLink seq={seq} call={call} />
            <span>
              <SeveritySign severity={severity} /> {sentence}
              {count > 1 && <span className="faint"> × {count}</span>}
              {FINDING_HINTS[finding] !== undefined && <small className="hint">{FINDING_HINTS[finding]}</small>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
