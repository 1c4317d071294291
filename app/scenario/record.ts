// What a person just did, as a scenario that does it again: the calls in their order, the stops at their moments, and what
// was seen as what is expected. Secrets are not in it: where one was, a variable of the environment stands.
import { minus, type Ns, plus, toMs } from '../base/time';
import { MASK } from '../evidence/dsn';
import type { ProbeSpec } from '../evidence/probe';
import { variableOf } from '../evidence/variables';
import type { Call, StopAct } from '../trace/calls';
import type { Verdict } from '../verdict/verdict';
import { idOf } from '../wire/jsonrpc';
import type { FaultRule } from './faults';
import { ALL, type Expectation, type Scenario, type ScenarioServer, SETTLE_MS, type Step } from './scenario';

export interface RecordedCall {
  readonly call: Call;
  readonly verdict: Verdict | undefined;
  /** As its request in the trace has them. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Recorded {
  /** Without the values of its secrets: environment and headers are empty texts. */
  readonly server: ScenarioServer;
  /** The person's own probes, without their passwords. */
  readonly probes: readonly ProbeSpec[];
  /** Those that are on. */
  readonly faults: readonly FaultRule[];
  /** In the order in which they were sent, of one server. */
  readonly calls: readonly RecordedCall[];
}

/** Says what somebody has to know before the file is run elsewhere: a comment above it. */
export interface RecordedScenario {
  readonly scenario: Scenario;
  readonly notes: readonly string[];
}

/** Shorter pauses between two calls in flight are how fast somebody could press, and of no meaning. */
const PAUSE_MS = 50;
const LONGEST_NAME = 40;

export function recordedScenario({ server, probes, faults, calls }: Recorded): RecordedScenario {
  const secrets: string[] = [];
  const named = new Namer();
  const [first] = calls;
  const settleMs = first ? settleOf(first) : SETTLE_MS;
  const scenario: Scenario = {
    name: titleOf(calls),
    about: undefined,
    server: withoutSecrets(server, secrets),
    settleMs,
    probes: usedBy(probes, calls).map((probe) => withoutPassword(probe, secrets)),
    faults,
    steps: stepsOf(calls, named, settleMs),
    expect: calls.flatMap((recorded) => expectedOf(recorded, named)),
  };
  return { scenario, notes: [...HEAD, ...(secrets.length === 0 ? [] : [secretsNote(secrets)])] };
}

const HEAD = ['Recorded from a session. What was seen then is what is expected here: change it to what should be.'];

const secretsNote = (names: readonly string[]): string =>
  `Secrets are not in this file. It takes them from the environment: ${[...new Set(names)].join(', ')}.`;

/** Names of calls in a scenario: like their tools, each once. */
class Namer {
  readonly #names = new Map<number, string>();
  readonly #used = new Set<string>([ALL]);

  of({ index }: Call): string {
    return this.#names.get(index) ?? '';
  }

  give({ index }: Call, wish: string): string {
    const short = wish.slice(0, LONGEST_NAME) || 'call';
    let name = short;
    for (let n = 2; this.#used.has(name); n++) name = `${short.slice(0, LONGEST_NAME - 4)}-${n}`;
    this.#used.add(name);
    this.#names.set(index, name);
    return name;
  }
}

function stepsOf(calls: readonly RecordedCall[], named: Namer, settleMs: number): readonly Step[] {
  const steps: Step[] = [];
  const open = new Set<RecordedCall>();
  let before: RecordedCall | undefined;
  for (const recorded of calls) {
    const { call } = recorded;
    const over = [...open].filter((other) => isOver(other, call.sent.t));
    const original = retriedOf(recorded, calls);
    for (const other of over) {
      open.delete(other);
      steps.push({ step: 'settle', call: named.of(other.call) });
    }
    const pause = before && open.size > 0 ? Math.round(toMs(minus(call.sent.t, before.call.sent.t))) : 0;
    // A retry waits by itself until the call that it repeats has been stopped.
    if (pause >= PAUSE_MS && !original) steps.push({ step: 'wait', ms: pause });
    steps.push(...callSteps(recorded, original, named, settleMs));
    open.add(recorded);
    before = recorded;
  }
  if (calls.length > 0) steps.push({ step: 'settle', call: ALL });
  return steps;
}

function callSteps(recorded: RecordedCall, original: RecordedCall | undefined, named: Namer, settleMs: number): readonly Step[] {
  const { call, arguments: args } = recorded;
  const { arrangement } = call;
  const tool = call.tool ?? call.method;
  const name = named.give(call, original ? `${named.of(original.call)}-retry` : tool);
  const own = settleOf(recorded);
  const made: Step = original
    ? { step: 'retry', of: named.of(original.call), as: name, arguments: same(args, original.arguments) ? undefined : args }
    : {
        step: 'call',
        name,
        tool,
        arguments: args,
        probes: arrangement?.probes ?? [],
        normallyMs: arrangement?.normally === undefined ? undefined : ms(arrangement.normally),
        settleMs: own === settleMs ? undefined : own,
        task: arrangement?.task && { ttlMs: arrangement.task.ttl === undefined ? undefined : ms(arrangement.task.ttl) },
      };
  return [made, ...call.stops.map((stop) => stopStep(call, stop, name))];
}

function stopStep(call: Call, { t, how, reason }: StopAct, name: string): Step {
  const fence = call.arrangement?.fence === false ? false : undefined;
  return { step: 'stop', call: name, when: { on: 'time', afterMs: Math.max(0, ms(minus(t, call.sent.t))) }, how, reason, fence };
}

/** Whether nothing more was waited for when another call was sent. */
function isOver({ call, verdict }: RecordedCall, at: Ns): boolean {
  const stopped = verdict?.stop.at;
  if (stopped !== undefined) return plus(stopped, call.arrangement?.settle ?? stopped) <= at;
  return (call.replies[0]?.t ?? Number.POSITIVE_INFINITY) <= at;
}

/** The call that one repeats, where that is recorded too. */
function retriedOf({ call }: RecordedCall, calls: readonly RecordedCall[]): RecordedCall | undefined {
  const id = call.arrangement?.retryOf;
  if (id === undefined) return undefined;
  return calls.findLast(({ call: other }) => other.index < call.index && other.session === call.session && idOf(other.key) === id);
}

function expectedOf({ call, verdict }: RecordedCall, named: Namer): readonly Expectation[] {
  if (!verdict || verdict.verdict === 'settling' || verdict.verdict === 'waiting') return [];
  const { stop, reply, effect } = verdict;
  // Until it has settled a reply and an effect may still come; what has been said of it stands.
  const stopped = stop.state !== 'none' && verdict.settled;
  return [
    {
      about: 'call',
      call: named.of(call),
      verdict: [verdict.verdict],
      certainty: undefined,
      stop: stopped ? [stop.state] : undefined,
      reply: stopped ? [reply.state] : undefined,
      effect: verdict.settled ? [effect.state] : undefined,
    },
  ];
}

const usedBy = (probes: readonly ProbeSpec[], calls: readonly RecordedCall[]): readonly ProbeSpec[] =>
  probes.filter(({ name }) => calls.some(({ call }) => call.arrangement?.probes.includes(name)));

function withoutSecrets(server: ScenarioServer, secrets: string[]): ScenarioServer {
  switch (server.kind) {
    case 'demo':
      return server;
    case 'stdio':
      return { ...server, env: variables(server.env, secrets) };
    case 'http':
      return { ...server, headers: variables(server.headers, secrets) };
  }
}

function variables(values: Readonly<Record<string, string>>, secrets: string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, variable(name, secrets)]));
}

function withoutPassword(probe: ProbeSpec, secrets: string[]): ProbeSpec {
  if (probe.kind !== 'sql' || !probe.dsn.includes(MASK)) return probe;
  return { ...probe, dsn: probe.dsn.replaceAll(MASK, variable(`${probe.name}_PASSWORD`, secrets)) };
}

/** A variable of the environment that is called like a secret. */
function variable(name: string, secrets: string[]): string {
  const known = variableName(name);
  secrets.push(known);
  return variableOf(known);
}

/** How a secret is called as a variable of the environment: `X-Api-Key` is `X_API_KEY`. */
export const variableName = (name: string): string =>
  name
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')
    .toUpperCase();

const titleOf = (calls: readonly RecordedCall[]): string | undefined => {
  const [first] = calls;
  if (!first) return undefined;
  const tool = first.call.tool ?? first.call.method;
  const more = calls.length > 1 ? ` and ${calls.length - 1} more` : '';
  return first.call.stops.length > 0 ? `${tool}, then stop${more}` : `${tool}${more}`;
};

const settleOf = ({ call }: RecordedCall): number => (call.arrangement ? ms(call.arrangement.settle) : SETTLE_MS);
const ms = (t: Ns): number => Math.round(toMs(t));
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
