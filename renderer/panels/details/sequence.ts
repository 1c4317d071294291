// One call as a sequence between three lifelines: the client, the server, and the world. Pure: from what the fold, the
// judge and the world know to steps in order, each with its frame; the component only draws them. As everywhere solid is
// proved and dashed is inferred, and a lifeline goes on dashed where nothing is known of it any more.
import { minus, type Ns, words } from '../../../app/base/time';
import { opensAt } from '../../../app/evidence/probeCalls';
import type { World } from '../../../app/evidence/world';
import type { Call, Calls, StopAct } from '../../../app/trace/calls';
import { carriersOf, type Exchange, exchangeName, isTaken } from '../../../app/trace/exchanges';
import type { Trace } from '../../../app/trace/trace';
import { faultWords } from '../../../app/verdict/faults';
import type { Attributed, Verdict } from '../../../app/verdict/verdict';
import type { Seq } from '../../../app/wire/frame';
import { statusWords } from '../../taskWords';
import { taskCancels, taskPicture } from '../../timeline/tasks';
import { interval } from './watched';

export type Line = 'client' | 'server' | 'world';
export type StepRole = 'request' | 'cancel' | 'late' | 'breach' | 'proof' | 'unknown' | 'fault' | 'ink';

export interface Step {
  readonly seq: Seq;
  readonly t: Ns;
  /** From the stop where there was one, else from the request. */
  readonly when: string;
  readonly says: string;
  readonly role: StepRole;
  /** The same twice: it happened there, and nothing went anywhere. */
  readonly from: Line;
  readonly to: Line;
  /** Inferred, not proved. */
  readonly dashed: boolean;
  /** Below JSON-RPC: a status, the end of a response. It shows that something answered, and nothing of the call. */
  readonly thin?: boolean;
  /** A stream was closed: what would have come on it is cut off. */
  readonly cut?: true;
  /** Idle time before it was left out. */
  readonly after: string | undefined;
}

export interface Sequence {
  readonly steps: readonly Step[];
  /** Index of the step from which on a line is dashed; the number of steps when it never is. */
  readonly clientUntil: number;
  readonly serverUntil: number;
}

export interface SequenceSource {
  readonly trace: Trace;
  readonly calls: Calls;
  readonly world: World;
  readonly verdict: Verdict | undefined;
}

type Found = Omit<Step, 'when' | 'after'> & { readonly interval?: string };

/** Idle time of this share of the whole is marked, in ns at least a tenth of a second. */
const IDLE_SHARE = 0.25;
const IDLE_LEAST = 1e8;

export function sequenceOf(call: Call, source: SequenceSource): Sequence {
  const { verdict } = source;
  const stop = verdict?.stop.at;
  const origin = stop ?? call.sent.t;
  const found = [
    ...messages(call, source),
    ...stops(call),
    ...cutOff(verdict),
    ...faults(call),
    ...fence(call, source),
    ...effects(call, verdict, source.world, origin),
    ...losses(call, source),
    ...exchanges(call, source),
  ];
  found.sort((a, b) => a.t - b.t || a.seq - b.seq);
  const whole = minus(found.at(-1)?.t ?? origin, found[0]?.t ?? origin);
  const idle = Math.max(IDLE_LEAST, whole * IDLE_SHARE);
  const steps = found.map(({ interval: own, ...step }, i): Step => {
    const before = found[i - 1];
    const pause = before === undefined ? 0 : minus(step.t, before.t);
    return { ...step, when: own ?? interval(step.t, step.t, origin), after: pause >= idle ? words(pause as Ns) : undefined };
  });
  return { steps, clientUntil: untilStop(steps, stop, call.replies[0]?.seq), serverUntil: untilSilence(steps) };
}

function messages(call: Call, { trace, calls, verdict }: SequenceSource): Found[] {
  const stop = verdict?.stop.at;
  const name = call.tool ?? call.method;
  const mine = call.sender === 'client';
  const out = { from: mine ? 'client' : 'server', to: mine ? 'server' : 'client' } as const;
  const back = { from: out.to, to: out.from } as const;
  const late = (t: Ns): boolean => stop !== undefined && t > stop;
  const step = (stamp: { readonly seq: Seq; readonly t: Ns }, says: string, role: StepRole, way: typeof out | typeof back): Found => ({
    seq: stamp.seq,
    t: stamp.t,
    says,
    role,
    ...way,
    dashed: false,
  });
  return [
    ...(call.written ? [step(call.written, name, 'request', out)] : []),
    ...progress(call, trace, stop).map(({ seq, says }) =>
      step({ seq, t: trace.t(seq) }, says, late(trace.t(seq)) ? 'late' : 'request', back),
    ),
    ...taskSteps(call, calls, late),
    ...call.cancels.map((cancel) => step(cancel, cancel.reason === undefined ? 'cancel' : `cancel “${cancel.reason}”`, 'cancel', out)),
    ...call.misaddressed.map((cancel) => step(cancel, 'cancel for another id', 'cancel', out)),
    ...call.replies.map((reply, i) => {
      const task = call.task?.states.find(({ seq }) => seq === reply.seq);
      const what = task
        ? `task ${statusWords(task.status)}`
        : reply.shape === 'error'
          ? `error ${reply.code ?? ''}`.trim()
          : reply.asksInput
            ? 'input required'
            : reply.isError
              ? 'result, isError'
              : 'result';
      return step(reply, i === 0 ? what : task ? `then ${what}` : `${what}, again`, late(reply.t) ? 'late' : 'request', back);
    }),
  ];
}

/** A task: each state that is no outcome, the polls as how many there were, and what was sent to cancel it. */
function taskSteps(call: Call, calls: Calls, late: (t: Ns) => boolean): Found[] {
  const task = taskPicture(call, calls);
  if (!task) return [];
  const base = { role: 'request', dashed: false } as const;
  const states = task.segments
    .filter(({ isOutcome }) => !isOutcome)
    .map(({ seq, t, status, by }): Found => {
      const made = by === 'creation' ? 'a task' : 'task';
      return { ...base, seq, t, says: `${made}: ${statusWords(status)}`, role: late(t) ? 'late' : 'request', from: 'server', to: 'client' };
    });
  const polls = calls.all[call.task?.polls.at(-1) ?? -1];
  const asked: Found[] = polls
    ? [
        {
          ...base,
          ...polls.sent,
          says: task.polls.length === 1 ? 'tasks/get' : `tasks/get, the last of ${task.polls.length}`,
          from: 'client',
          to: 'server',
          thin: true,
        },
      ]
    : [];
  const cancels = taskCancels(call, calls).map(
    ({ seq, t, refused }): Found => ({
      ...base,
      seq,
      t,
      says: refused === undefined ? 'tasks/cancel' : `tasks/cancel, refused (${refused})`,
      role: 'cancel',
      from: 'client',
      to: 'server',
    }),
  );
  const given = (call.task?.updates ?? []).flatMap((index): readonly Found[] => {
    const update = calls.all[index];
    return update ? [{ ...base, ...update.sent, says: 'tasks/update', from: 'client', to: 'server' }] : [];
  });
  return [...states, ...asked, ...given, ...cancels];
}

/** Progress before and after the stop, each as its first and last message: a flood is no news. */
function progress(call: Call, trace: Trace, stop: Ns | undefined): readonly { readonly seq: Seq; readonly says: string }[] {
  const after = (seq: Seq): boolean => stop !== undefined && trace.t(seq) > stop;
  return [call.progress.filter((seq) => !after(seq)), call.progress.filter(after)].flatMap((list) => {
    const [first] = list;
    const last = list.at(-1);
    if (first === undefined || last === undefined) return [];
    if (list.length === 1) return [{ seq: first, says: 'progress' }];
    return [
      { seq: first, says: 'progress' },
      { seq: last, says: `progress, the last of ${list.length}` },
    ];
  });
}

/** What faults of ours did, at the client's end: it is between the client and the server that they stand. */
function faults(call: Call): Found[] {
  const here = { role: 'fault', from: 'client', to: 'client', dashed: false } as const;
  return call.faults.flatMap((one): Found[] => [
    { ...here, seq: one.seq, t: one.t, says: faultWords(one) },
    ...(one.released ? [{ ...here, seq: one.released.seq, t: one.released.t, says: 'what a fault of ours kept is let go' }] : []),
  ]);
}

/** Stops that left nothing on the wire; the others are told by their cancels. */
function stops(call: Call): Found[] {
  const here = (stamp: { readonly seq: Seq; readonly t: Ns }, says: string): Found => ({
    seq: stamp.seq,
    t: stamp.t,
    says,
    role: 'cancel',
    from: 'client',
    to: 'client',
    dashed: false,
  });
  return [
    ...call.stops.flatMap((stop) => {
      const says = unsaid(stop);
      return says === undefined ? [] : [here(stop, says)];
    }),
    ...call.undelivered.map((stop) => here(stop, 'the cancel never reached the wire')),
  ];
}

function unsaid({ how, wrote, late }: StopAct): string | undefined {
  if (late) return 'Stop pressed: too late, nothing sent';
  if (how.means === 'kill') return 'kills the server';
  if (wrote) return undefined;
  if (how.means === 'drop') return 'dropped the connection, told nobody';
  if (how.means === 'stop-polling') return 'stopped polling, told nobody';
  return how.means === 'timeout' ? 'timed out, told nobody' : how.means === 'abandon' ? 'gave up, told nobody' : undefined;
}

/** Where closing the stream is the cancel: a cut, and no message. */
function cutOff(verdict: Verdict | undefined): Found[] {
  const { state, at, because } = verdict?.stop ?? {};
  const [cut] = because ?? [];
  if (state !== 'stream-closed' || at === undefined || !cut) return [];
  const says = 'closes the stream: the cancel here';
  return [{ seq: cut.seq, t: at, says, role: 'cancel', from: 'client', to: 'server', dashed: false, cut: true }];
}

function fence(call: Call, { calls }: SequenceSource): Found[] {
  const ping = call.fence === undefined ? undefined : calls.all[call.fence];
  const pong = ping?.replies[0];
  if (!ping) return [];
  return [
    { ...ping.sent, says: ping.method, role: 'unknown', from: 'client', to: 'server', dashed: false },
    ...(pong
      ? [
          {
            seq: pong.seq,
            t: pong.t,
            says: `${ping.method === 'ping' ? 'pong' : `${ping.method} reply`}: read past the cancel`,
            role: 'proof',
            from: 'server',
            to: 'client',
            dashed: false,
          } as const,
        ]
      : []),
  ];
}

function effects({ session }: Call, verdict: Verdict | undefined, world: World, origin: Ns): Found[] {
  return (verdict?.effect.observations ?? []).flatMap((seen) => {
    const reverted = world.of(session, seen.probe)?.seen.find(({ seq }) => seq === seen.seq)?.reverted;
    const step: Found = {
      seq: seen.seq,
      // Where it is drawn: as late as it can have been seen to be there, and never before what is known to precede it.
      t: seen.hi,
      says: `${seen.says} · ${seen.probe}`,
      role: roleOf(seen),
      from: 'server',
      to: 'world',
      dashed: seen.certainty === 'inferred',
      interval: interval(seen.lo, seen.hi, origin),
    };
    return reverted
      ? [
          step,
          {
            ...step,
            seq: reverted.seq,
            t: reverted.t,
            says: `taken back · ${seen.probe}`,
            role: 'proof',
            interval: interval(reverted.t, reverted.t, origin),
          },
        ]
      : [step];
  });
}

function roleOf({ state, reverted }: Attributed): StepRole {
  if (reverted) return 'ink';
  return state === 'after' ? 'breach' : state === 'straddles' ? 'unknown' : 'ink';
}

/** The end of the session, where it came before any reply. */
function losses(call: Call, { calls }: SequenceSource): Found[] {
  if (call.replies.length > 0) return [];
  const end = calls.sessions.get(call.session)?.ends.find(({ t }) => t >= opensAt(call));
  if (!end) return [];
  const says =
    end.life.event === 'exited' ? 'the process ended' : end.life.event === 'lost' ? 'the session was lost' : 'the session was closed';
  return [{ seq: end.seq, t: end.t, says, role: 'unknown', from: 'server', to: 'server', dashed: false }];
}

/** The client waits until its stop, or its reply. */
function untilStop(steps: readonly Step[], stop: Ns | undefined, reply: Seq | undefined): number {
  const at = steps.findIndex((step) => (stop !== undefined && step.t >= stop) || step.seq === reply);
  return at < 0 ? steps.length : at;
}

/** The HTTP exchanges of a call: what its own responses were, and what its cancel's POST was answered. */
function exchanges(call: Call, { calls }: SequenceSource): Found[] {
  const session = calls.sessions.get(call.session);
  if (!session) return [];
  const own = carriersOf(call, session).flatMap((exchange) => responseSteps(exchange, exchange.opened ? ', a stream' : '', 'request'));
  return [
    ...own.filter(({ t }) => t >= call.sent.t),
    ...call.cancelExchanges.flatMap((exchange) => responseSteps(exchange, '', 'unknown')),
  ];
}

/** The head of a response, and its end where that brought no message. */
function responseSteps(exchange: Exchange, what: string, role: StepRole): Found[] {
  const { response, end } = exchange;
  const name = exchangeName(exchange);
  const steps: Found[] = [];
  const step = ({ seq, t }: { readonly seq: Seq; readonly t: Ns }, says: string, of: StepRole, from: Line): void => {
    steps.push({ seq, t, says, role: of, from, to: from === 'server' ? 'client' : from, dashed: false, thin: true });
  };
  if (response) step(response, `${name}: ${response.http.status}${what}`, isTaken(response.http.status) ? role : 'cancel', 'server');
  if (end?.http.http === 'failed') step(end, `${name} failed: ${end.http.why}`, 'unknown', 'client');
  if (end?.http.http === 'ended' && exchange.opened) step(end, `${name}: the stream ends`, role, 'server');
  return steps;
}

/** What the server does is known up to the last thing that came from it; a status may be some other instance's. */
function untilSilence(steps: readonly Step[]): number {
  return steps.findLastIndex(({ from, thin }) => from === 'server' && thin !== true) + 1;
}
