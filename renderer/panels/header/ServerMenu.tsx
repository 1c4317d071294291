// The server menu: which servers are connected and which one is in focus, the demo, saved and recent servers, and what can be
// done with the server in focus.
import { ChevronDown } from 'lucide-react';
import { demoTitle, type ServerSpec, serverKey } from '../../../app/contract/server';
import { MODERN } from '../../../app/wire/era';
import { DEMO_WIRES, type DemoWire } from '../../../app/wire/frame';
import { useKeyText, useSelect, useStopgap } from '../../context';
import { Menu, MenuChoice, MenuGroup, MenuItem, MenuLine, MenuMore } from '../../ui/Menu';
import { lineOf, STATE_WORDS, titleOf } from '../servers/words';

/** How the same Stop differs over each wire (docs/demo.md). */
const WIRE_HINTS: Readonly<Record<DemoWire, string>> = {
  http: 'With sessions: a cancel reaches its call, a dropped connection does not',
  'http-json': 'The response of a call that stopped never begins',
  'http-stateless': 'A cancel is accepted, and reaches nobody',
  sse: 'The older transport: everything comes on one stream',
};

/** The servers that are connected, where they are several: a press puts one in focus. */
function Connected() {
  const { actions } = useStopgap();
  const servers = useSelect((state) => state.servers);
  const focused = useSelect((state) => state.status.connection);
  const next = useKeyText('server.next');
  if (servers.length < 2) return null;
  return (
    <>
      <MenuChoice
        label={next === undefined ? 'In focus' : `In focus (next: ${next})`}
        value={String(focused)}
        choices={servers.map(({ connection, title, state }) => ({
          value: String(connection),
          label: state === 'connected' ? title : `${title}: ${STATE_WORDS[state]}`,
        }))}
        onChoose={(connection) => actions.focusOn(Number(connection))}
      />
      <MenuLine />
    </>
  );
}

/** Whatever can be connected to, in the place of the server in focus or beside it. */
function Targets({ beside }: { readonly beside: boolean }) {
  const { actions } = useStopgap();
  const saved = useSelect((state) => state.settings.savedServers);
  const recent = useSelect((state) => state.settings.recentServers);
  const known = new Set(saved.map(serverKey));
  const connect = (spec: ServerSpec): void => void actions.connect(spec, beside);
  return (
    <>
      <MenuItem onPress={() => connect({ kind: 'demo' })} hint="Ten tools, each showing one truth about cancelling">
        Demo server
      </MenuItem>
      <MenuMore label={`Demo server in ${MODERN}`}>
        <MenuItem onPress={() => connect({ kind: 'demo', protocol: MODERN })} hint="Without a handshake; Stop is a message as before">
          {demoTitle(undefined)}
        </MenuItem>
        <MenuItem
          onPress={() => connect({ kind: 'demo', over: 'http', protocol: MODERN })}
          hint="Stop closes the response stream, which is the cancel here"
        >
          {demoTitle('http')}
        </MenuItem>
      </MenuMore>
      <MenuMore label="Demo server over HTTP">
        {DEMO_WIRES.map((over) => (
          <MenuItem key={over} onPress={() => connect({ kind: 'demo', over })} hint={WIRE_HINTS[over]}>
            {demoTitle(over)}
          </MenuItem>
        ))}
      </MenuMore>
      {[...saved, ...recent.filter((spec) => spec.kind !== 'demo' && !known.has(serverKey(spec)))].map((spec) => (
        <MenuItem key={serverKey(spec)} onPress={() => connect(spec)} {...(titleOf(spec) === lineOf(spec) ? {} : { hint: lineOf(spec) })}>
          {titleOf(spec)}
        </MenuItem>
      ))}
    </>
  );
}

/** Changes the list of saved servers; what runs goes on. */
function Saved() {
  const { actions } = useStopgap();
  const saved = useSelect((state) => state.settings.savedServers);
  if (saved.length === 0) return null;
  return (
    <MenuMore label="Saved servers">
      {saved.map((spec) => (
        <SavedServer
          key={serverKey(spec)}
          spec={spec}
          onChange={() => actions.openDialog({ kind: 'connect', edit: spec })}
          onCopy={() => void actions.duplicate(spec)}
          onRemove={() => void actions.forget(serverKey(spec))}
        />
      ))}
    </MenuMore>
  );
}

interface SavedProps {
  readonly spec: ServerSpec;
  readonly onChange: () => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}

const SavedServer = ({ spec, onChange, onCopy, onRemove }: SavedProps) => (
  <MenuMore label={titleOf(spec)}>
    <MenuItem onPress={onChange} hint="Its title, its command or address, its secrets">
      Rename or change…
    </MenuItem>
    <MenuItem onPress={onCopy} hint="With the same secrets, probes and arrangements">
      Duplicate
    </MenuItem>
    <MenuItem onPress={onRemove} hint="With its secrets, probes and arrangements">
      Remove from the list
    </MenuItem>
  </MenuMore>
);

/** What can be done with the server in focus. */
function InFocus() {
  const { actions } = useStopgap();
  const { state, spec, title } = useSelect((all) => all.status);
  const several = useSelect((all) => all.servers.length > 1);
  const hint = several ? { hint: title } : {};
  const unsaved = spec !== undefined && spec.kind !== 'demo' && spec.id === undefined;
  return (
    <>
      <MenuItem
        onPress={() => void actions.reconnect()}
        disabled={spec === undefined || state === 'connected' || state === 'starting'}
        {...hint}
      >
        Reconnect
      </MenuItem>
      <MenuItem
        onPress={() => void actions.restart()}
        disabled={state !== 'connected'}
        hint={several ? title : 'Ends the process and starts it anew'}
      >
        Restart
      </MenuItem>
      <MenuItem onPress={() => void actions.disconnect()} disabled={state === 'none' || state === 'closing'} {...hint}>
        Disconnect
      </MenuItem>
      <MenuItem
        onPress={() => actions.openDialog({ kind: 'check' })}
        disabled={state !== 'connected'}
        hint="What does cancelling do, tool by tool?"
      >
        Report card…
      </MenuItem>
      {unsaved && (
        <MenuItem onPress={() => void actions.save(spec)} hint="Under its title; its secrets are kept with it">
          Save in the list of servers
        </MenuItem>
      )}
    </>
  );
}

/** What can be done about the authorization of the server in focus. */
function Auth() {
  const { actions } = useStopgap();
  const auth = useSelect((all) => all.status.auth);
  switch (auth?.state) {
    case undefined:
      return null;
    case 'needed':
    case 'failed':
      return <MenuItem onPress={() => void actions.authorize()}>Authorize in the browser</MenuItem>;
    case 'waiting':
      return <MenuItem onPress={() => void actions.unauthorize(false)}>Give up the authorization</MenuItem>;
    case 'granted':
      return (
        <MenuItem onPress={() => void actions.unauthorize(true)} hint="The tokens, and the registration as a client">
          Forget the authorization
        </MenuItem>
      );
  }
}

export function ServerMenu() {
  const { actions } = useStopgap();
  const { state, title, command } = useSelect((all) => all.status);
  const others = useSelect((all) => all.servers.length - 1);
  return (
    <Menu
      trigger={
        <button type="button" className="button server-button" id="server-menu">
          <span className="dot" data-state={state} role="img" aria-label={STATE_WORDS[state]} />
          <b className="clip">{title || (state === 'none' ? 'No server' : command)}</b>
          {others > 0 && <span className="faint">and {others} more</span>}
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      <Connected />
      <MenuGroup label="Connect to">
        <Targets beside={false} />
        <MenuItem onPress={() => actions.openDialog({ kind: 'connect' })} hint="A command line, or an address">
          Another server…
        </MenuItem>
      </MenuGroup>
      {state !== 'none' && (
        <MenuMore label={`Connect beside ${title}`}>
          <Targets beside />
        </MenuMore>
      )}
      <Saved />
      <MenuLine />
      <InFocus />
      <Auth />
      <MenuLine />
      <MenuItem onPress={() => actions.openDialog({ kind: 'import' })} hint="Servers that other clients know">
        Import servers…
      </MenuItem>
      <MenuItem onPress={() => actions.openDialog({ kind: 'export' })}>Export servers…</MenuItem>
      <MenuItem onPress={() => actions.openDialog({ kind: 'roots' })}>Roots…</MenuItem>
      <MenuItem onPress={() => void actions.openTrace()}>Open trace file…</MenuItem>
    </Menu>
  );
}
