// Whose tools are shown, where several servers are connected: one is in focus, and a press puts another one there.
import { useSelect, useStopgap } from '../../context';
import { STATE_WORDS } from './words';
import './servers.css';

export function Whose() {
  const { actions } = useStopgap();
  const servers = useSelect((state) => state.servers);
  const focused = useSelect((state) => state.status.connection);
  if (servers.length < 2) return null;
  return (
    <fieldset className="whose">
      <legend className="visually-hidden">Server whose tools are shown</legend>
      {servers.map(({ connection, title, command, state }) => (
        <button
          key={connection}
          type="button"
          className="whose-server"
          aria-pressed={connection === focused}
          title={command}
          onClick={() => actions.focusOn(connection)}
        >
          <span className="dot" data-state={state} role="img" aria-label={STATE_WORDS[state]} />
          <span className="clip">{title}</span>
        </button>
      ))}
    </fieldset>
  );
}
