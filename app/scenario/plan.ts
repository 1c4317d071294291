// From a scenario as written to what is done, in order: names resolved, defaults filled in, every reference checked before
// anything is started. Pure; the host that carries it out brings the clock.
import type { ProbeSpec } from '../evidence/probe';
import { variablesIn } from '../evidence/variables';
import type { Means } from '../wire/frame';
import type { FaultRule } from './faults';
import { meant } from './nearest';
import { ALL, type Expectation, type Scenario, type Step, type TaskWish } from './scenario';
import { type Path, type Problem, ScenarioError } from './schema';
import type { When } from './stops';

export interface PlannedCall {
  readonly name: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** undefined: every probe of the scenario, and those that the server brings for the tool. */
  readonly probes: readonly string[] | undefined;
  readonly settleMs: number;
  readonly normallyMs: number | undefined;
  /** undefined: as the host is set. */
  readonly fence: boolean | undefined;
  /** Name of the call that this one repeats. */
  readonly retryOf: string | undefined;
  /** It is to be run as a task. */
  readonly task: TaskWish | undefined;
  /** Its cancel goes out in the same write. */
  readonly stopAtOnce?: boolean;
}

/** One thing to do; `step` is the index of the step in the file that it comes from. */
export type Op = { readonly step: number } & (
  | { readonly op: 'call'; readonly call: PlannedCall }
  /** Armed when it is reached: what follows does not wait for its moment. */
  | { readonly op: 'stop'; readonly call: string; readonly when: When; readonly how: Means; readonly reason: string | undefined }
  | { readonly op: 'settle'; readonly calls: readonly string[] }
  | { readonly op: 'wait'; readonly ms: number }
  | { readonly op: 'faults'; readonly rules: readonly FaultRule[] }
  | { readonly op: 'release' }
);

export interface Plan {
  readonly ops: readonly Op[];
  /** Names of all calls, in order. */
  readonly calls: readonly string[];
}

/**
 * Plans a scenario. At the end all calls are settled.
 * @param builtIn names of the probes that come with the server
 * @throws ScenarioError when something refers to what is not there
 */
export function planOf(scenario: Scenario, builtIn: readonly string[] = []): Plan {
  const planner = new Planner(scenario, [...builtIn, ...scenario.probes.map((probe) => probe.name)]);
  for (const probe of scenario.probes) planner.declared(probe, builtIn);
  planner.server();
  for (const [index, step] of scenario.steps.entries()) planner.take(step, index);
  for (const [index, expectation] of scenario.expect.entries()) planner.expects(expectation, index);
  return planner.done();
}

class Planner {
  readonly #scenario: Scenario;
  readonly #probes: readonly string[];
  readonly #variables: readonly string[];
  readonly #calls = new Map<string, PlannedCall>();
  readonly #ops: Op[] = [];
  readonly #problems: Problem[] = [];

  constructor(scenario: Scenario, probes: readonly string[]) {
    this.#scenario = scenario;
    this.#probes = probes;
    this.#variables = scenario.probes.filter(offersUrl).map((probe) => `probes.${probe.name}.url`);
  }

  declared(probe: ProbeSpec, builtIn: readonly string[]): void {
    if (!builtIn.includes(probe.name)) return;
    const own = builtIn.join(', ');
    this.#problem(['probes', probe.name], `expected a name other than those of the server's own probes (${own}), got “${probe.name}”`);
  }

  server(): void {
    this.#faultsKnow(this.#scenario.faults, ['faults']);
    const { server } = this.#scenario;
    if (server.kind === 'http')
      for (const [name, value] of Object.entries(server.headers)) this.#filled(value, ['server', 'headers', name]);
    if (server.kind !== 'stdio') return;
    for (const [index, arg] of server.args.entries()) this.#filled(arg, ['server', 'args', index]);
    for (const [name, value] of Object.entries(server.env)) this.#filled(value, ['server', 'env', name]);
  }

  take(step: Step, index: number): void {
    switch (step.step) {
      case 'call':
        for (const [n, probe] of step.probes?.entries() ?? [])
          this.#known(probe, this.#probes, 'the name of a probe', ['steps', index, 'probes', n]);
        this.#call({ ...step, settleMs: step.settleMs ?? this.#scenario.settleMs, retryOf: undefined }, index, ['steps', index, 'call']);
        break;
      case 'retry':
        this.#retry(step, index);
        break;
      case 'stop':
        this.#possible(step, ['steps', index, 'how']);
        if (this.#earlier(step.call, ['steps', index, 'stop']))
          this.#ops.push({ step: index, op: 'stop', call: step.call, when: step.when, how: step.how, reason: step.reason });
        break;
      case 'settle':
        if (step.call === ALL) this.#settle(index);
        else if (this.#earlier(step.call, ['steps', index, 'settle'])) this.#ops.push({ step: index, op: 'settle', calls: [step.call] });
        break;
      case 'wait':
        this.#ops.push({ step: index, op: 'wait', ms: step.ms });
        break;
      case 'faults':
        this.#faultsKnow(step.rules, ['steps', index, 'faults']);
        this.#ops.push({ step: index, op: 'faults', rules: step.rules });
        break;
      case 'release':
        this.#ops.push({ step: index, op: 'release' });
        break;
    }
  }

  expects(expectation: Expectation, index: number): void {
    if (expectation.about === 'call')
      this.#known(expectation.call, [...this.#calls.keys()], 'the name of a call', ['expect', index, 'call']);
  }

  done(): Plan {
    if (this.#problems.length > 0) throw new ScenarioError(this.#problems);
    this.#settle(this.#scenario.steps.length - 1);
    return { ops: this.#ops, calls: [...this.#calls.keys()] };
  }

  /** A fault about a call by its name: a call of the scenario, also a later one. */
  #faultsKnow(rules: readonly FaultRule[], path: Path): void {
    const names = this.#scenario.steps.flatMap((step) => (step.step === 'call' ? [step.name] : step.step === 'retry' ? [step.as] : []));
    for (const [index, { call }] of rules.entries())
      if (call !== undefined && !call.startsWith('#')) this.#known(call, names, 'the name of a call', [...path, index, 'call']);
  }

  #call(call: Omit<PlannedCall, 'fence'>, index: number, path: Path): void {
    const { name, tool, arguments: args, probes, settleMs, normallyMs, retryOf, task } = call;
    if (this.#calls.has(name)) this.#problem(path, `expected a name of its own for each call, got “${name}” a second time`);
    this.#filled(args, ['steps', index, 'arguments']);
    const planned = { name, tool, arguments: args, probes, settleMs, normallyMs, retryOf, task, fence: this.#fenceOf(name) };
    this.#calls.set(name, planned);
    this.#ops.push({ step: index, op: 'call', call: planned });
  }

  #retry(step: Extract<Step, { step: 'retry' }>, index: number): void {
    const path = ['steps', index, 'retry'];
    if (!this.#earlier(step.of, path)) return;
    const repeated = this.#calls.get(step.of);
    if (repeated)
      this.#call({ ...repeated, name: step.as, arguments: step.arguments ?? repeated.arguments, retryOf: step.of }, index, path);
  }

  /** Whether the call has the means by which it is to be stopped. */
  #possible({ how, call }: Extract<Step, { step: 'stop' }>, path: Path): void {
    if (how.means === 'kill' && this.#scenario.server.kind === 'http')
      this.#problem(
        path,
        'expected a means that a server at an address has, got kill: there is no process of ours to kill. Cancel the call, or drop its connection (drop)',
      );
    const known = this.#calls.get(call);
    if (how.means === 'stop-polling' && known && !known.task)
      this.#problem(
        path,
        `expected a means that a call has which is no task, got stop-polling. Run it as one (task: true at “${call}”), or give it up (abandon)`,
      );
  }

  #settle(index: number): void {
    this.#ops.push({ step: index, op: 'settle', calls: [...this.#calls.keys()] });
  }

  /** The fence goes with the stop, and is arranged with the call: a stop further down decides. */
  #fenceOf(name: string): boolean | undefined {
    for (const step of this.#scenario.steps) if (step.step === 'stop' && step.call === name && step.fence !== undefined) return step.fence;
    return undefined;
  }

  #earlier(name: string, path: Path): boolean {
    return this.#known(name, [...this.#calls.keys()], 'the name of an earlier call', path);
  }

  #known(name: string, known: readonly string[], what: string, path: Path): boolean {
    if (known.includes(name)) return true;
    this.#problem(path, `expected ${what} (${known.join(', ') || 'there is none'}), got “${name}”${meant(name, known)}`);
    return false;
  }

  #filled(value: unknown, path: Path): void {
    for (const name of variablesIn(value)) {
      if (this.#variables.includes(name)) continue;
      const offered = this.#variables.map((variable) => `\${${variable}}`).join(', ') || 'no probe here offers any';
      this.#problem(path, `expected a variable that a probe offers (${offered}), got “\${${name}}”`);
    }
  }

  #problem(path: Path, says: string): void {
    this.#problems.push({ path, says });
  }
}

const offersUrl = ({ kind }: ProbeSpec): boolean => kind === 'http' || kind === 'otel';
