// The server menu: the demo, servers used before, a command line, and what can be done with the present connection.
import { ChevronDown } from 'lucide-react';
import { unreachable } from '../../../app/base/unreachable';
import type { ServerState } from '../../../app/contract/host';
import { demoTitle, demoWord, type ServerSpec } from '../../../app/contract/server';
import { DEMO_WIRES, type DemoWire } from '../../../app/wire/frame';
import { useSelect, useStopgap } from '../../context';
import { Menu, MenuGroup, MenuItem, MenuLine, MenuMore } from '../../ui/Menu';

const STATE_WORDS: Readonly<Record<ServerState, string>> = {
  none: 'no server',
  starting: 'starting',
  connected: 'connected',
  closing: 'closing',
  failed: 'did not connect',
  ended: 'ended',
};

/** How the same Stop differs over each wire (docs/demo.md). */
const WIRE_HINTS: Readonly<Record<DemoWire, string>> = {
  http: 'With sessions: a cancel reaches its call, a dropped connection does not',
  'http-json': 'The response of a call that stopped never begins',
  'http-stateless': 'A cancel is accepted, and reaches nobody',
  sse: 'The older transport: everything comes on one stream',
};

/** The command line or the address of a server. */
export function lineOf(spec: ServerSpec): string {
  switch (spec.kind) {
    case 'demo':
      return demoWord(spec.over);
    case 'stdio':
      return [spec.command, ...spec.args].join(' ');
    case 'http':
      return spec.url;
    default:
      return unreachable(spec);
  }
}

export const titleOf = (spec: ServerSpec): string => (spec.kind === 'demo' ? demoTitle(spec.over) : (spec.title ?? lineOf(spec)));

export function ServerMenu() {
  const { actions } = useStopgap();
  const status = useSelect((state) => state.status);
  const recent = useSelect((state) => state.settings.recentServers);
  const { state } = status;
  const title = status.title || (state === 'none' ? 'No server' : status.command);
  const known = status.spec !== undefined;
  return (
    <Menu
      trigger={
        <button type="button" className="button server-button" id="server-menu">
          <span className="dot" data-state={state} role="img" aria-label={STATE_WORDS[state]} />
          <b className="clip">{title}</b>
          <ChevronDown size={14} aria-hidden />
        </button>
      }
    >
      <MenuGroup label="Connect to">
        <MenuItem onPress={() => void actions.connect({ kind: 'demo' })} hint="Ten tools, each showing one truth about cancelling">
          Demo server
        </MenuItem>
        <MenuMore label="Demo server over HTTP">
          {DEMO_WIRES.map((over) => (
            <MenuItem key={over} onPress={() => void actions.connect({ kind: 'demo', over })} hint={WIRE_HINTS[over]}>
              {demoTitle(over)}
            </MenuItem>
          ))}
        </MenuMore>
        {recent
          .filter((spec) => spec.kind !== 'demo')
          .map((spec) => (
            <MenuItem
              key={lineOf(spec)}
              onPress={() => void actions.connect(spec)}
              {...(spec.kind === 'stdio' && spec.title ? { hint: lineOf(spec) } : {})}
            >
              {titleOf(spec)}
            </MenuItem>
          ))}
        <MenuItem onPress={() => actions.openDialog({ kind: 'command-line' })}>Command line…</MenuItem>
      </MenuGroup>
      <MenuLine />
      <MenuItem onPress={() => void actions.reconnect()} disabled={!known || state === 'connected' || state === 'starting'}>
        Reconnect
      </MenuItem>
      <MenuItem onPress={() => void actions.restart()} disabled={state !== 'connected'} hint="Ends the process and starts it anew">
        Restart
      </MenuItem>
      <MenuItem onPress={() => void actions.disconnect()} disabled={state !== 'connected' && state !== 'starting'}>
        Disconnect
      </MenuItem>
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
