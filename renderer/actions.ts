// Everything that a person can make happen, in one place: commands, buttons and menus call these, nothing else calls the
// host. An answer that a person should read becomes a line at the edge of the window; a refusal is shown in the host's
// own words, which say what was expected, what was seen and what to try.
import type { Params, Request, Results, ServerSpec, Settings, Tool, ToolSetup } from '../app/contract/host';
import type { ShellBridge } from '../app/contract/shell';
import type { Means, Seq } from '../app/wire/frame';
import type { Feed } from './feed';
import { type InFlight, stopTarget } from './inFlight';
import { defaultsOf } from './panels/tools/validator';
import type { Dialog, Draft, State, Store, Tab } from './store/state';
import { toast } from './store/wire';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The draft of a tool: what is half typed, else what was used last, else what the schema and the tool's setup propose. */
export function draftOf(state: State, tool: Tool): Draft {
  const known = state.drafts[tool.name];
  if (known) return known;
  const setup: Partial<ToolSetup> = state.status.setups[tool.name] ?? {};
  const used = state.settings.history[state.status.key]?.[tool.name]?.[0];
  return {
    arguments: used ?? defaultsOf(tool.inputSchema),
    stopAfterMs: setup.stopAfterMs,
    normallyMs: setup.normallyMs,
    settleMs: setup.settleMs,
    probes: setup.probes ?? [],
  };
}

export const currentTool = (state: State): Tool | undefined => state.status.tools.find((tool) => tool.name === state.tool);

export type Actions = ReturnType<typeof createActions>;

export function createActions(feed: Feed, store: Store, shell: ShellBridge, flight: InFlight) {
  /** Asks, and shows a refusal. @returns undefined when refused */
  async function ask<R extends Request>(request: R, params: Params<R>): Promise<Results[R] | undefined> {
    try {
      return await feed.request(request, params);
    } catch (error) {
      toast(store, 'error', messageOf(error));
      return undefined;
    }
  }

  const connect = async (spec: ServerSpec): Promise<boolean> => {
    store.setState({ startingSince: performance.now() });
    return (await ask('server.connect', { spec })) !== undefined;
  };

  async function callTool(tool: Tool): Promise<void> {
    const draft = draftOf(store.getState(), tool);
    const { reason } = store.getState();
    await remember(tool, draft);
    const call = await ask('tool.call', {
      tool: tool.name,
      arguments: { ...draft.arguments },
      probes: [...draft.probes],
      ...(draft.normallyMs === undefined ? {} : { normallyMs: draft.normallyMs }),
      ...(draft.stopAfterMs === undefined ? {} : { stopAfterMs: draft.stopAfterMs }),
      ...(draft.stopAfterMs === undefined || reason === '' ? {} : { stopReason: reason }),
      ...(draft.settleMs === undefined ? {} : { settleMs: draft.settleMs }),
    });
    if (call) store.setState({ call: call.call, frame: undefined });
  }

  /** Keeps a tool's arrangement when it has changed. */
  async function remember(tool: Tool, draft: Draft): Promise<void> {
    const known = store.getState().status.setups[tool.name];
    const same =
      (known?.stopAfterMs ?? undefined) === draft.stopAfterMs &&
      (known?.normallyMs ?? undefined) === draft.normallyMs &&
      JSON.stringify(known?.probes ?? []) === JSON.stringify(draft.probes);
    if (!same) await setup(tool.name, draft);
  }

  const setup = async (
    tool: string,
    change: Partial<Omit<ToolSetup, 'probes'>> & { readonly probes?: readonly string[] },
  ): Promise<void> => {
    const known: Partial<ToolSetup> = store.getState().status.setups[tool] ?? {};
    const { probes = known.probes ?? [], hintDismissed = known.hintDismissed, settleMs = known.settleMs } = change;
    const stopAfterMs = 'stopAfterMs' in change ? change.stopAfterMs : known.stopAfterMs;
    const normallyMs = 'normallyMs' in change ? change.normallyMs : known.normallyMs;
    await ask('tool.setup', {
      tool,
      setup: {
        probes: [...probes],
        ...(stopAfterMs === undefined ? {} : { stopAfterMs }),
        ...(normallyMs === undefined ? {} : { normallyMs }),
        ...(settleMs === undefined ? {} : { settleMs }),
        ...(hintDismissed === undefined ? {} : { hintDismissed }),
      },
    });
  };

  /** Presses Stop. The press goes to the host even when the reply is here already: only the host can say what was first. */
  async function stop(call: number, how: Means = { means: 'cancel' }): Promise<void> {
    const { reason } = store.getState();
    store.setState({ call, frame: undefined });
    const stopped = await ask('call.stop', { call, how, ...(reason === '' ? {} : { reason }) });
    if (stopped && stopped.outcome !== 'sent') toast(store, stopped.outcome === 'undelivered' ? 'warn' : 'info', stopped.says);
  }

  /** @returns whether there was anything to press Stop for */
  function stopNewest(): boolean {
    const target = stopTarget(flight.update(feed.calls, performance.now()), store.getState().call);
    if (target) void stop(target.call.index);
    return target !== undefined;
  }

  async function stopAll(how: Means = { means: 'cancel' }): Promise<void> {
    const { reason } = store.getState();
    const answer = await ask('call.stop-all', { how, ...(reason === '' ? {} : { reason }) });
    if (!answer) return;
    const other = answer.stopped.filter(({ outcome }) => outcome !== 'sent');
    if (answer.stopped.length === 0) toast(store, 'info', 'Nothing is in flight: nothing was sent.');
    for (const { says } of other.slice(0, 3)) toast(store, 'info', says);
  }

  const settings = (patch: Partial<Settings>): Promise<unknown> => {
    store.setState((state) => ({ settings: { ...state.settings, ...patch } }));
    return ask('settings.set', { patch });
  };

  async function openTrace(path?: string): Promise<void> {
    const chosen = path ?? (await shell.request('dialog.trace', {}));
    if (chosen !== undefined) await ask('trace.open', { path: chosen });
  }

  async function restartHost(): Promise<void> {
    try {
      await shell.request('host.restart', {});
    } catch (error) {
      toast(store, 'error', messageOf(error));
    }
  }

  return {
    ask,
    connect,
    reconnect: async (): Promise<void> => {
      const { status, settings: known } = store.getState();
      await connect(status.spec ?? known.lastServer ?? { kind: 'demo' });
    },
    restart: async (): Promise<void> => {
      await ask('server.restart', {});
    },
    disconnect: async (): Promise<void> => {
      await ask('server.disconnect', {});
    },
    callTool,
    setup,
    stop,
    stopNewest,
    stopAll,
    settings,
    openTrace,
    liveTrace: async (): Promise<void> => {
      await ask('trace.live', {});
    },
    showTrace: async (path: string): Promise<void> => {
      try {
        await shell.request('show.trace', { path });
      } catch (error) {
        toast(store, 'error', messageOf(error));
      }
    },
    restartHost,
    readProbes: async (call: number | undefined): Promise<void> => {
      if (await ask('probe.read', call === undefined ? {} : { call })) toast(store, 'info', 'Every probe was read once more.');
    },
    chooseFolder: (title: string, from?: string): Promise<string | undefined> =>
      shell.request('dialog.folder', { title, ...(from ? { from } : {}) }),
    selectCall: (call: number | undefined): void => store.setState({ call, frame: undefined }),
    selectFrame: (seq: Seq, call?: number): void => store.setState({ frame: seq, tab: 'wire', ...(call === undefined ? {} : { call }) }),
    showTab: (tab: Tab): void => store.setState({ tab }),
    openDialog: (dialog: Dialog): void => store.setState({ dialog, palette: false }),
    closeDialog: (): void => store.setState({ dialog: undefined }),
    say: (level: 'info' | 'warn' | 'error', text: string): void => toast(store, level, text),
    draft: (tool: Tool, change: Partial<Draft>): void =>
      store.setState((state) => ({ drafts: { ...state.drafts, [tool.name]: { ...draftOf(state, tool), ...change } } })),
    /** Copies text to the clipboard and says so. */
    copy: async (text: string, what: string): Promise<void> => {
      try {
        await navigator.clipboard.writeText(text);
        toast(store, 'info', `Copied ${what}.`);
      } catch (error) {
        toast(store, 'error', `The clipboard did not take ${what}: ${messageOf(error)}`);
      }
    },
  };
}
