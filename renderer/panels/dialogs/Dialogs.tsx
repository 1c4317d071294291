// The one dialog that is open, if one is.
import { unreachable } from '../../../app/base/unreachable';
import { useSelect } from '../../context';
import { CancelIdDialog } from './CancelIdDialog';
import { CommandLineDialog } from './CommandLineDialog';
import { HelpDialog } from './HelpDialog';
import { ProbeDialog } from './ProbeDialog';
import { RootsDialog } from './RootsDialog';

export function Dialogs() {
  const dialog = useSelect((state) => state.dialog);
  if (!dialog) return null;
  switch (dialog.kind) {
    case 'command-line':
      return <CommandLineDialog />;
    case 'roots':
      return <RootsDialog />;
    case 'probe':
      return <ProbeDialog tool={dialog.tool} />;
    case 'cancel-id':
      return <CancelIdDialog call={dialog.call} />;
    case 'help':
      return <HelpDialog />;
    default:
      return unreachable(dialog);
  }
}
