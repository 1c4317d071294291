// Everything that is loaded after the window: see OnTop.
import { Palette } from '../../ui/Palette';
import { Dialogs } from './Dialogs';

export function OnTopParts() {
  return (
    <>
      <Dialogs />
      <Palette />
    </>
  );
}
