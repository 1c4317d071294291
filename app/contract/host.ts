// What crosses between the window and the session host: one table of requests, one of events, their schemas beside them.
// Both sides' types derive from here. The window asks over a MessagePort; the host answers every request exactly once and
// pushes events on its own.
import { z } from 'zod';
import { type ProbeSpec, probeSpec } from '../evidence/probe';
import { faultRule } from '../scenario/faults';
import type { TaskWish } from '../scenario/scenario';
import type { TraceBatch } from '../trace/trace';
import type { Finding, Verdict } from '../verdict/verdict';
import { type HttpTransport, means, type Raw, type Seq, type SessionNumber, type TransportName } from '../wire/frame';
import type { ToolHints } from '../wire/jsonrpc';
import { type CheckStatus, checkStart } from './check';
import { type FaultStatus, NO_FAULTS } from './faults';
import { type LabStatus, type ScenarioOnDisk, scenarioRun, sweepRun } from './lab';
import { type AuthStatus, CONFIG_FORMS, type ConfigFile, type ServerSpec, serverSpec } from './server';

const ms = z.number().nonnegative().max(86_400_000);
const index = z.number().int().nonnegative();
const connection = z.number().int().positive();

export const root = z.object({ uri: z.string().startsWith('file://', 'expected a file:// address'), name: z.string().optional() });
export type Root = z.infer<typeof root>;

/**
 * The tool that takes back what another tool does, and the arguments to call it with: by name, a template over the
 * arguments of the call that is taken back (`${arguments.id}`, see `argumentsFrom` in app/evidence/variables).
 */
export const undo = z.object({ tool: z.string().min(1), arguments: z.record(z.string(), z.string()).default({}) });
export type Undo = z.infer<typeof undo>;

/** What is arranged for calls of one tool. */
export const toolSetup = z.object({
  probes: z.array(z.string()).default([]),
  normallyMs: ms.optional(),
  stopAfterMs: ms.optional(),
  settleMs: ms.optional(),
  undo: undo.optional(),
  /** Arguments by which it may be called to see what it does, and how long it takes with them when nobody stops it. */
  example: z.object({ arguments: z.record(z.string(), z.unknown()), normallyMs: ms }).optional(),
  /** The hint to add a probe was put away for this tool. */
  hintDismissed: z.boolean().optional(),
});
export type ToolSetup = z.infer<typeof toolSetup>;

const setting = {
  theme: z.enum(['system', 'light', 'dark']),
  density: z.enum(['comfortable', 'compact']),
  fence: z.boolean(),
  settleMs: ms,
  welcomeDismissed: z.boolean(),
  /** What was connected at last: found in focus again, and connected again, at the next start. */
  lastServer: serverSpec,
  lastServers: z.array(serverSpec),
  recentServers: z.array(serverSpec).max(20),
  /** Saved by the person, each with an id, without the values of its secrets. */
  savedServers: z.array(serverSpec),
  /** Command lines of imported servers that somebody has said yes to, as they were shown. */
  approvedCommands: z.array(z.string()),
  /** Scenario files that were opened or saved, newest first. */
  recentScenarios: z.array(z.string()).max(20),
  roots: z.array(root),
  /** Probes and tools' arrangements of each server, by its key (see serverKey). */
  probes: z.record(z.string(), z.array(probeSpec)),
  tools: z.record(z.string(), z.record(z.string(), toolSetup)),
  /** Arguments used before, newest first: by server key and tool. */
  history: z.record(z.string(), z.record(z.string(), z.array(z.record(z.string(), z.unknown())).max(20))),
  /** By id of a command: its keys, in place of those that it comes with; none takes them away (docs/keys.md). */
  keys: z.record(z.string(), z.array(z.string()).max(8)),
  /** Sizes of panels, open tab, scale: whatever the window wants to find again. */
  window: z.record(z.string(), z.unknown()),
} as const;

/** Settings to be changed: only those that are there. A default here would undo what was set before. */
export const settingsPatch = z.object(setting).partial();
export type SettingsPatch = z.infer<typeof settingsPatch>;

/** What is remembered between starts. The window's part is opaque to the host. */
export const settings = z.object({
  theme: setting.theme.default('system'),
  density: setting.density.default('comfortable'),
  fence: setting.fence.default(true),
  settleMs: setting.settleMs.default(3000),
  welcomeDismissed: setting.welcomeDismissed.default(false),
  lastServer: setting.lastServer.optional(),
  lastServers: setting.lastServers.optional(),
  recentServers: setting.recentServers.default([]),
  savedServers: setting.savedServers.default([]),
  approvedCommands: setting.approvedCommands.default([]),
  recentScenarios: setting.recentScenarios.default([]),
  roots: setting.roots.default([]),
  probes: setting.probes.default({}),
  tools: setting.tools.default({}),
  history: setting.history.default({}),
  keys: setting.keys.default({}),
  window: setting.window.default({}),
});
export type Settings = z.infer<typeof settings>;

export interface Tool extends ToolHints {
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** JSON Schema of the arguments, as the server sent it. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly taskSupport: TaskSupport;
}

/**
 * Whether a tool runs as a task. 2025-11-25: what it declares (`execution.taskSupport`), and `forbidden` on a server that runs
 * no calls as tasks, whatever its tools say. Since 2026-07-28 a tool declares nothing: `optional` on a server with the tasks
 * extension, which may then decide for either.
 */
export type TaskSupport = 'forbidden' | 'optional' | 'required';

/** What a server says of its tasks. */
export interface TaskAbilities {
  /** The experimental tasks of 2025-11-25, or the extension `io.modelcontextprotocol/tasks` since 2026-07-28. */
  readonly form: 'experimental' | 'extension';
  /** Calls of tools can run as tasks. */
  readonly calls: boolean;
  /** The server tells of all its tasks (`tasks/list`). The extension has no such request: only tasks made from here are known. */
  readonly list: boolean;
  /** The server knows `tasks/cancel`. */
  readonly cancel: boolean;
}

/** A task as the server tells of it. */
export interface ListedTask {
  readonly id: string;
  /** `working`, `input_required`, `completed`, `failed`, `cancelled`, or whatever else the server says. */
  readonly status: string;
  readonly message: string | undefined;
  /** How long it is kept from its creation on, in ms; undefined: without end, or not said. */
  readonly ttlMs: number | undefined;
  readonly pollIntervalMs: number | undefined;
  /** ISO times, as the server says them; undefined where it says none. */
  readonly created: string | undefined;
  readonly updated: string | undefined;
  /** The call of the running session that made it; undefined for an orphan, and for a task of somebody else. */
  readonly call: number | undefined;
  /** Whether its status is asked for from here, again and again. */
  readonly polled: boolean;
}

export type ServerState = 'none' | 'starting' | 'connected' | 'closing' | 'failed' | 'ended';

/** Number of a connection: stays through restarts of its server, and is not used again. */
export type ConnectionNumber = number;

/** One picture of a connection, complete each time. */
export interface ServerStatus {
  readonly connection: ConnectionNumber;
  readonly state: ServerState;
  readonly session: SessionNumber;
  /** All of its sessions in this recording, oldest first: whose call a call was. */
  readonly sessions: readonly SessionNumber[];
  readonly spec: ServerSpec | undefined;
  readonly key: string;
  readonly title: string;
  /** The command line or the address, without what is secret in it. */
  readonly command: string;
  /** How messages travel; undefined before that is decided (`auto`). */
  readonly transport: TransportName | undefined;
  /** Which HTTP transport was refused first, and why; undefined where none was. */
  readonly fellBack: { readonly from: HttpTransport; readonly why: string } | undefined;
  /** Over HTTP: whether the server gave out a session id. */
  readonly stateful: boolean | undefined;
  /** The session is lost on the server's side (404): connecting again initialises a new one. */
  readonly sessionLost: boolean;
  /** Undefined where the server has asked for no authorization. */
  readonly auth: AuthStatus | undefined;
  readonly pid: number | undefined;
  readonly protocol: string | undefined;
  /** Undefined where the server says nothing of tasks. */
  readonly tasks: TaskAbilities | undefined;
  /** The revisions that the server offers, where it was asked (`server/discover`). */
  readonly offered: readonly string[] | undefined;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly instructions: string | undefined;
  /** Why it failed or ended: expected, seen, what to try. */
  readonly why: string | undefined;
  readonly tools: readonly Tool[];
  /** The faults that are on, and the messages that they hold. */
  readonly faults: FaultStatus;
  /** Probes of this server, with what each is doing. */
  readonly probes: readonly ProbeStatus[];
  /** Probes and normal durations that come with the server (the demo's) or were set for its tools. */
  readonly setups: Readonly<Record<string, ToolSetup>>;
}

/** The picture before any server was chosen. */
export const NO_SERVER: ServerStatus = {
  connection: 0,
  state: 'none',
  session: 0,
  sessions: [],
  spec: undefined,
  key: '',
  title: '',
  command: '',
  transport: undefined,
  fellBack: undefined,
  stateful: undefined,
  sessionLost: false,
  auth: undefined,
  pid: undefined,
  protocol: undefined,
  tasks: undefined,
  offered: undefined,
  server: undefined,
  instructions: undefined,
  why: undefined,
  tools: [],
  faults: NO_FAULTS,
  probes: [],
  setups: {},
};

export interface ProbeStatus {
  readonly spec: ProbeSpec;
  /** `off`: it is being started. `failed`: it never watched. `failing`: it watched, and cannot at the moment. */
  readonly state: 'off' | 'watching' | 'failing' | 'failed';
  /** Why it failed, or what its last gap was when nothing has been read since. */
  readonly why: string | undefined;
  /** Came with the server; not the person's to remove. */
  readonly builtIn: boolean;
  /** What it offers to the server's configuration and to arguments, as `${probes.NAME.KEY}`: the `url` of a sink. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** What the window looks at: the running recording, or a trace file. */
export interface View {
  readonly id: number;
  readonly source: 'live' | 'file';
  readonly path: string;
  /** ISO wall time at which the trace's clock was 0. */
  readonly began: string;
  /** What was repaired or left out when a file was opened. */
  readonly repaired: string | undefined;
}

export interface TraceFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
  readonly modified: string;
  readonly current: boolean;
}

export interface Stopped {
  readonly call: number;
  /**
   * `held`: a fault keeps the cancel. `nothing`: the call had been stopped that way before, and nothing was sent again.
   * `deferred`: of a task whose id has not come yet: `tasks/cancel` goes out as soon as it has, and until then nobody is told.
   */
  readonly outcome: 'sent' | 'held' | 'deferred' | 'told-nobody' | 'killed' | 'too-late' | 'undelivered' | 'nothing';
  readonly says: string;
}

/** How a call was made, as its request in the trace says it: variables of probes are filled in. */
export interface CallArguments {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly probes: readonly string[];
  readonly settleMs: number | undefined;
  readonly normallyMs: number | undefined;
  readonly fence: boolean | undefined;
  /** Undefined for a plain call. */
  readonly task: TaskWish | undefined;
}

/** Every request of the window: its parameters' schema. */
export const REQUESTS = {
  hello: z.object({}),
  /**
   * Connects beside the others, or in the place of one. A server that is connected already is restarted. An imported command
   * that nobody has said yes to is refused with `approval` unless `approved`, which stands for a yes that showed it whole.
   */
  'server.connect': z.object({ spec: serverSpec, instead: connection.optional(), approved: z.boolean().default(false) }),
  /** Ends a server and takes it off the list. */
  'server.disconnect': z.object({ connection }),
  /** Ends a server where it runs, and connects it again: over HTTP that initialises a new session. */
  'server.restart': z.object({ connection }),
  /** Begins the authorization that the server asks for: opens the browser, waits for the answer, connects again. */
  'server.authorize': z.object({ connection }),
  /** Gives up waiting for the browser; `forget` also forgets what was granted. */
  'server.unauthorize': z.object({ connection, forget: z.boolean() }),
  /**
   * Saves a description, under a new id where it has none; secrets that are given are kept apart. `like`: key of the server
   * of which it is a copy, with the same secrets, probes and arrangements.
   */
  'server.save': z.object({ spec: serverSpec, like: z.string().optional() }),
  /** Takes a saved server off the list, with its secrets, probes and arrangements. One that runs goes on. */
  'server.forget': z.object({ id: z.string() }),
  /** Configurations of other clients, in their usual places and in the folders given. */
  'config.find': z.object({ folders: z.array(z.string()).default([]) }),
  /** A configuration that was chosen or dropped. */
  'config.read': z.object({ path: z.string() }),
  /**
   * Takes servers of a configuration over as saved ones, with the values that it asks for. One that was taken over from this
   * file before, by the same name, is replaced.
   */
  'config.import': z.object({ path: z.string(), names: z.array(z.string()), inputs: z.record(z.string(), z.string()).default({}) }),
  /** Saved servers in another client's form; into a file where a path is given, keeping what else is in it. */
  'config.write': z.object({
    form: z.enum(CONFIG_FORMS),
    ids: z.array(z.string()),
    path: z.string().optional(),
    /** Writes values of secrets out; else they are references to environment variables. */
    secrets: z.boolean().default(false),
    /** Says what would be written into the file, and leaves it alone. */
    preview: z.boolean().default(false),
  }),
  'server.roots': z.object({ roots: z.array(root) }),
  'tool.call': z.object({
    connection,
    tool: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    probes: z.array(z.string()),
    settleMs: ms.optional(),
    normallyMs: ms.optional(),
    stopAfterMs: ms.optional(),
    /** Goes with the cancel that `stopAfterMs` sends. */
    stopReason: z.string().optional(),
    fence: z.boolean().optional(),
    /**
     * As a task; `ttlMs`: for how long the server is asked to keep it (2025-11-25). Absent: as the tool demands. `false` sends a
     * plain call also to a tool that requires a task, which is misuse, on purpose.
     */
    task: z.union([z.boolean(), z.object({ ttlMs: ms.optional() })]).optional(),
    /**
     * Index of the stopped call that this one repeats. It has to be a call of the same session: ids of requests mean nothing
     * beyond theirs. For a call of an earlier session it is left out of the trace, and no `double-write` can be told.
     */
    retryOf: index.optional(),
    /** Index of the call whose effect this one is meant to take back; of the same session, as with `retryOf`. */
    undoOf: index.optional(),
  }),
  /** What a call of the running recording was made with: a retry is a `tool.call` with the same, and `retryOf`. */
  'call.arguments': z.object({ call: index }),
  'call.stop': z.object({ call: index, how: means, reason: z.string().optional() }),
  /** Every call in flight, on every server. */
  'call.stop-all': z.object({ how: means, reason: z.string().optional() }),
  /** Every task that the server tells of, those that nobody polls among them; without `tasks/list`, those made from here. */
  'tasks.list': z.object({ connection }),
  /** Sends `tasks/cancel`: as the Stop of the call that made the task, where that runs here and is not over. */
  'tasks.cancel': z.object({ connection, task: z.string() }),
  /** Adds or replaces a probe of a connected server by name. Starts it at once. */
  'probe.set': z.object({ connection, probe: probeSpec }),
  'probe.remove': z.object({ connection, name: z.string() }),
  /** Says whether a place can be watched, without watching it; the connection knows the password of one that it had before. */
  'probe.check': z.object({ connection: connection.optional(), probe: probeSpec }),
  /** Reads every probe of a server (those of one call, when given) once more, and says what was found. */
  'probe.read': z.object({ connection, call: index.optional() }),
  /** What is done to messages on purpose from now on; no rules: nothing. What was held by a rule that is gone passes. */
  'faults.set': z.object({ connection, rules: z.array(faultRule).max(100) }),
  /** The faults that are on, and what they hold. */
  'faults.list': z.object({ connection }),
  /** Lets messages pass that faults hold: all of them, or these. */
  'faults.release': z.object({ connection, items: z.array(index).optional() }),
  'tool.setup': z.object({ connection, tool: z.string(), setup: toolSetup }),
  'trace.list': z.object({}),
  'trace.open': z.object({ path: z.string() }),
  /** Back from an opened file to the running recording. */
  'trace.live': z.object({}),
  /** The raw text of frames, by `seq`, as they were on the wire. At most 500 at once. */
  'frame.bodies': z.object({ view: index, seqs: z.array(index).max(500) }),
  /**
   * Looks for words, all of them, in frames and their bodies from a frame on. Answered after a moment with what has been found
   * so far: ask again from `next` for the rest.
   */
  'frame.search': z.object({ view: index, text: z.string().min(1).max(1000), from: index.default(0) }),
  'settings.set': z.object({ patch: settingsPatch }),
  /** Reads a scenario file that was chosen or dropped. */
  'scenario.read': z.object({ path: z.string() }),
  /** Writes a scenario file where somebody wants it. */
  'scenario.write': z.object({ path: z.string(), text: z.string() }),
  /** Calls of the running recording, all of one server, as the text of a scenario that does the same again. */
  'scenario.record': z.object({ calls: z.array(index).min(1).max(200) }),
  /**
   * Runs a scenario: in the running recording, on a server of its own. What it would start is refused with `approval` unless
   * `approved`, which stands for a yes that showed it whole; the demo needs none.
   */
  'scenario.run': scenarioRun,
  /** Goes on with a run that waits before a step: to the next step, or to its end. */
  'scenario.step': z.object({ run: index, to: z.enum(['next', 'end']) }),
  'sweep.run': sweepRun,
  /** Writes what a sweep found, in the form of the command line's `--json`. */
  'sweep.write': z.object({ path: z.string(), text: z.string() }),
  /** Ends the run; what there is by then counts. */
  'lab.stop': z.object({ run: index }),
  /** Makes the report card of a connected server: calls its tools, several times each, and starts it anew at the end. */
  'check.start': checkStart,
  /** Ends it; what there is by then counts. */
  'check.stop': z.object({ run: index }),
  /** Writes a report card into a file, in the form that the window has made of it. */
  'check.write': z.object({ path: z.string(), text: z.string() }),
} as const;

export type Request = keyof typeof REQUESTS;
export type Params<R extends Request> = z.input<(typeof REQUESTS)[R]>;

/** What each request answers. */
export interface Results {
  hello: {
    readonly settings: Settings;
    readonly view: View;
    readonly servers: readonly ServerStatus[];
    readonly version: string;
    readonly check: CheckStatus | undefined;
  };
  /** `approval`: the whole command line that has to be shown and agreed to before it may run; nothing was started. */
  'server.connect': { readonly connection: ConnectionNumber; readonly session: SessionNumber } | { readonly approval: string };
  'server.disconnect': Record<string, never>;
  'server.restart': { readonly session: SessionNumber };
  'server.authorize': Record<string, never>;
  'server.unauthorize': Record<string, never>;
  'server.save': { readonly id: string };
  'server.forget': Record<string, never>;
  /** `looked`: every place where a configuration was looked for. */
  'config.find': { readonly files: readonly ConfigFile[]; readonly looked: readonly string[] };
  'config.read': ConfigFile;
  'config.import': { readonly ids: readonly string[] };
  'config.write': WrittenConfig;
  'server.roots': Record<string, never>;
  /** `seq` of the request frame, and the call's index in the fold. */
  'tool.call': { readonly seq: Seq; readonly call: number };
  'call.arguments': CallArguments;
  'call.stop': Stopped;
  'call.stop-all': { readonly stopped: readonly Stopped[] };
  /** `says`: what the list is, where it is not simply all of the server's tasks. */
  'tasks.list': { readonly tasks: readonly ListedTask[]; readonly says: string | undefined };
  /** `task`: as the server told of it in its answer, where it did. `says`: what was sent, and what the server answered. */
  'tasks.cancel': { readonly outcome: Stopped['outcome'] | 'refused'; readonly says: string; readonly task: ListedTask | undefined };
  'probe.set': ProbeStatus;
  'probe.remove': Record<string, never>;
  /** `why`: why not, and what to try; undefined when it can be watched. */
  'probe.check': { readonly why: string | undefined };
  /** One sentence for each probe: `ledger: nothing new since the baseline`. */
  'probe.read': { readonly says: string };
  'faults.set': FaultStatus;
  'faults.list': FaultStatus;
  'faults.release': { readonly released: number };
  'tool.setup': Record<string, never>;
  'trace.list': { readonly folder: string; readonly bytes: number; readonly files: readonly TraceFile[] };
  'trace.open': View;
  'trace.live': View;
  'frame.bodies': { readonly bodies: readonly FrameBody[] };
  /** Ascending, 10,000 at most; `next`: the first frame that has not been looked at. */
  'frame.search': { readonly seqs: readonly Seq[]; readonly next: Seq };
  'settings.set': Settings;
  'scenario.read': ScenarioOnDisk;
  'scenario.write': Record<string, never>;
  'scenario.record': { readonly text: string };
  /** `approval`: everything that would be started or sent, to be shown and agreed to first; nothing was. */
  'scenario.run': { readonly run: number } | { readonly approval: string };
  'scenario.step': Record<string, never>;
  'sweep.run': { readonly run: number };
  'sweep.write': Record<string, never>;
  'lab.stop': Record<string, never>;
  'check.start': { readonly run: number };
  'check.stop': Record<string, never>;
  'check.write': Record<string, never>;
}

/** What has been written into a configuration, or would be. */
export interface WrittenConfig {
  /** A new file's text, or what changes of one that is there; values of secrets that are written out are dots here. */
  readonly text: string;
  /** The line of the file that `text` begins with; undefined for a new file. */
  readonly line: number | undefined;
  /** Names of the values that were left out because nothing is known of them. */
  readonly lacking: readonly string[];
  /** Names of the environment variables and inputs that the file refers to. */
  readonly refersTo: readonly string[];
  /** What the form cannot hold, one sentence each. */
  readonly lost: readonly string[];
}

export interface FrameBody {
  readonly seq: Seq;
  readonly wall: string;
  /** Undefined when the trace file no longer has it (the disk was full, the file was taken away). */
  readonly raw: Raw | undefined;
}

/** What the host pushes. A view's batches come in order and without holes, from frame 0, after its `view`. */
export interface Events {
  view: View;
  /** `now`: the trace clock in ns when the batch left; for a file, the time of its last frame. */
  batch: { readonly view: number; readonly batch: TraceBatch; readonly now: number };
  /**
   * A trace file that is being read: how far, a few times a second; and once when nothing more of it will come, with what was
   * left out of it.
   */
  reading: {
    readonly view: number;
    /** Frames that have been sent. */
    readonly frames: number;
    /** Bytes that have been read, of `size`. */
    readonly bytes: number;
    readonly size: number;
    readonly done: boolean;
    readonly repaired: string | undefined;
  };
  /** New or changed verdicts, whole; findings whole each time they change. */
  verdicts: { readonly view: number; readonly verdicts: readonly Verdict[]; readonly findings: readonly Finding[] | undefined };
  /** Every connection, in the order in which they were made, whenever something of one changes. */
  servers: readonly ServerStatus[];
  settings: Settings;
  /** What runs in the laboratory, or ran last; whole each time. */
  lab: LabStatus;
  /** The report card that is being made, or was made last; whole each time. */
  check: CheckStatus;
  /** Something that a person should know and that belongs to no call: a full disk, a probe that failed. */
  notice: { readonly level: 'info' | 'warn' | 'error'; readonly text: string };
}
export type EventName = keyof Events;

/** What travels on the port. */
export type ToHost = { readonly id: number; readonly request: Request; readonly params: unknown };
export type ToWindow =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly error: string }
  | { readonly [E in EventName]: { readonly event: E; readonly payload: Events[E] } }[EventName];
