// What a person just did, as a scenario: which of the calls are to be in it.
import { useState } from 'react';
import type { Call } from '../../../app/trace/calls';
import { idText } from '../../../app/wire/jsonrpc';
import { useSelect, useStopgap, useVersion } from '../../context';
import { isToolCall } from '../../inFlight';
import { Check } from '../../ui/Check';
import { Dialog } from '../../ui/Dialog';
import { SeveritySign } from '../../ui/signs';
import { headlineText } from '../details/words';

const AT_FIRST = 10;

/** The calls of servers that are still described: of others it is not known how they were started. */
function useCalls(): readonly Call[] {
  const { feed } = useStopgap();
  const servers = useSelect((state) => state.servers);
  useVersion(500);
  const sessions = new Set(servers.flatMap((server) => server.sessions));
  return feed.calls.all.filter((call) => isToolCall(call) && sessions.has(call.session));
}

/** The selected call and those that repeat it; else the newest of the server in focus. */
function atFirst(calls: readonly Call[], selected: number | undefined, sessions: readonly number[]): readonly number[] {
  const chosen = calls.find(({ index }) => index === selected);
  if (chosen) {
    const retries = calls.filter(
      (call) => call.session === chosen.session && call.index > chosen.index && call.arrangement?.retryOf !== undefined,
    );
    return [chosen, ...retries].map(({ index }) => index);
  }
  return calls
    .filter((call) => sessions.includes(call.session))
    .slice(-AT_FIRST)
    .map(({ index }) => index);
}

export function RecordDialog() {
  const { actions, feed } = useStopgap();
  const calls = useCalls();
  const selected = useSelect((state) => state.call);
  const sessions = useSelect((state) => state.status.sessions);
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() => new Set(atFirst(calls, selected, sessions)));
  const choose = (index: number, on: boolean): void =>
    setChosen((before) => new Set(on ? [...before, index] : [...before].filter((other) => other !== index)));
  const go = async (): Promise<void> => {
    if (await actions.lab.record([...chosen])) actions.closeDialog();
  };
  return (
    <Dialog
      title="What you did, as a scenario"
      description="The calls with their arguments, the stops at their moments, and what was seen as what is expected. Values of secrets are not written into it."
      onClose={actions.closeDialog}
    >
      {calls.length === 0 ? (
        <p className="hint">Nothing was called on a server that is still connected.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
        <ul className="lab-calls" aria-label="Calls" tabIndex={0}>
          {calls.map((call) => {
            const verdict = feed.verdict(call.index);
            return (
              <li key={call.index}>
                <Check checked={chosen.has(call.index)} onChange={(on) => choose(call.index, on)}>
                  {verdict && <SeveritySign severity={verdict.severity} />}
                  <span className="clip">
                    {call.tool} {idText(call.key)}
                  </span>
                  <span className="soft clip">{verdict && headlineText(verdict.verdict)}</span>
                </Check>
              </li>
            );
          })}
        </ul>
      )}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={actions.closeDialog}>
          Cancel
        </button>
        <button type="button" className="button go" disabled={chosen.size === 0} onClick={() => void go()}>
          Make a scenario
        </button>
      </div>
    </Dialog>
  );
}
