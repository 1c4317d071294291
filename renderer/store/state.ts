// What the window itself remembers while it runs: what is selected, filtered, open and half typed, and the newest picture
// of the session. Rows of the trace are never in here; they live in the feed.
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Ns } from '../../app/base/time';
import type { CheckStatus } from '../../app/contract/check';
import type { ConnectionNumber, Events, ListedTask, Params, ServerStatus, Settings, View } from '../../app/contract/host';
import { NO_SERVER, settings as settingsSchema } from '../../app/contract/host';
import type { LabStatus } from '../../app/contract/lab';
import type { ServerSpec } from '../../app/contract/server';
import type { Means, Seq, SessionNumber } from '../../app/wire/frame';
import type { Link } from '../feed';
import type { Sign } from '../filter';

export const TABS = ['wire', 'calls', 'findings', 'tasks', 'stderr', 'traces'] as const;
export type Tab = (typeof TABS)[number];

/** What the left column shows. */
export const SIDES = ['tools', 'lab'] as const;
export type Side = (typeof SIDES)[number];

export type LabPage = 'gallery' | 'scenario' | 'sweep';

/** The scenario that is open in the laboratory. */
export interface OpenScenario {
  /** Another one each time that something is opened. */
  readonly id: number;
  /** Undefined for one that lies nowhere yet. */
  readonly path: string | undefined;
  /** Id of the lesson that it is. */
  readonly lesson: string | undefined;
  readonly text: string;
  /** The text as it lies on the disk, or as the lesson has it. */
  readonly saved: string;
}

export type Dialog =
  /** Describes a server; changes a saved one when `edit` is it. */
  | { readonly kind: 'connect'; readonly edit?: ServerSpec | undefined }
  /** Servers of other clients' configurations; of one file where it is named. */
  | { readonly kind: 'import'; readonly path?: string | undefined }
  | { readonly kind: 'export' }
  /** Whether an imported command may run, as the host has put it. */
  | { readonly kind: 'approve'; readonly how: Params<'server.connect'>; readonly approval: string }
  /** Whether what a scenario would start may run, as the host has put it. */
  | { readonly kind: 'approve-run'; readonly how: Params<'scenario.run'>; readonly approval: string }
  /** Calls of the recording as a scenario. */
  | { readonly kind: 'record' }
  | { readonly kind: 'sweep'; readonly tool: string }
  | { readonly kind: 'roots' }
  /** Adds a probe, for a tool's next call where one is named; changes one when `edit` names it. */
  | { readonly kind: 'probe'; readonly tool?: string | undefined; readonly edit?: string | undefined }
  | { readonly kind: 'probe-address'; readonly probe: string }
  | { readonly kind: 'retry'; readonly call: number }
  | { readonly kind: 'undo'; readonly call: number }
  | { readonly kind: 'undo-tool'; readonly tool: string }
  | { readonly kind: 'cancel-id'; readonly call: number }
  | { readonly kind: 'fault' }
  /** A task of the server's list, before it is cancelled. */
  | { readonly kind: 'cancel-task'; readonly connection: ConnectionNumber; readonly task: ListedTask }
  /** Makes a report card of the server in focus, and shows the one that was made last. */
  | { readonly kind: 'check' }
  | { readonly kind: 'help' }
  | { readonly kind: 'keys' };

/** What is half typed for one tool. */
export interface Draft {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly stopAfterMs: number | undefined;
  readonly normallyMs: number | undefined;
  /** How long the call is watched after its stop; the settings' own window when absent. */
  readonly settleMs: number | undefined;
  readonly probes: readonly string[];
  /** Whether it is called as a task; undefined: as the tool demands. */
  readonly task: boolean | undefined;
  /** How long the server is asked to keep the task. */
  readonly ttlMs: number | undefined;
}

/** A server's tasks, as it told of them when it was asked last. */
export interface TaskList {
  /** It is being asked at the moment. */
  readonly asking: boolean;
  /** When it answered, in ms since 1970; undefined before it has. */
  readonly at: number | undefined;
  readonly tasks: readonly ListedTask[] | undefined;
  /** What the list is, where it is not simply all of the server's tasks. */
  readonly says: string | undefined;
  /** Why it could not be asked the last time. */
  readonly why: string | undefined;
}

export interface Verified {
  /** The call whose probes were read; undefined when all were. */
  readonly call: number | undefined;
  /** On the trace's clock. */
  readonly at: Ns;
  readonly says: string;
}

export interface Toast {
  readonly id: number;
  readonly level: 'info' | 'warn' | 'error';
  readonly text: string;
}

export interface State {
  readonly link: Link;
  readonly version: string;
  /** Every connection, in the order in which they were made. */
  readonly servers: readonly ServerStatus[];
  /** The connection that was chosen to be in focus; its picture may not be here yet, or not any more. */
  readonly focus: ConnectionNumber;
  /** The server in focus: tools, probes and the form of a call are its own. */
  readonly status: ServerStatus;
  readonly settings: Settings;
  /** The host has told its settings: until then nothing is remembered over them. */
  readonly settled: boolean;
  readonly view: View | undefined;
  /** The report card that is being made, or was made last. */
  readonly check: CheckStatus | undefined;
  /** How far the trace file that is shown has been read; undefined for a recording, and before anything was told. */
  readonly reading: Events['reading'] | undefined;
  /** When the server began to start, in page milliseconds. */
  readonly startingSince: number | undefined;

  readonly side: Side;
  readonly labPage: LabPage;
  readonly scenario: OpenScenario | undefined;
  /** What runs in the laboratory, or ran last. */
  readonly lab: LabStatus | undefined;

  readonly call: number | undefined;
  readonly frame: Seq | undefined;
  readonly filter: string;
  readonly signs: readonly Sign[];
  readonly tab: Tab;
  readonly tool: string | undefined;
  readonly toolSearch: string;
  /** By tool of the server in focus. */
  readonly drafts: Readonly<Record<string, Draft>>;
  /** What was chosen and half typed for the servers that are not in focus. */
  readonly shelf: Readonly<Record<ConnectionNumber, Pick<State, 'tool' | 'drafts'>>>;
  readonly rawOpen: boolean;
  /** Requests of probes are shown in the wire log. */
  readonly probeTraffic: boolean;
  /** By session: a task belongs to no other. */
  readonly taskLists: Readonly<Record<SessionNumber, TaskList>>;
  /** What the last reading by hand has found. */
  readonly verified: Verified | undefined;
  readonly reason: string;
  readonly lastMeans: Means;
  readonly follow: boolean;
  readonly palette: boolean;
  readonly dialog: Dialog | undefined;
  readonly toasts: readonly Toast[];
  /** Steps of the first race, or undefined when it is not shown. */
  readonly welcome: boolean;
  readonly panels: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

export const DEFAULT_REASON = 'user pressed stop';

export const initialState: State = {
  link: { state: 'waiting' },
  version: '',
  servers: [],
  focus: NO_SERVER.connection,
  status: NO_SERVER,
  settings: settingsSchema.parse({}),
  settled: false,
  view: undefined,
  check: undefined,
  reading: undefined,
  startingSince: undefined,
  side: 'tools',
  labPage: 'gallery',
  scenario: undefined,
  lab: undefined,
  call: undefined,
  frame: undefined,
  filter: '',
  signs: [],
  tab: 'wire',
  tool: undefined,
  toolSearch: '',
  drafts: {},
  shelf: {},
  rawOpen: false,
  probeTraffic: false,
  taskLists: {},
  verified: undefined,
  reason: DEFAULT_REASON,
  lastMeans: { means: 'cancel' },
  follow: true,
  palette: false,
  dialog: undefined,
  toasts: [],
  welcome: false,
  panels: {},
};

export type Store = StoreApi<State>;

export const createState = (): Store => createStore<State>(() => initialState);
