// A piece of evidence leads to its frame.
import { useStopgap } from '../../context';

export function FrameLink({ seq, call }: { readonly seq: number; readonly call: number | undefined }) {
  const { feed, actions } = useStopgap();
  const word = feed.trace.kind(seq) === 'effect' ? 'obs.' : feed.trace.kind(seq) === 'act' ? 'act' : 'frame';
  return (
    <button type="button" className="link mono" onClick={() => actions.selectFrame(seq, call)} title="Show in the wire log">
      {word} {seq}
    </button>
  );
}
