// Keys, changed: press Change, then the key. What is kept stands in the settings' file and can be edited there as well
// (docs/keys.md).
import { type KeyboardEvent, useState } from 'react';
import { COMMANDS, type Command, GROUPS, keyText } from '../../commands';
import { useKeymap, useSelect, useStopgap } from '../../context';
import { keysOf, ownerOf, remap, unmap } from '../../keymap';
import { Dialog } from '../../ui/Dialog';

interface RowProps {
  readonly command: Command;
  readonly changed: boolean;
  readonly waiting: boolean;
  readonly onWait: (waiting: boolean) => void;
  readonly onKeys: (keys: readonly string[] | undefined) => void;
}

function Row({ command, changed, waiting, onWait, onKeys }: RowProps) {
  const { shell } = useStopgap();
  const mac = shell.platform === 'darwin';
  const press = (event: KeyboardEvent): void => {
    if (!waiting || event.key === 'Tab') return;
    const keys = keysOf(event.nativeEvent, mac);
    event.preventDefault();
    event.stopPropagation();
    if (keys) onKeys(keys);
  };
  return (
    <div className="key-row">
      <span className="grow">{command.title}</span>
      {command.keys.length > 0 ? <kbd>{keyText(command, mac)}</kbd> : <span className="faint">no key</span>}
      <button
        type="button"
        className="button small"
        aria-pressed={waiting}
        aria-label={`${waiting ? 'Press a key…' : 'Change'}: ${command.title}`}
        onClick={() => onWait(!waiting)}
        onBlur={() => onWait(false)}
        onKeyDown={press}
      >
        {waiting ? 'Press a key…' : 'Change'}
      </button>
      <button
        type="button"
        className="button small quiet"
        disabled={!changed && command.keys.length === 0}
        aria-label={`${changed ? 'As it came' : 'None'}: ${command.title}`}
        onClick={() => onKeys(changed ? undefined : [])}
      >
        {changed ? 'As it came' : 'None'}
      </button>
    </div>
  );
}

export function KeysDialog() {
  const { actions } = useStopgap();
  const remapped = useSelect((state) => state.settings.keys);
  const commands = useKeymap();
  const [waiting, setWaiting] = useState<string | undefined>(undefined);
  const [says, setSays] = useState('');
  const save = (keys: Readonly<Record<string, readonly string[]>>): void =>
    void actions.settings({ keys: Object.fromEntries(Object.entries(keys).map(([id, list]) => [id, [...list]])) });
  const change = (command: Command, keys: readonly string[] | undefined): void => {
    setWaiting(undefined);
    if (!keys) {
      setSays('');
      save(unmap(remapped, command.id));
      return;
    }
    const [first] = keys;
    const loser = first === undefined ? undefined : ownerOf(first, remapped);
    setSays(loser && loser.id !== command.id ? `“${loser.title}” has lost that key.` : '');
    save(remap(remapped, command.id, keys));
  };
  return (
    <Dialog
      title="Keys"
      wide
      description="Kept in settings.json, where they can be edited too. Escape closes what is open, whatever it is set to."
      onClose={actions.closeDialog}
    >
      <p className="soft" role="status">
        {says}
      </p>
      <div className="key-list">
        {GROUPS.map((group) => (
          <section key={group} aria-label={group}>
            <h3 className="heading">{group}</h3>
            {commands
              .filter((command) => command.group === group)
              .map((command) => (
                <Row
                  key={command.id}
                  command={command}
                  changed={remapped[command.id] !== undefined}
                  waiting={waiting === command.id}
                  onWait={(on) => setWaiting((now) => (on ? command.id : now === command.id ? undefined : now))}
                  onKeys={(keys) => change(command, keys)}
                />
              ))}
          </section>
        ))}
      </div>
      <div className="dialog-actions">
        <button
          type="button"
          className="button quiet"
          disabled={!COMMANDS.some(({ id }) => remapped[id] !== undefined)}
          onClick={() => save({})}
        >
          All as they came
        </button>
        <span className="grow" />
        <button type="button" className="button go" onClick={actions.closeDialog}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
