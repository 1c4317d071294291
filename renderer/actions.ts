// Everything that a person can make happen, in one place: commands, buttons and menus call these, nothing else calls the
// host. An answer that a person should read becomes a line at the edge of the window; a refusal is shown in the host's
// own words, which say what was expected, what was seen and what to try.
import {
  type ConnectionNumber,
  NO_SERVER,
  type Params,
  type Request,
  type Results,
  type ServerStatus,
  type Settings,
  type Tool,
  type ToolSetup,
} from '../app/contract/host';
import type { ServerSpec } from '../app/contract/server';
import type { ShellBridge } from '../app/contract/shell';
import type { FaultRule } from '../app/scenario/faults';
import type { Call } from '../app/trace/calls';
import type { Means, Seq } from '../app/wire/frame';
import type { Feed } from './feed';
import { type InFlight, stopTarget } from './inFlight';
import { labActions } from './lab';
import { titleOf } from './panels/servers/words';
import { defaultsOf } from './panels/tools/validator';
import { serverOf } from './servers';
import type { Dialog, Draft, State, Store, Tab, TaskList } from './store/state';
import { aboutServers, toast } from './store/wire';
import { runsAsTask } from './tools';

/** A refusal in its own words. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

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
    task: undefined,
    ttlMs: undefined,
  };
}

/** The wish for a task, as a call takes it; nothing where the tool decides by itself. */
function taskOf(tool: Tool, { task, ttlMs }: Draft): Pick<Params<'tool.call'>, 'task'> {
  if (runsAsTask(tool, task) && ttlMs !== undefined) return { task: { ttlMs } };
  return task === undefined ? {} : { task };
}

export const currentTool = (state: State): Tool | undefined => state.status.tools.find((tool) => tool.name === state.tool);

/** `undefined` takes away what was set. */
type Changed<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** Resolves when a call has its reply, or can have none any more. */
function replied(feed: Feed, call: number): Promise<void> {
  const done = (): boolean => {
    const { all, sessions } = feed.calls;
    const sent = all[call];
    return sent !== undefined && (sent.replies.length > 0 || (sessions.get(sent.session)?.ends.length ?? 0) > 0);
  };
  return new Promise((resolve) => {
    const look = (): void => {
      if (!done()) return;
      off();
      resolve();
    };
    const off = feed.subscribe(look);
    look();
  });
}

/** Without what is undefined: a key that is there with no value is another thing. */
function defined<T extends object>(of: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

const UNASKED: TaskList = { asking: false, at: undefined, tasks: undefined, says: undefined, why: undefined };

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

  const focused = (): ConnectionNumber => store.getState().status.connection;

  /** Where a call was made; refuses when nobody can say. */
  function connectionOf(call: Call): ConnectionNumber | undefined {
    const server = serverOf(store.getState(), call);
    if (!server) toast(store, 'error', 'The server of this call is not connected any more. Connect it again, and call it anew.');
    return server?.connection;
  }

  /** The server in focus; what was half typed for the other one is kept. */
  const focusOn = (focus: ConnectionNumber): void =>
    store.setState((state) => ({ focus, ...aboutServers({ ...state, focus }, state.servers) }));

  /** Connects in the place of the server in focus, or beside it. A command that nobody has said yes to is shown first. */
  const connect = (spec: ServerSpec, beside = false): Promise<boolean> => {
    const instead = focused();
    return connectAs({ spec, ...(beside || instead === NO_SERVER.connection ? {} : { instead }) });
  };

  /** @returns whether it is being connected; not yet where its command has to be agreed to */
  const connectAs = async (how: Params<'server.connect'>): Promise<boolean> => {
    store.setState({ startingSince: performance.now() });
    const answer = await ask('server.connect', how);
    if (!answer) return false;
    if ('connection' in answer) {
      focusOn(answer.connection);
      return true;
    }
    store.setState({ startingSince: undefined, dialog: { kind: 'approve', how, approval: answer.approval } });
    return false;
  };

  async function callTool(tool: Tool): Promise<void> {
    const draft = draftOf(store.getState(), tool);
    const { reason } = store.getState();
    await remember(tool, draft);
    const call = await ask('tool.call', {
      connection: focused(),
      tool: tool.name,
      arguments: { ...draft.arguments },
      probes: [...draft.probes],
      ...(draft.normallyMs === undefined ? {} : { normallyMs: draft.normallyMs }),
      ...(draft.stopAfterMs === undefined ? {} : { stopAfterMs: draft.stopAfterMs }),
      ...(draft.stopAfterMs === undefined || reason === '' ? {} : { stopReason: reason }),
      ...(draft.settleMs === undefined ? {} : { settleMs: draft.settleMs }),
      ...taskOf(tool, draft),
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
    change: Changed<Omit<ToolSetup, 'probes'>> & { readonly probes?: readonly string[] },
  ): Promise<void> => {
    const known: Partial<ToolSetup> = store.getState().status.setups[tool] ?? {};
    const { probes = known.probes ?? [], hintDismissed = known.hintDismissed, settleMs = known.settleMs } = change;
    const { example } = known;
    const undo = 'undo' in change ? change.undo : known.undo;
    const stopAfterMs = 'stopAfterMs' in change ? change.stopAfterMs : known.stopAfterMs;
    const normallyMs = 'normallyMs' in change ? change.normallyMs : known.normallyMs;
    await ask('tool.setup', {
      connection: focused(),
      tool,
      setup: {
        probes: [...probes],
        ...(stopAfterMs === undefined ? {} : { stopAfterMs }),
        ...(normallyMs === undefined ? {} : { normallyMs }),
        ...(settleMs === undefined ? {} : { settleMs }),
        ...(hintDismissed === undefined ? {} : { hintDismissed }),
        ...(example === undefined ? {} : { example }),
        ...(undo === undefined ? {} : { undo }),
      },
    });
  };

  /** Calls once more what a call was made with, as its retry. */
  async function retry(call: Call, change: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const used = await ask('call.arguments', { call: call.index });
    if (!used) return;
    const connection = connectionOf(call);
    if (connection === undefined) return;
    const { tool, arguments: args, probes, ...arranged } = used;
    const sent = await ask('tool.call', {
      connection,
      tool,
      arguments: { ...args, ...change },
      probes: [...probes],
      ...defined(arranged),
      retryOf: call.index,
    });
    if (sent) store.setState({ call: sent.call, frame: undefined });
  }

  /** Makes the call that is meant to take another's effect back, and has the same probes look once it is answered. */
  async function undoCall(
    call: Call,
    undo: { readonly tool: string; readonly arguments: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const connection = connectionOf(call);
    if (connection === undefined) return;
    const sent = await ask('tool.call', {
      connection,
      tool: undo.tool,
      arguments: { ...undo.arguments },
      probes: [...(call.arrangement?.probes ?? [])],
      undoOf: call.index,
    });
    if (!sent) return;
    store.setState({ call: call.index, frame: undefined });
    await replied(feed, sent.call);
    await ask('probe.read', { connection, call: call.index });
  }

  /** Reads the probes of a call, or all, once more, and says what they found. */
  async function readProbes(call: number | undefined): Promise<void> {
    const of = call === undefined ? undefined : feed.calls.all[call];
    const connection = of ? connectionOf(of) : focused();
    if (connection === undefined) return;
    const answer = await ask('probe.read', { connection, ...(call === undefined ? {} : { call }) });
    if (!answer) return;
    toast(store, 'info', answer.says);
    store.setState({ verified: { call, at: feed.now(), says: answer.says } });
  }

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

  /** Asks a server for its tasks: traffic that it sees, so nothing asks by itself. */
  async function listTasks(connection: ConnectionNumber): Promise<void> {
    const session = store.getState().servers.find((server) => server.connection === connection)?.session ?? 0;
    const set = (change: Partial<TaskList>): void =>
      store.setState(({ taskLists }) => ({ taskLists: { ...taskLists, [session]: { ...UNASKED, ...taskLists[session], ...change } } }));
    set({ asking: true });
    try {
      const { tasks, says } = await feed.request('tasks.list', { connection });
      set({ asking: false, at: Date.now(), tasks, says, why: undefined });
    } catch (error) {
      set({ asking: false, why: messageOf(error) });
    }
  }

  /** Sends `tasks/cancel`, says what became of it, and asks for the list anew. */
  async function cancelTask(connection: ConnectionNumber, task: string): Promise<void> {
    const answer = await ask('tasks.cancel', { connection, task });
    if (!answer) return;
    toast(store, answer.outcome === 'refused' || answer.outcome === 'undelivered' ? 'warn' : 'info', answer.says);
    await listTasks(connection);
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
    lab: labActions(ask, store, shell),
    connect,
    connectAs,
    /** Connects a server again, the one in focus when none is named. */
    reconnect: async (server: ServerStatus = store.getState().status): Promise<void> => {
      if (server.spec) await connectAs({ spec: server.spec });
      else await connect(store.getState().settings.lastServer ?? { kind: 'demo' });
    },
    restart: async (): Promise<void> => {
      await ask('server.restart', { connection: focused() });
    },
    disconnect: async (): Promise<void> => {
      await ask('server.disconnect', { connection: focused() });
    },
    /** Sends the browser to the page on which the server can be authorized, and waits for its answer. */
    authorize: async (connection = focused()): Promise<void> => {
      await ask('server.authorize', { connection });
    },
    /** Waits for the browser no more; `forget` also forgets what was granted. */
    unauthorize: async (forget: boolean, connection = focused()): Promise<void> => {
      await ask('server.unauthorize', { connection, forget });
    },
    focusOn,
    /** Puts the next server in focus, or the one before. */
    focusNext: (step: 1 | -1): void => {
      const { servers } = store.getState();
      const at = servers.findIndex(({ connection }) => connection === focused());
      const next = servers[(at + step + servers.length) % servers.length];
      if (next) focusOn(next.connection);
    },
    /** @returns the id under which it is saved; undefined when refused */
    save: async (spec: ServerSpec, like?: string): Promise<string | undefined> =>
      (await ask('server.save', { spec, ...(like === undefined ? {} : { like }) }))?.id,
    duplicate: async (spec: ServerSpec): Promise<void> => {
      if (spec.kind === 'demo') return;
      const { id, ...copy } = spec;
      await ask('server.save', { spec: { ...copy, title: `${titleOf(spec)}, copied` }, ...(id === undefined ? {} : { like: id }) });
    },
    forget: async (id: string): Promise<void> => {
      await ask('server.forget', { id });
    },
    /** Other faults on the server in focus; none turns them off. */
    setFaults: async (rules: readonly FaultRule[]): Promise<void> => {
      await ask('faults.set', { connection: focused(), rules: [...rules] });
    },
    /** Lets pass what faults hold: all of it, or one message. */
    releaseFaults: async (item?: number, connection = focused()): Promise<void> => {
      const answer = await ask('faults.release', { connection, ...(item === undefined ? {} : { items: [item] }) });
      if (answer?.released === 0) toast(store, 'info', 'Nothing was held any more.');
    },
    callTool,
    setup,
    stop,
    stopNewest,
    stopAll,
    listTasks,
    cancelTask,
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
    readProbes,
    retry,
    undoCall,
    chooseConfig: (as: 'open' | 'save', from?: string): Promise<string | undefined> =>
      shell.request('dialog.config', { as, ...(from ? { from } : {}) }),
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
