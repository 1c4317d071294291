// How servers and their states are called in the window.
import { unreachable } from '../../../app/base/unreachable';
import type { ServerState, ServerStatus } from '../../../app/contract/host';
import { demoTitle, demoWord, type ServerSpec } from '../../../app/contract/server';

export const STATE_WORDS: Readonly<Record<ServerState, string>> = {
  none: 'no server',
  starting: 'starting',
  connected: 'connected',
  closing: 'closing',
  failed: 'did not connect',
  ended: 'ended',
};

/** How a server that is over came to its end, as words behind its name. */
export function overText({ state, sessionLost }: ServerStatus): string {
  if (state === 'failed') return STATE_WORDS.failed;
  return sessionLost ? 'lost its session' : STATE_WORDS.ended;
}

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
