// A scenario as the text of a file: the inverse of reading it. What is written is what people would have written: the short
// forms, nothing that is the default, small things on one line.
import { Document, isCollection, isMap, type Node, Scalar, type YAMLMap } from 'yaml';
import { unreachable } from '../base/unreachable';
import type { ProbeSpec } from '../evidence/probe';
import type { Means } from '../wire/frame';
import { type FaultRule, PRESET_NAMES, PRESETS, ruleKey, type Until } from './faults';
import { ALL, type Expectation, type Scenario, type ScenarioServer, SETTLE_MS, type Step, type TaskWish } from './scenario';
import type { When } from './stops';

type Data = Readonly<Record<string, unknown>>;

/**
 * Writes a scenario.
 * @param place how its absolute paths are written; as they are when absent
 * @param notes lines of comment above everything
 */
export function writeScenario(scenario: Scenario, place: (path: string) => string = (path) => path, notes: readonly string[] = []): string {
  const { name, about, server, settleMs, probes, faults, steps, expect } = scenario;
  const data = without({
    version: 1,
    name,
    about,
    server: serverData(server, place),
    settle: settleMs === SETTLE_MS ? undefined : durationText(settleMs),
    probes: probes.length === 0 ? undefined : Object.fromEntries(probes.map((probe) => [probe.name, probeData(probe, place)])),
    faults: faults.length === 0 ? undefined : faults.map(faultData),
    steps: steps.map(stepData),
    expect: expect.length === 0 ? undefined : expect.map(expectationData),
  });
  const document = new Document(data, { version: '1.2' });
  if (notes.length > 0) document.commentBefore = notes.map((line) => ` ${line}`).join('\n');
  arrange(document);
  return document.toString({ lineWidth: 120 });
}

/** `250ms`, or `3s` where that is the same. */
export function durationText(ms: number): string {
  if (ms !== 0 && ms % 1000 === 0) return `${ms / 1000}s`;
  return Number.isInteger(ms) ? `${ms}ms` : `${ms.toFixed(3)}ms`;
}

/** What can be folded without losing anything: words, with nothing before and behind them. */
const PARAGRAPH = /^[\p{L}\p{N}](?:[^\s\p{C}]| (?=\S))*$/u;

/** Leaves are written on one line, what holds them on lines of their own. */
function arrange(document: Document): void {
  const top = document.contents;
  if (!isMap(top)) return;
  for (const { key, value } of top.items) {
    const name = key instanceof Scalar ? key.value : undefined;
    if (name === 'about' && value instanceof Scalar && PARAGRAPH.test(String(value.value))) value.type = 'BLOCK_FOLDED';
    if (name === 'server') inOneLine(value);
    if (name === 'probes' && isMap(value)) for (const { value: probe } of value.items) inOneLine(probe);
    if ((name === 'expect' || name === 'faults') && isCollection(value)) for (const one of value.items) inOneLine(one);
    if (name === 'steps' && isCollection(value)) for (const step of value.items) if (isMap(step)) arrangeStep(step);
  }
}

/** A step of one field stands on one line anyway; of several, each has its own, and what it holds is on that line. */
function arrangeStep(step: YAMLMap): void {
  for (const { value } of step.items) inOneLine(value);
}

/** Longer than this as JSON, which has more quotes, it is easier to read on several lines. */
const LONGEST = 120;

function inOneLine(node: unknown): void {
  if (!isCollection(node)) return;
  if (JSON.stringify((node as Node & { toJSON(): unknown }).toJSON()).length > LONGEST) {
    for (const item of node.items) inOneLine(item instanceof Object && 'value' in item && !(item instanceof Scalar) ? item.value : item);
    return;
  }
  node.flow = true;
}

function serverData(server: ScenarioServer, place: (path: string) => string): Data {
  const { protocol } = server;
  switch (server.kind) {
    case 'demo':
      return without({ demo: server.over ?? true, protocol });
    case 'stdio':
      return without({
        command: server.command,
        args: server.args.length === 0 ? undefined : server.args,
        env: filled(server.env),
        cwd: place(server.cwd) === '.' ? undefined : place(server.cwd),
        protocol,
      });
    case 'http':
      return without({
        url: server.url,
        transport: server.transport === 'auto' ? undefined : server.transport,
        headers: filled(server.headers),
        protocol,
      });
    default:
      return unreachable(server);
  }
}

function probeData(probe: ProbeSpec, place: (path: string) => string): Data {
  const { shared, done, owns } = probe;
  return without({ ...whereOf(probe, place), shared: shared || undefined, done, owns });
}

function whereOf(probe: ProbeSpec, place: (path: string) => string): Data {
  switch (probe.kind) {
    case 'folder':
      return { folder: place(probe.path), match: probe.match };
    case 'http':
      return {
        http: `127.0.0.1:${probe.port}`,
        status: probe.status === 200 ? undefined : probe.status,
        delay: probe.delayMs === 0 ? undefined : durationText(probe.delayMs),
      };
    case 'sql':
      return { sql: probe.dsn, query: probe.query, every: durationText(probe.everyMs) };
    case 'read':
      return 'tool' in probe.read
        ? { read: probe.read.tool, arguments: filled(probe.read.arguments), every: durationText(probe.everyMs) }
        : { read: probe.read.resource, every: durationText(probe.everyMs) };
    case 'command':
      return {
        command: probe.command,
        cwd: probe.cwd === undefined || place(probe.cwd) === '.' ? undefined : place(probe.cwd),
        every: durationText(probe.everyMs),
      };
    case 'process':
      return { process: true, every: durationText(probe.everyMs) };
    case 'otel':
      return { otel: `127.0.0.1:${probe.port}` };
    default:
      return unreachable(probe);
  }
}

function stepData(step: Step): Data {
  switch (step.step) {
    case 'call':
      return without({
        call: step.name,
        tool: step.tool,
        arguments: filled(step.arguments),
        probes: step.probes,
        normally: optional(step.normallyMs),
        settle: optional(step.settleMs),
        task: taskData(step.task),
      });
    case 'stop':
      return without({
        stop: step.call,
        when: whenData(step.when),
        how: step.how.means === 'cancel' ? undefined : meansData(step.how),
        reason: step.reason,
        fence: step.fence,
      });
    case 'settle':
      return { settle: step.call };
    case 'retry':
      return step.as === `${step.of}-retry` && step.arguments === undefined
        ? { retry: step.of }
        : { retry: without({ of: step.of, as: step.as, arguments: step.arguments }) };
    case 'wait':
      return { wait: durationText(step.ms) };
    case 'faults':
      return { faults: step.rules.map(faultData) };
    case 'release':
      return { release: ALL };
    default:
      return unreachable(step);
  }
}

/** A preset by its name, any other rule by its keys. */
function faultData(rule: FaultRule): unknown {
  const preset = PRESET_NAMES.find((name) =>
    PRESETS[name].rules.some((known) => known.title === rule.title && ruleKey(known) === ruleKey(rule)),
  );
  if (preset !== undefined) return preset;
  const { fault, on, dir, method, tool, call, times } = rule;
  return without({
    [fault]: on,
    by: rule.fault === 'delay' ? durationText(rule.ms) : undefined,
    until: rule.fault === 'hold' ? untilData(rule.until) : undefined,
    dir,
    method,
    tool,
    call,
    times,
  });
}

const ONE_OF = { requests: 'request', replies: 'reply', cancels: 'cancel', notifications: 'notification' } as const;

function untilData(end: Until): unknown {
  switch (end.until) {
    case 'key':
      return 'key';
    case 'time':
      return durationText(end.ms);
    case 'frame':
      return end.on !== 'all' && end.dir === undefined && end.method === undefined
        ? ONE_OF[end.on]
        : without({ frame: end.on, dir: end.dir, method: end.method });
    default:
      return unreachable(end);
  }
}

const taskData = (task: TaskWish | undefined): unknown => (task?.ttlMs === undefined ? task && true : { ttl: durationText(task.ttlMs) });

function whenData(when: When): unknown {
  switch (when.on) {
    case 'time':
      return when.afterMs === 0 ? undefined : durationText(when.afterMs);
    case 'progress':
      return { progress: when.count };
    case 'effect':
    case 'reply':
      return { on: when.on };
    default:
      return unreachable(when);
  }
}

function meansData(how: Means): unknown {
  switch (how.means) {
    case 'timeout':
      return how.silent ? { timeout: 'silent' } : 'timeout';
    case 'notify':
      return { notify: true };
    case 'cancel-id':
      return { 'cancel-id': how.id };
    case 'cancel':
    case 'abandon':
    case 'drop':
    case 'kill':
    case 'stop-polling':
      return how.means;
    default:
      return unreachable(how);
  }
}

function expectationData(expectation: Expectation): Data {
  switch (expectation.about) {
    case 'finding':
      return without({ finding: expectation.finding, absent: expectation.absent || undefined });
    case 'call': {
      const { call, verdict, certainty, stop, reply, effect } = expectation;
      return without({ call, verdict: few(verdict), certainty: few(certainty), stop: few(stop), reply: few(reply), effect: few(effect) });
    }
    default:
      return unreachable(expectation);
  }
}

/** One of them stands for itself. */
const few = (values: readonly string[] | undefined): unknown => (values?.length === 1 ? values[0] : values);

const optional = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : durationText(ms));

const filled = (of: Data): Data | undefined => (Object.keys(of).length === 0 ? undefined : of);

const without = (of: Data): Data => Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
