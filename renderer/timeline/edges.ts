// What happened after what, for one call, and how that is known. An edge names its reason and is drawn solid where it is
// proved: `fifo` (one pipe keeps its order), `id` (an answer names its request), `probe` (a probe saw it while this call
// was open on it), `clock` (both were stamped by the one clock, and their intervals do not touch). What only seems to
// follow is inferred, and dashed.
import type { Ns } from '../../app/base/time';
import type { Call } from '../../app/trace/calls';
import { keyOf } from '../../app/wire/jsonrpc';
import type { EffectMark, Facts, Mark, Picture } from './marks';
import { picture } from './marks';

export type Reason = 'fifo' | 'id' | 'probe' | 'clock';

/** One end of an edge: a mark's frame on a call's row. */
export interface End {
  readonly call: number;
  readonly seq: number;
  readonly t: Ns;
  /** The band that the mark lies on. */
  readonly band: 'upper' | 'lower';
}

export interface Edge {
  readonly from: End;
  readonly to: End;
  readonly reason: Reason;
  readonly proved: boolean;
  /** What the edge says. */
  readonly says: string;
}

const STOPS = ['cancel', 'untold', 'closed', 'killed', 'task-cancel'] as const;
type Stop = Extract<Mark, { mark: (typeof STOPS)[number] }>;
type Fence = Extract<Mark, { mark: 'fence' }>;

/** The edges of one call, in order of their causes. */
export function edgesOf(facts: Facts, of: Picture): readonly Edge[] {
  const edges: Edge[] = [];
  const end = (mark: { readonly at: Ns; readonly seq: number }, band: End['band'], call = of.call): End => ({
    call: call.index,
    seq: mark.seq,
    t: mark.at,
    band,
  });
  const add = (from: End, to: End, reason: Reason, proved: boolean, says: string): void => {
    edges.push({ from, to, reason, proved, says });
  };
  const request = end({ at: of.call.sent.t, seq: of.call.sent.seq }, 'upper');
  const stop = of.marks.find((mark): mark is Stop => STOPS.some((stop) => stop === mark.mark));
  const fence = of.marks.find((mark): mark is Fence => mark.mark === 'fence');
  // Over HTTP each goes by a connection of its own: written in this order, read in any.
  const apart = of.call.exchanges.length > 0;
  if (stop && stop.at >= of.call.sent.t) {
    const says = apart
      ? 'The client wrote the request before the stop. By HTTP they travel apart, and either may be read first.'
      : 'The client wrote the request before the stop.';
    add(request, end(stop, 'upper'), apart ? 'clock' : 'fifo', true, says);
  }
  if (stop && fence)
    add(end(stop, 'upper'), end(fence, 'upper'), 'fifo', true, `The ${fence.method} went out right behind the cancel, on the same pipe.`);
  for (const mark of of.marks) {
    switch (mark.mark) {
      case 'reply':
      case 'duplicate-reply':
        add(request, end(mark, 'upper'), 'id', true, 'The answer names the request.');
        break;
      case 'late-reply':
        add(request, end(mark, 'upper'), 'id', true, 'The answer names the request.');
        addLate(mark, end(mark, 'upper'), fence, stop && end(stop, 'upper'), add, end);
        break;
      case 'task-state':
        add(request, end(mark, 'upper'), 'id', true, 'What tells the state names the task, and the answer to this request has made that.');
        break;
      case 'progress':
        add(request, end(mark, 'lower'), 'id', true, "Progress names the request's token.");
        break;
      case 'effect':
        addEffect(mark, request, stop, fence, add, end);
        break;
      default:
        break;
    }
  }
  const tried = retriedBy(facts, of.call);
  if (tried)
    add(
      request,
      end({ at: tried.sent.t, seq: tried.sent.seq }, 'upper', tried),
      apart ? 'clock' : 'fifo',
      true,
      'The retry was written after the call that it repeats.',
    );
  return edges.sort((a, b) => a.from.t - b.from.t || a.to.t - b.to.t);
}

type Add = (from: End, to: End, reason: Reason, proved: boolean, says: string) => void;
type MakeEnd = (mark: { readonly at: Ns; readonly seq: number }, band: End['band']) => End;

function addLate(
  mark: Extract<Mark, { mark: 'late-reply' }>,
  to: End,
  fence: Fence | undefined,
  stop: End | undefined,
  add: Add,
  end: MakeEnd,
): void {
  if (fence?.pong && fence.pong.t <= mark.at)
    add(
      end({ at: fence.at, seq: fence.seq }, 'upper'),
      to,
      'fifo',
      true,
      'The answer came on the pipe after the pong: the server had read past the cancel.',
    );
  else if (stop) add(stop, to, 'clock', false, 'The answer arrived after the stop left; which the server did first is not known.');
}

function addEffect(mark: EffectMark, request: End, stop: Stop | undefined, fence: Fence | undefined, add: Add, end: MakeEnd): void {
  const to = end({ at: mark.at, seq: mark.seq }, 'lower');
  const sure = mark.certainty === 'proved';
  add(
    request,
    to,
    'probe',
    sure,
    sure ? `${mark.probe} saw it while this call alone was open on it.` : `${mark.probe} saw it while other calls were open on it too.`,
  );
  if (!stop) return;
  const cancel = end(stop, 'upper');
  if (mark.state === 'after') {
    add(cancel, to, 'clock', sure, `${mark.probe} did not find it yet when the stop had left, and found it later.`);
    if (fence?.pong && fence.pong.t <= mark.lo)
      add(end({ at: fence.at, seq: fence.seq }, 'upper'), to, 'clock', sure, 'It was not there yet when the pong had come.');
  } else if (mark.state === 'before') add(to, cancel, 'clock', true, `${mark.probe} had found it before the stop left.`);
}

/** The call that repeats this one. */
function retriedBy({ calls }: Facts, call: Call): Call | undefined {
  return calls.all.find(
    (other) =>
      other.session === call.session &&
      other.index > call.index &&
      other.arrangement?.retryOf !== undefined &&
      keyOf(other.arrangement.retryOf) === call.key,
  );
}

/**
 * Walks from a mark along the edges.
 * @param seq the selected mark's frame; the request's when none is selected
 * @param by 1 to what happened after it, −1 to what it happened after
 */
export function along(edges: readonly Edge[], seq: number, by: 1 | -1): End | undefined {
  const ends = edges.filter((edge) => (by > 0 ? edge.from : edge.to).seq === seq).map((edge) => (by > 0 ? edge.to : edge.from));
  // The nearest in time: a chain is walked link by link.
  return ends.sort((a, b) => (a.t - b.t) * by)[0];
}

/** The picture and edges of a call by its index. */
export function edgesOfCall(facts: Facts, index: number): readonly Edge[] {
  const call = facts.calls.all[index];
  return call ? edgesOf(facts, picture(facts, call)) : [];
}
