// Keys and marks: the table of commands as people read it, and the grammar of the timeline.
import { COMMANDS, GROUPS, keyText } from '../../commands';
import { useStopgap } from '../../context';
import { Dialog } from '../../ui/Dialog';

const MARKS: readonly (readonly [string, string])[] = [
  ['upper band', 'what the client saw'],
  ['lower band', 'what the server is known to have done'],
  ['▼', 'a cancel was sent'],
  ['◷', 'the client’s patience ended'],
  ['▽', 'the client gave up and told nobody'],
  ['dashed outline', 'the client no longer waits'],
  ['hatch', 'not known'],
  ['◁', 'a late reply'],
  ['◇', 'an effect before the cancel'],
  ['◆', 'an effect after the cancel'],
  ['⬖', 'an effect, order unknown'],
  ['‖ ]', 'a ping and its pong: the server has read past the cancel'],
  ['] ✓', 'a probe saw no effect until here'],
  ['○', 'not probed'],
  ['solid, dashed, hatch', 'proved, inferred, unknown; everywhere'],
  ['· i △ ◆', 'plain news, note, warning, breach'],
];

export function HelpDialog() {
  const { actions, shell } = useStopgap();
  const mac = shell.platform === 'darwin';
  return (
    <Dialog title="Keys and marks" wide onClose={actions.closeDialog}>
      <div className="help-grid">
        {GROUPS.map((group) => {
          const keyed = COMMANDS.filter((command) => command.group === group && command.keys.length > 0);
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
        <section>
          <h3>Marks of the timeline</h3>
          {MARKS.map(([mark, says]) => (
            <div key={mark} className="help-row">
              <span>{says}</span>
              <b>{mark}</b>
            </div>
          ))}
        </section>
      </div>
      <p className="hint">
        Escape goes to the innermost open layer: palette, dialog, menu, filter. With none open it presses Stop for the selected call in
        flight, else for the newest; with nothing in flight it puts away the selection and the filter.
      </p>
    </Dialog>
  );
}
