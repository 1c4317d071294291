// That faults are on, across the whole window and as long as they are: nobody may take for the server's doing what is ours.
import type { HeldMessage } from '../../../app/contract/faults';
import type { ServerStatus } from '../../../app/contract/host';
import { ruleName } from '../../../app/scenario/faults';
import { useKeyText, useSelect, useStopgap } from '../../context';
import { Kbd } from '../../ui/signs';
import './faults.css';

/** `the reply to tools/call #7` */
export function heldText({ what, method, tool, id }: HeldMessage): string {
  const about = [tool ?? method, id].filter((part) => part !== undefined && part !== '').join(' ');
  switch (what) {
    case 'request':
      return `the request ${about}`;
    case 'reply':
      return `the reply to ${about}`;
    case 'cancel':
      return `the cancel of ${about}`;
    case 'notification':
      return method;
  }
}

const MOST = 6;

function OfServer({ server }: { readonly server: ServerStatus }) {
  const { actions } = useStopgap();
  const several = useSelect(({ servers }) => servers.length > 1);
  const key = useKeyText('fault.release');
  const { rules, held, heldCount } = server.faults;
  const { connection } = server;
  return (
    <section className="banner faults-on" aria-label="Faults">
      <div className="grow selectable" role="status">
        <b>Faults are on{several ? ` for ${server.title}` : ''}:</b> {rules.map(ruleName).join('; ')}. What they do is ours, and is marked
        so.
        {held.length > 0 && (
          <ul className="faults-held" aria-label="Held messages">
            {held.slice(0, MOST).map((one) => (
              <li key={one.item}>
                held: {heldText(one)}
                <button type="button" className="button small" onClick={() => void actions.releaseFaults(one.item, connection)}>
                  Let go
                </button>
              </li>
            ))}
            {heldCount > MOST && <li>and {heldCount - MOST} more</li>}
          </ul>
        )}
      </div>
      {held.length > 0 && (
        <button type="button" className="button go" onClick={() => void actions.releaseFaults(undefined, connection)}>
          Let go of {heldCount === 1 ? 'it' : `all ${heldCount}`} <Kbd keys={key} />
        </button>
      )}
      <button type="button" className="button" onClick={() => void actions.ask('faults.set', { connection, rules: [] })}>
        Turn off
      </button>
    </section>
  );
}

export function FaultsOn() {
  const servers = useSelect((state) => state.servers);
  return servers.filter(({ faults }) => faults.rules.length > 0).map((server) => <OfServer key={server.connection} server={server} />);
}
