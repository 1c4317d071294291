// Retries and undos: what this call repeats, what repeats it, and whether what it did has been taken back.
import { unreachable } from '../../../app/base/unreachable';
import type { Call } from '../../../app/trace/calls';
import type { Verdict } from '../../../app/verdict/verdict';
import { idText } from '../../../app/wire/jsonrpc';
import { useStopgap } from '../../context';
import { SeveritySign } from '../../ui/signs';
import { FrameLink } from './FrameLink';
import { sequelsOf, subjectOf, type UndoOutcome, undoOutcome } from './relations';
import { headlineText } from './words';

function CallLink({ call }: { readonly call: Call }) {
  const { actions, timeline } = useStopgap();
  const show = (): void => {
    actions.selectCall(call.index);
    timeline.reveal(call.index);
  };
  return (
    <button type="button" className="link" onClick={show}>
      {call.tool ?? call.method} {idText(call.key)}
    </button>
  );
}

/** Said of the retry, from the call that it repeats. */
function Retry({ retry }: { readonly retry: Call }) {
  const { feed } = useStopgap();
  const verdict = feed.verdict(retry.index);
  return (
    <li>
      {verdict && <SeveritySign severity={verdict.severity} />}
      <span>
        {verdict?.verdict === 'double-write' ? (
          <>
            Its retry <CallLink call={retry} /> wrote a second time: <b className="related-breach">double write</b>.
          </>
        ) : (
          <>
            Its retry is <CallLink call={retry} />: {verdict ? headlineText(verdict.verdict) : 'not judged yet'}.
          </>
        )}
      </span>
    </li>
  );
}

const list = (probes: readonly string[]): string => probes.join(', ');

function OutcomeText({ outcome, undo }: { readonly outcome: UndoOutcome; readonly undo: Call }) {
  switch (outcome.state) {
    case 'waiting':
      return <>waiting for its answer; then the probes look again.</>;
    case 'nothing-seen':
      return <>no probe had seen an effect of this call, so nothing can confirm that it is gone.</>;
    case 'confirmed':
      return (
        <>
          <b className="related-good">confirmed by {list(outcome.probes)}: taken back</b>,{' '}
          {outcome.seqs.map((seq) => (
            <FrameLink key={seq} seq={seq} call={undo.index} />
          ))}
        </>
      );
    case 'refuted':
      return (
        <b className="related-warning">
          not confirmed: {list(outcome.probes)} still {outcome.probes.length === 1 ? 'sees' : 'see'} it.
        </b>
      );
    case 'not-looked':
      return <>answered; {list(outcome.probes)} has not looked since. Verify now.</>;
    default:
      return unreachable(outcome);
  }
}

export function Related({ call, verdict }: { readonly call: Call; readonly verdict: Verdict }) {
  const { feed } = useStopgap();
  const repeats = subjectOf(feed.calls, call, 'retryOf');
  const takesBack = subjectOf(feed.calls, call, 'undoOf');
  const retries = sequelsOf(feed.calls, call, 'retryOf');
  const undos = sequelsOf(feed.calls, call, 'undoOf');
  if (!repeats && !takesBack && retries.length === 0 && undos.length === 0) return null;
  return (
    <section>
      <h3 className="heading">Retries and undo</h3>
      <ul className="related" aria-live="polite">
        {repeats && (
          <li>
            <span>
              It repeats <CallLink call={repeats} />.
            </span>
          </li>
        )}
        {takesBack && (
          <li>
            <span>
              It is meant to take back <CallLink call={takesBack} />; whether it did is said there.
            </span>
          </li>
        )}
        {retries.map((retry) => (
          <Retry key={retry.index} retry={retry} />
        ))}
        {undos.map((undo) => (
          <li key={undo.index}>
            <span>
              Undo by <CallLink call={undo} />: <OutcomeText outcome={undoOutcome(verdict, undo, feed.world)} undo={undo} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
