// The palette: every command of the table, found by typing.
import { Dialog } from '@base-ui/react/dialog';
import { Command as Cmdk } from 'cmdk';
import { can, GROUPS, keyText } from '../commands';
import { useKeymap, useLayer, useSelect, useStopgap } from '../context';

export function Palette() {
  const stopgap = useStopgap();
  const commands = useKeymap();
  const open = useSelect((state) => state.palette);
  const close = (): void => stopgap.store.setState({ palette: false });
  useLayer(open, close);
  const mac = stopgap.shell.platform === 'darwin';
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label="Commands">
          <Cmdk label="Commands" loop>
            <Cmdk.Input placeholder="Type what you want to do" />
            <Cmdk.List>
              <Cmdk.Empty>No command has these words.</Cmdk.Empty>
              {GROUPS.map((group) => (
                <Cmdk.Group key={group} heading={group}>
                  {commands
                    .filter((command) => command.group === group && command.id !== 'palette')
                    .map((command) => (
                      <Cmdk.Item
                        key={command.id}
                        value={`${command.title} ${command.id}`}
                        disabled={!can(command, stopgap)}
                        onSelect={() => {
                          close();
                          command.run(stopgap);
                        }}
                      >
                        <span>{command.title}</span>
                        {command.keys.length > 0 && <kbd>{keyText(command, mac)}</kbd>}
                      </Cmdk.Item>
                    ))}
                </Cmdk.Group>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
