// The race laboratory of the window: runs scenarios, each on a server of its own in the running recording, so that the
// timeline shows them, and sweeps a tool of a server that is connected. One thing at a time. What it does is exactly what
// the command line does: the same plans, the same sessions, the same judge.
import { homedir } from 'node:os';
import path from 'node:path';
import { type Settings, settings as settingsSchema } from '../../app/contract/host';
import {
  type LabCall,
  type LabExpectation,
  type LabStatus,
  MOST_ROUNDS,
  type ScenarioStatus,
  type StepState,
  type SweepRunRequest,
  type SweepStatus,
} from '../../app/contract/lab';
import { serverKey } from '../../app/contract/server';
import { checked, unexpected } from '../../app/report/expectations';
import { type Judged, reportOf } from '../../app/report/json';
import { type Round, roundOf, tallyOf } from '../../app/report/repeat';
import { readScenarioText, type ScenarioText } from '../../app/scenario/file';
import { type Op, type Plan, planOf } from '../../app/scenario/plan';
import type { Expectation, Scenario } from '../../app/scenario/scenario';
import { ScenarioError } from '../../app/scenario/schema';
import { DEMO_PROBES } from '../demo/probes';
import { approvalOfScenario } from './approval';
import type { DemoPlace } from './commands';
import type { Connections } from './connections';
import { Interrupted, Live } from './live';
import { commandReset } from './reset';
import { type Names, type RunWatch, runPlan } from './runner';
import { inEnvironment, specOf } from './scenario-server';
import type { Server } from './server';
import { type Reset, sweep } from './sweeper';
import { plain } from './why';

export interface LabOptions {
  readonly servers: Connections;
  readonly demo: DemoPlace;
  readonly settings: () => Settings;
  /** What scenarios may take from the environment. */
  readonly environment: (scenario: Scenario) => Promise<Readonly<Record<string, string | undefined>>>;
  /** Remembers that somebody has agreed to what would be started. */
  readonly approve: (approval: string) => Promise<void>;
  readonly onStatus: (status: LabStatus) => void;
}

export interface ScenarioRequest {
  readonly text: string;
  readonly path?: string | undefined;
  readonly repeat: number;
  readonly step: boolean;
  readonly approved: boolean;
}

/** What is running: how to end it, and when it has ended. */
interface Active {
  readonly run: number;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

/** Behind the normal end of the call there is nothing left to stop. */
const BEYOND = 1.1;

export class Lab {
  readonly #options: LabOptions;
  #runs = 0;
  #active: Active | undefined;
  #live: Live | undefined;
  #status: LabStatus | undefined;
  #tellDue = false;
  /** Lets a run that waits before a step go on; undefined while none waits. */
  #goOn: (() => void) | undefined;
  #stepping = false;
  /** Of the round that was run last. */
  #sessions: ReadonlySet<number> = new Set();

  constructor(options: LabOptions) {
    this.#options = options;
  }

  /** What runs, or ran last. */
  get status(): LabStatus | undefined {
    return this.#status;
  }

  /** To be called whenever anything has changed: a server's picture, the trace. */
  look(): void {
    this.#live?.look();
  }

  /** @throws Error in plain words when the text is no scenario, or something else is running */
  async run(request: ScenarioRequest): Promise<{ readonly run: number } | { readonly approval: string }> {
    this.free();
    const text = readScenarioText(request.text, resolverOf(request.path));
    if (!text.scenario) throw new Error(sayOf(text));
    const approval = approvalOfScenario(text.scenario);
    if (approval !== undefined && !request.approved && !this.#options.settings().approvedCommands.includes(approval)) return { approval };
    const scenario = await this.#whole(text, text.scenario);
    const plan = planned(text, scenario);
    if (approval !== undefined) await this.#options.approve(approval);
    this.free();
    return { run: this.#begin((run, signal) => this.#perform({ run, signal, request, scenario, plan, text })) };
  }

  /** Goes on with a run that waits before a step. */
  step(run: number, to: 'next' | 'end'): void {
    if (this.#active?.run !== run) return;
    this.#stepping = to === 'next';
    this.#goOn?.();
  }

  /** @throws Error in plain words when it cannot be swept as asked */
  async sweep(request: SweepRunRequest): Promise<{ readonly run: number }> {
    this.free();
    const server = this.#options.servers.of(request.connection);
    const { tools } = server.status;
    const tool = tools.find(({ name }) => name === request.tool);
    if (!tool) throw new Error(`Expected one of the server's tools (${tools.map(({ name }) => name).join(', ')}), got “${request.tool}”.`);
    if (tool.readOnly !== true && !request.agreed)
      throw new Error(`Expected a yes first: this calls ${tool.name} up to ${request.strategy.runs} times, for real.`);
    if (request.probes.length === 0)
      throw new Error(`Expected a probe that sees what ${tool.name} writes: without one no outcome is known. Add one, and choose it.`);
    const before = resetOf(request);
    return { run: this.#begin((run, signal) => this.#sweep({ run, signal, request, server, reset: before })) };
  }

  /** Ends a run; what there is by then counts. */
  stop(run: number): void {
    if (this.#active?.run !== run) return;
    if (this.#status && this.#status.state !== 'over') this.#told({ ...this.#status, state: 'stopping' });
    this.#active.abort.abort();
    this.#goOn?.();
  }

  /** Resolves when nothing of it runs any more. */
  async end(): Promise<void> {
    if (!this.#active) return;
    this.#active.abort.abort();
    this.#goOn?.();
    await this.#active.ended;
  }

  /** @throws Error in plain words while something is running */
  free(): void {
    if (this.#active) throw new Error('Something is running in the laboratory already. Stop it first, or wait for its end.');
  }

  #begin(perform: (run: number, signal: AbortSignal) => Promise<void>): number {
    const run = ++this.#runs;
    const abort = new AbortController();
    const ended = perform(run, abort.signal)
      .catch((error: unknown) => this.#over(plain(error)))
      .finally(() => {
        this.#active = undefined;
        this.#live = undefined;
        this.#goOn = undefined;
      });
    this.#active = { run, abort, ended };
    return run;
  }

  #told(status: LabStatus): void {
    this.#status = status;
    if (this.#tellDue) return;
    // However much changes in one turn, one picture is sent.
    this.#tellDue = true;
    queueMicrotask(() => {
      this.#tellDue = false;
      if (this.#status) this.#options.onStatus(this.#status);
    });
  }

  #over(why: string | undefined): void {
    if (this.#status) this.#told({ ...this.#status, state: 'over', why });
  }

  // ── scenarios ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** @throws Error naming what is not set */
  async #whole(text: ScenarioText, scenario: Scenario): Promise<Scenario> {
    try {
      return inEnvironment(scenario, await this.#options.environment(scenario));
    } catch (error) {
      throw said(text, error);
    }
  }

  async #perform(task: ScenarioTask): Promise<void> {
    const { run, signal, request, scenario } = task;
    const rounds: Round[] = [];
    this.#stepping = request.step;
    const first: ScenarioStatus = {
      kind: 'scenario',
      run,
      title: scenario.name ?? (request.path === undefined ? 'Scenario' : path.basename(request.path)),
      state: 'starting',
      why: undefined,
      text: request.text,
      path: request.path,
      repeat: request.repeat,
      round: 1,
      steps: scenario.steps.map(() => 'waiting'),
      calls: [],
      says: [],
      expectations: [],
      surprises: [],
      tally: tallyOf([]),
    };
    for (let round = 1; round <= Math.min(request.repeat, MOST_ROUNDS); round++) {
      const before = this.#scenario ?? first;
      const { expectations, surprises } = round === 1 ? first : before;
      this.#told({ ...first, round, expectations, surprises, tally: tallyOf(rounds) });
      const done = await this.#round(task);
      rounds.push(done.round);
      this.#change(() => ({ expectations: done.expectations, surprises: done.round.surprises, calls: done.calls, tally: tallyOf(rounds) }));
      if (signal.aborted) break;
    }
    this.#over(undefined);
  }

  async #round(task: ScenarioTask): Promise<Done> {
    const { scenario, plan, signal, text } = task;
    const { servers, demo, settings } = this.#options;
    const { fence } = settings();
    const spec = specOf(scenario);
    const server = servers.guest({
      ...(scenario.name === undefined ? {} : { title: scenario.name }),
      demo: { ...demo, state: `${demo.state}-lab` },
      // As on the command line: what was arranged for a server in the window is not the scenario's.
      settings: () => ({ ...settingsSchema.parse({ fence }), probes: { [serverKey(spec)]: [...scenario.probes] } }),
      onChange: () => this.look(),
    });
    const names: Names = new Map();
    try {
      await server.connect(spec);
      const { recording } = servers;
      if (!recording) throw new Error('expected a recording once a server is connected');
      const live = new Live({ server, recording, fence, protocol: scenario.server.protocol, signal });
      this.#live = live;
      await live.reached();
      server.setFaults(scenario.faults);
      this.#change(() => ({ state: 'running' }));
      await runPlan({ live, plan, untilAnswered: false, ...this.#voice(), watch: this.#watch(scenario, signal) }, names);
    } catch (error) {
      throw error instanceof Interrupted ? new Error(STOPPED) : said(text, error);
    } finally {
      this.#live = undefined;
      const { sessions } = server.status;
      await servers.leave(server);
      this.#sessions = new Set(sessions);
    }
    return this.#concluded(scenario, names);
  }

  #concluded({ expect }: Scenario, names: Names): Done {
    const { recording } = this.#options.servers;
    if (!recording) throw new Error('expected a recording after a scenario was run');
    const { recorder, judge, clock } = recording;
    recording.advance();
    const judged: Judged = { trace: recorder.trace, court: judge, names, now: clock.now(), sessions: this.#sessions };
    const bare = reportOf(judged);
    const expectations = checked(bare, expect);
    const report = { ...bare, expectations: [...expectations] };
    const calls = [...names].map(([call, name]): LabCall => {
      const verdict = judge.verdict(call);
      return { name, call, verdict: verdict?.verdict, severity: verdict?.severity };
    });
    return {
      round: roundOf(report, unexpected(bare, expect, 'breach')),
      calls,
      expectations: expectations.map((one, index): LabExpectation => ({ ...one, ...placeOf(expect[index], calls, judged) })),
    };
  }

  get #scenario(): ScenarioStatus | undefined {
    return this.#status?.kind === 'scenario' ? this.#status : undefined;
  }

  #change(change: (status: ScenarioStatus) => Partial<ScenarioStatus>): void {
    const status = this.#scenario;
    if (status) this.#told({ ...status, ...(status.state === 'stopping' ? { ...change(status), state: 'stopping' } : change(status)) });
  }

  #voice() {
    const line =
      (level: 'info' | 'warn') =>
      (text: string): void =>
        this.#change(({ says }) => ({ says: [...says, { level, text }] }));
    return { progress: line('info'), warn: line('warn') };
  }

  #watch(scenario: Scenario, signal: AbortSignal): RunWatch {
    const mark = (step: number, state: StepState): void =>
      this.#change(({ steps }) => ({ steps: steps.map((known, index) => (index === step ? state : known)) }));
    // At the end everything is settled, whatever the last step is.
    const own = (op: Op): boolean => op.op !== 'settle' || scenario.steps[op.step]?.step === 'settle';
    return {
      before: async (op) => {
        if (!own(op)) return;
        if (this.#stepping) await this.#pause(signal);
        mark(op.step, 'running');
      },
      after: (op) => {
        const { steps = [] } = this.#scenario ?? {};
        if (own(op) && steps[op.step] === 'running') mark(op.step, op.op === 'stop' ? 'armed' : 'done');
      },
      called: (name, call) => this.#change(({ calls }) => ({ calls: [...calls, { name, call, verdict: undefined, severity: undefined }] })),
      stopped: (op, pressed) => mark(op.step, pressed ? 'done' : 'given-up'),
    };
  }

  /** @throws Interrupted */
  async #pause(signal: AbortSignal): Promise<void> {
    this.#change(() => ({ state: 'paused' }));
    if (!signal.aborted)
      await new Promise<void>((resolve) => {
        this.#goOn = resolve;
      });
    this.#goOn = undefined;
    if (signal.aborted) throw new Interrupted();
    this.#change(() => ({ state: 'running' }));
  }

  // ── sweeps ────────────────────────────────────────────────────────────────────────────────────────────────────────

  async #sweep({ run, signal, request, server, reset }: SweepTask): Promise<void> {
    const { servers, settings } = this.#options;
    const { recording } = servers;
    if (!recording) throw new Error('Expected a connected server. Connect one first.');
    const { tool, axis, how, settleMs, normallyMs, strategy, probes } = request;
    const { from, to, runs } = strategy;
    this.#told({
      kind: 'sweep',
      run,
      title: `Sweep of ${tool}`,
      state: 'running',
      why: undefined,
      tool,
      axis,
      attempts: [],
      planned: runs,
      tieMs: 0,
      says: undefined,
    });
    const live = new Live({ server, recording, fence: settings().fence, protocol: undefined, signal });
    this.#live = live;
    const change = (change: Partial<SweepStatus>): void => {
      if (this.#status?.kind === 'sweep') this.#told({ ...this.#status, ...change, state: this.#status.state });
    };
    await live.ready();
    const { interrupted, attempts, tieMs } = await sweep({
      live,
      tool,
      arguments: request.arguments,
      probes,
      strategy: (normal) => ({ how: strategy.how, from, to: to ?? Math.max(from + 1, normal * BEYOND), runs }),
      axis,
      how,
      settleMs,
      normallyMs,
      reset,
      signal,
      random: Math.random,
      onAttempt: (attempts, planned, tieMs) => change({ attempts, planned, tieMs }),
      progress: (says) => change({ says }),
      warn: (says) => change({ says }),
    });
    change({ attempts, tieMs, says: undefined });
    this.#over(interrupted ? STOPPED : undefined);
  }
}

const STOPPED = 'Stopped. What was over by then counts.';

interface ScenarioTask {
  readonly run: number;
  readonly signal: AbortSignal;
  readonly request: ScenarioRequest;
  readonly scenario: Scenario;
  readonly plan: Plan;
  readonly text: ScenarioText;
}

interface SweepTask {
  readonly run: number;
  readonly signal: AbortSignal;
  readonly request: SweepRunRequest;
  readonly server: Server;
  readonly reset: Reset;
}

interface Done {
  readonly round: Round;
  readonly calls: readonly LabCall[];
  readonly expectations: readonly LabExpectation[];
}

/** Relative paths count from the file; of a text that lies nowhere yet, from the person's own folder. */
export function resolverOf(file: string | undefined): (relative: string) => string {
  const folder = file === undefined ? homedir() : path.dirname(file);
  return (relative) => path.resolve(folder, relative);
}

/** The first thing that is wrong with a text, with its line. */
function sayOf({ problems }: Pick<ScenarioText, 'problems'>): string {
  const [first] = problems;
  if (!first) return 'Expected a scenario.';
  return `Line ${first.line}: ${first.field === undefined ? '' : `${first.field}: `}${first.says}`;
}

/** An error as it is said where the text is known. */
const said = (text: ScenarioText, error: unknown): unknown =>
  error instanceof ScenarioError ? new Error(sayOf({ problems: text.placed(error.problems) })) : error;

function planned(text: ScenarioText, scenario: Scenario): Plan {
  try {
    return planOf(scenario, scenario.server.kind === 'demo' ? Object.keys(DEMO_PROBES) : []);
  } catch (error) {
    throw said(text, error);
  }
}

/** Where what an expectation is about can be seen. */
function placeOf(
  expectation: Expectation | undefined,
  calls: readonly LabCall[],
  { court, trace, sessions }: Judged,
): Pick<LabExpectation, 'call' | 'seq'> {
  if (expectation?.about === 'call') return { call: calls.find(({ name }) => name === expectation.call)?.call, seq: undefined };
  const found = court.findings.find(({ finding, seq }) => finding === expectation?.finding && sessions?.has(trace.session(seq)));
  return { call: found?.call, seq: found?.seq };
}

function resetOf({ reset }: SweepRunRequest): Reset {
  switch (reset.by) {
    case 'nothing':
    case 'tool':
      return reset;
    case 'command': {
      const command = commandReset(reset.line);
      if (!command) throw new Error('Expected a command line that resets, got an empty one.');
      return command;
    }
  }
}
