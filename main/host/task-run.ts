// One task that was made from here, as long as anybody asks after it: polled at the pace that its server wishes, within
// bounds, until it is over; after a `tasks/cancel` to the end of the call's window whatever it says of itself, because a
// task that says `cancelled` may still become `completed`. Nothing here decides what that means: every answer is a frame.
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import type { TaskAbilities } from '../../app/contract/host';
import { isTerminal } from '../../app/trace/tasks';
import { type Json, type TaskState, taskStateOf } from './task-state';

/** Calls back after so many ms. @returns takes it back */
export type Later = (ms: number, then: () => void) => () => void;

export interface TaskRunOptions {
  readonly created: TaskState;
  readonly form: TaskAbilities['form'];
  /** Asks the server. Rejects with an McpError where it refuses, with another where no answer can come. */
  readonly ask: (method: 'tasks/get' | 'tasks/result' | 'tasks/update', params: Json) => Promise<unknown>;
  /** What is answered to questions of the task, by their names; undefined where nobody here can. */
  readonly answer: (asks: Json) => Json | undefined;
  /** How long the task is looked at after it was cancelled, in ms. */
  readonly windowMs: number;
  readonly later: Later;
  /** Called once, when the task says for the first time that it has ended. */
  readonly onOver: () => void;
}

/** The pace where the server names none, and its bounds: no flood, and no hours without a look. */
const POLL_MS = 1000;
const LEAST_POLL_MS = 50;
const MOST_POLL_MS = 60_000;
/** The last look of the window comes so much before its end, at most: its answer is to be there by then. */
const BEFORE_END_MS = 200;

export class TaskRun {
  readonly id: string;
  /** As it was told last. */
  state: TaskState;
  /** It is asked after. */
  polled = true;
  readonly #options: TaskRunOptions;
  /** `tasks/cancel` has been written: `open` until the last look of the window. */
  #cancelled: 'no' | 'open' | 'over' = 'no';
  /** The status for which `tasks/result` was asked. */
  #fetched: string | undefined;
  /** Names of the questions that have been answered: none is used twice in a task. */
  readonly #given = new Set<string>();
  #asking = false;
  /** To be asked again as soon as there is an answer. */
  #again = false;
  #drop: () => void = () => undefined;
  #dropLast: () => void = () => undefined;

  constructor(options: TaskRunOptions) {
    this.#options = options;
    this.state = options.created;
    this.id = options.created.id;
    this.#goOn();
  }

  /** It has ended, by its own words. */
  get over(): boolean {
    return isTerminal(this.state.status);
  }

  /** A message told of the task: an answer, a notification. */
  told(state: TaskState): void {
    const ends = !this.over && isTerminal(state.status);
    this.state = state;
    if (ends) this.#options.onOver();
    if (state.asks && this.#cancelled === 'no' && this.polled) this.#give(state.asks);
    // Of one that goes on, the next look comes when it is due, whatever is told meanwhile.
    if (this.polled && this.over) this.#goOn();
  }

  /** `tasks/cancel` has been written: the task is asked after to the end of the window, whatever it says until then. */
  cancelled(): void {
    if (this.#cancelled !== 'no' || !this.polled) return;
    this.#cancelled = 'open';
    const { windowMs, later } = this.#options;
    this.#dropLast = later(windowMs - Math.min(windowMs / 10, BEFORE_END_MS), () => {
      this.#cancelled = 'over';
      this.#look();
    });
    this.#goOn();
  }

  /** Asks at once, and goes on from there. */
  look(): void {
    if (this.polled) this.#look();
  }

  /** Nobody asks any more. The server is told nothing. */
  stopPolling(): void {
    this.polled = false;
    this.#drop();
    this.#dropLast();
  }

  /** The next look, or the last word. */
  #goOn(): void {
    this.#drop();
    if (!this.over || this.#cancelled === 'open') this.#drop = this.#options.later(this.#pace, () => this.#look());
    else this.stopPolling();
    // One that was cancelled may yet store another result: it is fetched when nothing more is waited for.
    if (this.over && (this.#cancelled !== 'open' || this.state.status !== 'cancelled')) this.#fetch();
  }

  get #pace(): number {
    return Math.min(Math.max(this.state.pollIntervalMs ?? POLL_MS, LEAST_POLL_MS), MOST_POLL_MS);
  }

  #look(): void {
    this.#drop();
    this.#again = this.#asking;
    if (this.#asking) return;
    this.#asking = true;
    void this.#options.ask('tasks/get', { taskId: this.id }).then(
      (answer) => this.#answered(taskStateOf(answer) ?? this.state),
      (error: unknown) => this.#failed(error),
    );
  }

  #answered(state: TaskState): void {
    this.#asking = false;
    this.told(state);
    if (!this.polled) return;
    if (this.#again) this.#look();
    else this.#goOn();
  }

  /** The extension: questions come with the status, and their answers are a request of their own. Others are left as they stand. */
  #give(asks: Json): void {
    const open = Object.fromEntries(Object.entries(asks).filter(([name]) => !this.#given.has(name)));
    const inputResponses = Object.keys(open).length === 0 ? undefined : this.#options.answer(open);
    if (!inputResponses) return;
    for (const name of Object.keys(open)) this.#given.add(name);
    this.#options.ask('tasks/update', { taskId: this.id, inputResponses }).catch(() => undefined);
  }

  /** One that the server does not know is asked after no more; where no answer came, the next may. */
  #failed(error: unknown): void {
    this.#asking = false;
    if (error instanceof McpError) this.stopPolling();
    else if (this.polled) this.#goOn();
  }

  /** In 2025-11-25 the result is a request of its own; in the extension it came with the status. */
  #fetch(): void {
    const { form, ask } = this.#options;
    if (form === 'extension' || this.#fetched === this.state.status) return;
    this.#fetched = this.state.status;
    // What it answers is read off the trace, as everything is.
    ask('tasks/result', { taskId: this.id }).catch(() => undefined);
  }
}
