// The address of a listening probe, whenever somebody wants it again.
import { useSelect, useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';
import { Addresses } from './Addresses';

export function AddressDialog({ probe: name }: { readonly probe: string }) {
  const { actions } = useStopgap();
  const probe = useSelect((state) => state.status.probes.find(({ spec }) => spec.name === name));
  return (
    <Dialog title={`Address of ${name}`} onClose={actions.closeDialog}>
      {probe ? <Addresses probe={probe} /> : <p className="soft">The probe is gone.</p>}
      <div className="dialog-actions">
        <button type="button" className="button go" onClick={actions.closeDialog}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
