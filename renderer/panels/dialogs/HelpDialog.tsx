// Keys and marks: the table of commands as people read it, and the grammar of the timeline.
import { GROUPS, keyText } from '../../commands';
import { useKeymap, useStopgap } from '../../context';
import { Legend } from '../../timeline/Legend';
import { Dialog } from '../../ui/Dialog';

export function HelpDialog() {
  const { actions, shell } = useStopgap();
  const mac = shell.platform === 'darwin';
  const commands = useKeymap();
  return (
    <Dialog title="Keys and marks" wide onClose={actions.closeDialog}>
      <div className="help-grid">
        {GROUPS.map((group) => {
          const keyed = commands.filter((command) => command.group === group && command.keys.length > 0);
          return keyed.length === 0 ? null : (
            <section key={group}>
              <h3>{group}</h3>
              {keyed.map((command) => (
                <div key={command.id} className="help-row">
                  <span>{command.title}</span>
                  <kbd>{keyText(command, mac)}</kbd>
                </div>
              ))}
            </section>
          );
        })}
      </div>
      <div>
        <button type="button" className="button" onClick={() => actions.openDialog({ kind: 'keys' })}>
          Change keys…
        </button>
      </div>
      <section className="help-legend">
        <h3>Marks of the timeline</h3>
        <Legend />
      </section>
      <p className="hint">
        The filter looks for all of its words in the whole trace: in names, ids and verdicts, and in the raw text of every frame. Beside it
        stands how many frames have been searched. What was found is marked on the timeline’s axis; the wire log shows just that.
      </p>
      <p className="hint">
        Scenarios, in the left column: lessons on the demo server, your own files, what you did as a file. Each runs in this recording, on a
        server of its own. A sweep (in a tool’s form, under More) presses Stop at one moment after the other, to find the one from which it
        comes too late.
      </p>
      <p className="hint">
        Faults, behind the plug at the top right, disturb messages on purpose: what they do is marked as ours, never laid to the server.
        What they hold is let go in the line across the window, or by its key.
      </p>
      <p className="hint">
        Escape goes to the innermost open layer: palette, dialog, menu, filter. With none open it presses Stop for the selected call in
        flight, else for the newest; with nothing in flight it puts away the selection and the filter.
      </p>
    </Dialog>
  );
}
