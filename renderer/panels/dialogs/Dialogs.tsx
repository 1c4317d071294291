// The one dialog that is open, if one is.
import { unreachable } from '../../../app/base/unreachable';
import { useSelect } from '../../context';
import { RetryDialog } from '../again/RetryDialog';
import { UndoDialog } from '../again/UndoDialog';
import { UndoToolDialog } from '../again/UndoToolDialog';
import { CheckDialog } from '../check/CheckDialog';
import { ApproveDialog } from '../configs/ApproveDialog';
import { ExportDialog } from '../configs/ExportDialog';
import { ImportDialog } from '../configs/ImportDialog';
import { FaultDialog } from '../faults/FaultDialog';
import { ApproveRunDialog } from '../lab/ApproveRunDialog';
import { RecordDialog } from '../lab/RecordDialog';
import { SweepDialog } from '../lab/SweepDialog';
import { AddressDialog } from '../probes/AddressDialog';
import { ProbeDialog } from '../probes/ProbeDialog';
import { ConnectDialog } from '../servers/ConnectDialog';
import { CancelTaskDialog } from '../tasks/CancelTaskDialog';
import { CancelIdDialog } from './CancelIdDialog';
import { HelpDialog } from './HelpDialog';
import { KeysDialog } from './KeysDialog';
import { RootsDialog } from './RootsDialog';

export function Dialogs() {
  const dialog = useSelect((state) => state.dialog);
  if (!dialog) return null;
  switch (dialog.kind) {
    case 'connect':
      return <ConnectDialog edit={dialog.edit} />;
    case 'import':
      return <ImportDialog path={dialog.path} />;
    case 'export':
      return <ExportDialog />;
    case 'approve':
      return <ApproveDialog how={dialog.how} approval={dialog.approval} />;
    case 'approve-run':
      return <ApproveRunDialog how={dialog.how} approval={dialog.approval} />;
    case 'record':
      return <RecordDialog />;
    case 'sweep':
      return <SweepDialog tool={dialog.tool} />;
    case 'roots':
      return <RootsDialog />;
    case 'probe':
      return <ProbeDialog tool={dialog.tool} edit={dialog.edit} />;
    case 'probe-address':
      return <AddressDialog probe={dialog.probe} />;
    case 'retry':
      return <RetryDialog call={dialog.call} />;
    case 'undo':
      return <UndoDialog call={dialog.call} />;
    case 'undo-tool':
      return <UndoToolDialog tool={dialog.tool} />;
    case 'cancel-id':
      return <CancelIdDialog call={dialog.call} />;
    case 'fault':
      return <FaultDialog />;
    case 'cancel-task':
      return <CancelTaskDialog connection={dialog.connection} task={dialog.task} />;
    case 'check':
      return <CheckDialog />;
    case 'help':
      return <HelpDialog />;
    case 'keys':
      return <KeysDialog />;
    default:
      return unreachable(dialog);
  }
}
