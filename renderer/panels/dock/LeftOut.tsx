// What the timeline's filter leaves out, in the lists as well: one chip for each value, a press takes it in again.
import { X } from 'lucide-react';
import { useStopgap } from '../../context';
import { FACETS, toggled } from '../../timeline/facets';
import { useView } from '../../timeline/view';

/** More would push the tabs away. */
const MOST = 3;

export function LeftOut() {
  const { timeline } = useStopgap();
  const facets = useView(timeline.view, (viewport) => viewport.facets);
  const all = FACETS.flatMap((facet) => [...facets[facet]].map((value) => ({ facet, value })));
  if (all.length === 0) return null;
  return (
    <fieldset className="left-out">
      <legend className="visually-hidden">Left out by the filter</legend>
      {all.slice(0, MOST).map(({ facet, value }) => (
        <button
          key={`${facet} ${value}`}
          type="button"
          className="left-out-chip"
          title={`${value} is left out; show it again`}
          aria-label={`Show ${value} again`}
          onClick={() => timeline.view.set({ facets: toggled(timeline.view.get().facets, facet, value) })}
        >
          <s className="clip">{value}</s>
          <X size={11} aria-hidden />
        </button>
      ))}
      {all.length > MOST && <span className="faint">and {all.length - MOST} more</span>}
    </fieldset>
  );
}
