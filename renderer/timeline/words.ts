// What the timeline says in words: the short label beside a mark, and the one sentence that explains a mark to somebody
// who has never seen the grammar. A sentence states what was seen and what follows from it, never more.
import { asNs, type Ns, words } from '../../app/base/time';
import type { Ended } from '../../app/trace/calls';
import { exchangeName } from '../../app/trace/exchanges';
import type { LeftOpen } from '../../app/verdict/overHttp';
import { AFTER } from '../../app/verdict/words';
import type { Fault, Life, Seq, SessionNumber } from '../../app/wire/frame';
import { idText } from '../../app/wire/jsonrpc';
import { SAID_BY_WORDS, statusMeans, statusWords, timesText } from '../taskWords';
import type { Post } from './exchanges';
import type { EffectMark, Facts, Mark, Picture, Untold } from './marks';
import type { TaskPicture } from './tasks';

/** A length of time with its sign: `+87 ms`. */
export const signed = (t: Ns): string => (t < 0 ? `−${words(asNs(-t))}` : `+${words(t)}`);

/** What is above the row's name. */
export const nameOf = (of: Picture): string => of.call.tool ?? of.call.method;
/** `tools/call charge_card #12` */
export const requestText = ({ call }: Picture): string => [call.method, call.tool, idText(call.key)].filter(Boolean).join(' ');

const UNTOLD: Readonly<Record<Untold, string>> = {
  'gave-up': 'not told',
  'timed-out': 'not told',
  'stopped-polling': 'stopped polling, not told',
  dropped: 'dropped, not told',
  'told-another-id': 'told another id',
  undelivered: 'not delivered',
};

/** Labels of a mark, from most words to fewest; none for marks that speak for themselves. */
export function labels(mark: Mark, of: Picture, members = 1): readonly string[] {
  switch (mark.mark) {
    case 'request':
      return [];
    case 'reply':
      return replyLabels(mark);
    case 'late-reply':
      return lateLabels(mark);
    case 'duplicate-reply':
      if (mark.task !== undefined) return [`then ${statusWords(mark.task)}, after ${words(mark.took)}`, `then ${statusWords(mark.task)}`];
      return [`again after ${words(mark.took)}`, 'again'];
    case 'lost':
      return ['lost'];
    case 'progress':
      return progressLabels(mark, of);
    case 'cancel': {
      if (mark.wrong)
        return mark.post
          ? [`cancel by the wrong means · ${statusText(mark.post)}`, 'wrong means']
          : ['cancel by the wrong means', 'wrong means'];
      const what = mark.timeout ? `timeout ${words(mark.waited)}` : mark.stale ? 'cancel, too late' : 'cancel';
      const status = mark.post ? ` · ${statusText(mark.post)}` : '';
      const short = `${what}${status}`;
      return mark.reason === undefined || mark.timeout || mark.post?.refused ? [short] : [`${what} “${mark.reason}”${status}`, short];
    }
    case 'untold':
      if (mark.why === 'dropped' || mark.why === 'stopped-polling') return [UNTOLD[mark.why], 'not told'];
      return mark.why === 'timed-out' ? [`timeout ${words(mark.waited)}, not told`, 'not told'] : [UNTOLD[mark.why]];
    case 'closed':
      return [
        mark.timeout ? `timeout ${words(mark.waited)}, stream closed: the cancel here` : 'stream closed: the cancel here',
        'stream closed',
      ];
    case 'killed':
      return ['killed'];
    case 'task-state':
      return [statusWords(mark.segment.status)];
    case 'task-cancel':
      return taskCancelLabels(mark);
    case 'too-late':
      return ['too late, nothing sent', 'too late'];
    case 'fence':
      return mark.pong ? ['read past cancel', 'read'] : ['no pong so far', 'no pong'];
    case 'all-clear':
      return clearLabels(mark);
    case 'gap':
      return [];
    case 'fault':
      return faultLabels(mark);
    case 'work':
      return [`${WORK_WORDS[mark.sign]} goes on · ${mark.probe}`, WORK_WORDS[mark.sign]];
    case 'held':
      return [mark.freed ? `held open, let go · ${mark.probe}` : `held open · ${mark.probe}`, 'held open'];
    case 'effect':
      return effectLabels(mark, of, members);
  }
}

/** What became of the POST of a cancel: `202`, `500 undelivered`. */
export function statusText({ status, refused }: Post): string {
  if (refused !== undefined) return status === undefined ? 'failed, undelivered' : `${status} undelivered`;
  return status === undefined ? 'no status yet' : String(status);
}

/** How long a response has been left open, from most words to fewest. */
export function openLabels({ began, since, until }: LeftOpen, now: Ns): readonly string[] {
  const age = words(asNs(Math.max(0, (until ?? now) - since)));
  return began ? [`stream open ${age}`, `open ${age}`] : [`no response for ${age}`, `open ${age}`];
}

function taskCancelLabels({ timeout, waited, cancel, at }: Extract<Mark, { mark: 'task-cancel' }>): readonly string[] {
  const what = timeout ? `timeout ${words(waited)}: tasks/cancel` : 'tasks/cancel';
  if (cancel.refused !== undefined) return [`${what} · refused ${cancel.refused}`, what];
  return cancel.answer ? [`${what} · answered after ${words(asNs(cancel.answer.t - at))}`, what] : [`${what} · no answer yet`, what];
}

const WORK_WORDS = { process: 'process', span: 'span', cpu: 'CPU' } as const;

function replyLabels(mark: Extract<Mark, { mark: 'reply' }>): readonly string[] {
  const took = words(mark.took);
  if (mark.task !== undefined) return [`${statusWords(mark.task)} · ${took}`, statusWords(mark.task)];
  if (mark.failed === 'no') return [took];
  const what = mark.failed === 'error' ? String(mark.code ?? 'error') : 'tool error';
  return [`${what} · ${took}`, what];
}

function lateLabels(mark: Extract<Mark, { mark: 'late-reply' }>): readonly string[] {
  const by = signed(mark.by);
  const code = mark.failed && mark.code !== undefined ? ` ${mark.code}` : '';
  if (mark.task !== undefined) return [`${mark.again ? 'then ' : ''}${statusWords(mark.task)}${code} ${by}`, by];
  switch (mark.state) {
    case 'crossed':
      return [`crossed ${by}`, by];
    case 'acknowledged':
      return [`says cancelled${code} ${by}`, `says cancelled ${by}`, by];
    default:
      return [mark.failed ? `late error${code} ${by}` : `late ${by}`, `late ${by}`, by];
  }
}

function progressLabels(mark: Extract<Mark, { mark: 'progress' }>, of: Picture): readonly string[] {
  const share = mark.ppm < 0 ? undefined : `${Math.round(mark.ppm / 10_000)} %`;
  if (of.c === undefined) return of.waits.to === undefined && share ? [share] : [];
  if (mark.after === 0) return share ? [share] : [];
  const more = mark.after === 1 ? 'progress after cancel' : `${mark.after} × progress after cancel`;
  return share ? [`${more} · ${share}`, more, share] : [more, 'progress'];
}

const FAULT_LABELS: Readonly<Record<Fault, string>> = {
  delay: 'delayed',
  hold: 'held',
  drop: 'dropped',
  duplicate: 'sent twice',
  reorder: 'overtaken',
  cut: 'cut',
};

function faultLabels({ fault, what, keeps: isKept, until, at }: Extract<Mark, { mark: 'fault' }>): readonly string[] {
  const did = FAULT_LABELS[fault];
  const subject = what === 'request' ? 'call' : what;
  const lasted = isKept && until ? ` ${words(asNs(until.t - at))}` : '';
  return [`ours: ${subject} ${did}${lasted}`, `${did}${lasted}`, did];
}

function clearLabels(mark: Extract<Mark, { mark: 'all-clear' }>): readonly string[] {
  const where = mark.probes.join(', ');
  const seen = `no effect seen in ${where}`;
  return mark.past === undefined ? [seen, 'no effect seen'] : [`${seen}, past its normal ${words(mark.past)}`, seen, 'no effect seen'];
}

function effectLabels(mark: EffectMark, of: Picture, members: number): readonly string[] {
  const more = members > 1 ? ` · ${members} effects` : '';
  const where = ` · ${mark.probe}`;
  if (mark.reverted) return [`wrote, taken back${where}${more}`, `taken back${more}`];
  switch (mark.state) {
    case 'after': {
      const by = signed(mark.by ?? asNs(0));
      return [`${AFTER[of.stop]} ${by}${where}${more}`, `${by}${where}${more}`, `${by}${more}`];
    }
    case 'straddles': {
      const either = `±${words(asNs((mark.hi - mark.lo) / 2))}`;
      return [`order unknown ${either}${where}${more}`, `${either}${where}${more}`, `${either}${more}`];
    }
    case 'before':
      return [`wrote ${words(asNs(-(mark.by ?? 0)))} before${where}${more}`, `wrote${where}${more}`, `wrote${more}`];
    case 'observed':
      return [`wrote${where}${more}`, `wrote${more}`];
  }
}

/** Something that a pointer can rest on. */
export type Target =
  | { readonly on: 'mark'; readonly of: Picture; readonly mark: Mark; readonly members: readonly Mark[] }
  | { readonly on: 'span'; readonly of: Picture; readonly span: SpanName }
  | { readonly on: 'verdict'; readonly of: Picture }
  | { readonly on: 'not-probed'; readonly of: Picture }
  | { readonly on: 'row'; readonly row: number; readonly call: number | undefined }
  /** Calls of a lane that share these pixels. */
  | {
      readonly on: 'cells';
      readonly facts: Facts;
      readonly row: number;
      readonly calls: number;
      /** The first of them, and the worst. */
      readonly first: number;
      readonly worst: number;
      readonly rank: number;
      /** How many are as bad as the worst. */
      readonly count: number;
      readonly from: Ns;
      readonly to: Ns;
      /** Their places on the lane: from, and up to without. */
      readonly places: readonly [number, number];
    }
  | {
      readonly on: 'began';
      readonly session: SessionNumber;
      /** The session's (see `sessionName`). */
      readonly name: string;
      readonly seq: Seq;
      readonly at: Ns;
      readonly life: Extract<Life, { event: 'started' | 'connecting' }>;
    }
  | { readonly on: 'ended'; readonly session: SessionNumber; readonly name: string; readonly end: Ended };
export type SpanName = 'asks' | 'kept' | 'waits' | 'delivers' | 'open' | 'gone' | 'alive' | 'unknown' | 'watched';

/** The call that a target belongs to. */
export function callOf(target: Target): number | undefined {
  if ('of' in target) return target.of.call.index;
  if (target.on === 'cells') return target.worst;
  return target.on === 'row' ? target.call : undefined;
}

const MARK_NAMES: Readonly<Record<Mark['mark'], string>> = {
  request: 'the request',
  reply: 'the answer',
  'late-reply': 'the late answer',
  'duplicate-reply': 'the second answer',
  lost: 'the loss',
  progress: 'the last progress',
  cancel: 'the cancel',
  untold: 'giving up',
  closed: 'the closed stream',
  killed: 'the kill',
  'task-state': 'the task’s state',
  'task-cancel': 'tasks/cancel',
  'too-late': 'the stop that came too late',
  fence: 'the ping',
  'all-clear': 'the all-clear',
  gap: 'the gap',
  fault: 'the fault',
  work: 'the sign of work',
  held: 'what is held open',
  effect: 'the effect',
};

/** A mark as the subject of a sentence. */
export const nameOfMark = (mark: Mark): string => MARK_NAMES[mark.mark];

/** When a target was, for measuring; undefined for what is no moment. */
export function momentOf(target: Target): { readonly t: Ns; readonly at: string } | undefined {
  if (target.on === 'mark') return { t: target.mark.at, at: `${nameOfMark(target.mark)} of ${nameOf(target.of)}` };
  if (target.on === 'began') return { t: target.at, at: `the start of ${target.name}` };
  if (target.on === 'ended') return { t: target.end.t, at: `the end of ${target.name}` };
  return undefined;
}

export interface Explanation {
  readonly title: string;
  readonly sentence: string;
  readonly at: Ns | undefined;
  readonly seq: Seq | undefined;
}

/** One sentence on what a target means; undefined for what needs none. */
export function explain(target: Target): Explanation | undefined {
  switch (target.on) {
    case 'mark':
      return explainMark(target.mark, target.of, target.members.length);
    case 'span':
      return explainSpan(target.of, target.span);
    case 'verdict': {
      const { verdict } = target.of;
      if (!verdict) return undefined;
      return { title: verdict.verdict, sentence: verdict.sentence, at: undefined, seq: verdict.because[0]?.seq };
    }
    case 'not-probed':
      return { title: 'Not probed', sentence: notProbed(target.of.call.arrangement?.probes ?? []), at: undefined, seq: undefined };
    case 'began':
      return {
        title: target.name,
        sentence: beganSentence(target.life),
        at: target.at,
        seq: target.seq,
      };
    case 'ended':
      return { title: endTitle(target.end), sentence: endSentence(target.end), at: target.end.t, seq: target.end.seq };
    case 'cells':
      return explainCells(target);
    case 'row':
      return undefined;
  }
}

/** A probe of processes watches a call and yet sees no effect of it: work only. */
function notProbed(probes: readonly string[]): string {
  const nothing = 'so nothing is known about what it did in the world';
  if (probes.length === 0) return `No probe watched this call, ${nothing}.`;
  return `Only ${probes.join(', ')} watched this call, and that shows work, not effects, ${nothing}.`;
}

/** One call: what is said of it. Several: how many there are, and the worst of them. */
function explainCells({ facts, calls, worst, count, from, to }: Extract<Target, { on: 'cells' }>): Explanation | undefined {
  const call = facts.calls.all[worst];
  if (!call) return undefined;
  const verdict = facts.verdict(worst);
  const name = [call.tool ?? call.method, idText(call.key)].join(' ');
  const seq = verdict?.because[0]?.seq ?? call.sent.seq;
  const said = verdict?.sentence ?? 'Nothing is known of this call yet.';
  if (calls === 1) return { title: verdict ? `${name}: ${verdict.verdict}` : name, sentence: said, at: call.sent.t, seq };
  const span = Number.isFinite(to) ? ` in ${words(asNs(to - from))}` : '';
  const others = count > 1 ? ` ${count} of them are as bad.` : '';
  const headline = verdict ? `The worst of them is ${name}: ${verdict.verdict}.${others} ` : '';
  return { title: `${calls} calls${span}`, sentence: `${headline}Zoom in to tell them apart.`, at: from, seq: undefined };
}

/** `exited, code 7` */
export function endTitle({ life }: Ended): string {
  switch (life.event) {
    case 'exited':
      if (life.signal !== undefined) return `ended by ${life.signal}`;
      return life.code === undefined ? 'exited' : `exited, code ${life.code}`;
    case 'closed':
      return 'closed';
    case 'lost':
      return 'lost';
  }
}

const beganSentence = (life: Extract<Life, { event: 'started' | 'connecting' }>): string =>
  life.event === 'started'
    ? `The server's process ${life.pid} started; requests from here on went to it.`
    : `The server at ${life.url} was turned to here; requests from here on went to it.`;

function endSentence({ life }: Ended): string {
  switch (life.event) {
    case 'exited':
      return life.asked === 'nobody'
        ? "The server's process ended by itself. No call that was still open can be answered any more."
        : `The server's process ended because of ${life.asked === 'quit' ? 'quitting Stopgap' : `your ${life.asked}`}. No open call can be answered any more.`;
    case 'closed':
      return 'The connection to the server was closed. No open call can be answered any more.';
    case 'lost':
      return `The connection to the server was lost: ${life.why}`;
  }
}

function explainSpan(of: Picture, span: SpanName): Explanation | undefined {
  const now = undefined;
  switch (span) {
    case 'waits':
      return {
        title: requestText(of),
        sentence:
          of.waits.to === undefined
            ? 'The client is waiting for the answer.'
            : `The client waited ${words(asNs(of.waits.to - of.waits.from))}.`,
        at: of.waits.from,
        seq: of.call.sent.seq,
      };
    case 'delivers':
      return {
        title: 'A response is coming',
        sentence: 'The server has begun its response: an open stream, by which progress and the answer can come.',
        at: of.delivers[0]?.from,
        seq: now,
      };
    case 'open':
      return of.open && { ...explainOpen(of.open), at: of.open.since, seq: of.open.seq };
    case 'gone':
      return {
        title: 'No longer waiting',
        sentence:
          of.stop === 'stream-closed'
            ? 'The client has closed the stream of this call. The server may still be working, and no answer can come any more.'
            : 'The client has stopped waiting. The server may still be working, and an answer may still come.',
        at: of.gone?.from,
        seq: now,
      };
    case 'asks':
      return of.task && { ...explainAsks(of.task), at: of.task.polls[0] ?? of.task.news[0], seq: now };
    case 'kept':
      return {
        title: 'Kept until here',
        sentence: `The server said that it keeps the task for ${words(of.task?.ttl ?? asNs(0))} since it made it. From here on it may have forgotten it, with its result.`,
        at: of.task?.keptUntil,
        seq: of.call.task?.created?.seq,
      };
    case 'alive':
      return {
        title: 'Known to work',
        sentence: 'The server is known to have worked on this call up to here.',
        at: of.alive?.to,
        seq: now,
      };
    case 'watched':
      return {
        title: `Watched by ${(of.call.arrangement?.probes ?? []).join(', ')}`,
        sentence: 'The probes of this call were looking at their places in this time. What happened elsewhere they do not see.',
        at: of.watched?.from,
        seq: now,
      };
    case 'unknown':
      return {
        title: of.unknown?.to === undefined ? 'Unknown, still open' : `Unknown for ${words(asNs(of.unknown.to - of.unknown.from))}`,
        sentence: `Nothing proves what the server did in this time: it may have stopped, and it may have gone on. ${
          of.stop === 'stream-closed'
            ? 'Nothing can arrive since the stream was closed: only a probe can close this window.'
            : 'Silence is not success.'
        }`,
        at: of.unknown?.from,
        seq: now,
      };
  }
}

function explainAsks({ polls, news }: TaskPicture): Pick<Explanation, 'title' | 'sentence'> {
  const asked = `The client asked for the task’s state ${timesText(polls.length)} (tasks/get); each tick is one.`;
  const told = ` The server told of it unasked ${timesText(news.length)} (a notification); each triangle is one.`;
  return { title: 'How its state is known', sentence: `${polls.length > 0 ? asked : ''}${news.length > 0 ? told : ''}`.trim() };
}

function explainOpen({ began, until, exchange }: LeftOpen): Pick<Explanation, 'title' | 'sentence'> {
  const name = exchangeName(exchange);
  if (until !== undefined)
    return {
      title: 'Left open after the cancel',
      sentence: `${name} was never ended by the server; it was open until it was closed here.`,
    };
  return began
    ? {
        title: 'Stream still open',
        sentence: `The response stream of ${name} is open although its call was cancelled. No reply is owed on it any more.`,
      }
    : {
        title: 'Not answered',
        sentence: `Not even the head of a response to ${name} has come since the cancel: a client that waits for it waits for ever.`,
      };
}

function explainMark(mark: Mark, of: Picture, members: number): Explanation {
  return { title: titleOf(mark, of, members), sentence: sentenceOf(mark, of), at: mark.at, seq: mark.seq };
}

function titleOf(mark: Mark, of: Picture, members: number): string {
  const [label] = labels(mark, of, members);
  switch (mark.mark) {
    case 'request':
      return requestText(of);
    case 'reply':
      return mark.failed === 'no' ? `Answered in ${words(mark.took)}` : `Failed: ${label}`;
    case 'progress':
      return `Progress, ${mark.count} in all`;
    case 'gap':
      return `${mark.probe} could not look`;
    case 'task-state':
      return `Task ${statusWords(mark.segment.status)}`;
    default:
      return label ? label.charAt(0).toUpperCase() + label.slice(1) : mark.mark;
  }
}

function sentenceOf(mark: Mark, of: Picture): string {
  switch (mark.mark) {
    case 'request':
      return of.call.written?.seq === of.call.sent.seq
        ? 'The request was written to the server here.'
        : 'The client sent the request here, and a fault of ours kept it from the wire.';
    case 'reply':
      if (mark.task !== undefined) return `${statusMeans(mark.task)} The client was waiting for it.`;
      return mark.failed === 'no'
        ? 'The answer arrived while the client was waiting for it.'
        : 'The server answered with an error while the client was waiting.';
    case 'late-reply':
      return lateSentence(mark);
    case 'duplicate-reply':
      if (mark.task !== undefined) return `The task had come to an end before, and now is in another state. ${statusMeans(mark.task)}`;
      return 'The server answered this request once more. A client built on the SDK never sees it.';
    case 'lost':
      return `${mark.says ?? 'The session ended before any answer'}. What the call did is not known from the wire.`;
    case 'progress':
      return mark.after > 0 && of.c !== undefined
        ? `${mark.after} of ${mark.count} progress notifications came after the stop: the server was still working on it.`
        : `The last of ${mark.count} progress notifications.`;
    case 'cancel':
      if (mark.wrong) return WRONG_MEANS;
      if (mark.post) return `${mark.timeout ? 'The client ran out of patience. ' : ''}${postSentence(mark.post)} ${ASKS}`;
      return mark.timeout
        ? 'The client ran out of patience and wrote notifications/cancelled. It asks the server to stop; it undoes nothing.'
        : mark.stale
          ? 'A cancel was written for a request that had been answered already.'
          : 'notifications/cancelled was written to the wire here. It asks the server to stop; it undoes nothing.';
    case 'untold':
      return UNTOLD_SENTENCE[mark.why];
    case 'closed':
      return `${mark.timeout ? 'The client ran out of patience and closed' : 'The client closed'} the response stream of this call here. In this revision that is the cancel, and no message: nothing that the server says afterwards can be heard.`;
    case 'killed':
      return "The server's process was ended by the client. Whatever it had started may go on without it.";
    case 'task-state':
      return taskStateSentence(mark);
    case 'task-cancel':
      return taskCancelSentence(mark);
    case 'too-late':
      return 'Stop was pressed after the answer had arrived, so nothing was sent.';
    case 'fence':
      return fenceSentence(mark);
    case 'all-clear':
      return `The probe watched ${mark.probes.join(', ')} up to here and saw no effect there. That says nothing about other places.`;
    case 'gap':
      return `For ${words(asNs(mark.until - mark.at))} the probe could not watch: ${mark.why}. What happened there in that time is not known.`;
    case 'fault':
      return `${mark.says.charAt(0).toUpperCase()}${mark.says.slice(1)}. That is our doing, not the server’s, and no verdict lays it to the server.`;
    case 'work':
      return workSentence(mark);
    case 'held':
      return mark.freed
        ? `${mark.probe}: ${mark.says}. It was let go of ${words(asNs(mark.freed.t - mark.at))} later.`
        : `${mark.probe}: ${mark.says}. It is still held, so this call has not really ended at its place.`;
    case 'effect':
      return effectSentence(mark, of);
  }
}

const WRONG_MEANS =
  'notifications/cancelled was sent, and that is the wrong means for this call: it tells nobody to stop, and what the call does goes on.';
const ASKS = 'A cancel asks the server to stop; it undoes nothing.';

function taskStateSentence({ segment, after }: Extract<Mark, { mark: 'task-state' }>): string {
  const { status, says, by, told } = segment;
  const said = says === undefined ? '' : ` It adds: “${says}”.`;
  const often = told > 1 ? ` It said so ${timesText(told)}.` : '';
  return `${statusMeans(status)}${said} Told ${SAID_BY_WORDS[by]}.${often}${after ? ' That was after the stop.' : ''}`;
}

function taskCancelSentence({ cancel, at }: Extract<Mark, { mark: 'task-cancel' }>): string {
  const sent = 'tasks/cancel was sent: the one means by which a task is asked to stop.';
  if (cancel.refused !== undefined) return `${sent} The server refused it (error ${cancel.refused}).`;
  if (!cancel.answer) return `${sent} The server has not answered it yet.`;
  return `${sent} The server answered after ${words(asNs(cancel.answer.t - at))}, which only acknowledges it: what the work behind the task does is another thing.`;
}

/** What the status of a cancel's POST is worth. */
function postSentence({ name, status, refused }: Post): string {
  if (refused !== undefined) return `${refused}. The server is not known to have been told.`;
  if (status === undefined) return `${name} with notifications/cancelled was written here; its status has not come yet.`;
  return `${name} with notifications/cancelled was written here and answered ${status}: something received it, not necessarily the instance that runs the call.`;
}

function workSentence(mark: Extract<Mark, { mark: 'work' }>): string {
  const seen = `${mark.probe}: ${mark.says}.`;
  const often = mark.count > 1 ? ` Seen ${mark.count} times over ${words(asNs(mark.at - mark.since))}.` : '';
  return `${seen}${often} ${mark.after ? 'Work went on after the stop' : 'A sign of work'}; that is no effect by itself.`;
}

const UNTOLD_SENTENCE: Readonly<Record<Untold, string>> = {
  'gave-up': 'The client stopped waiting here and told nobody. The server goes on as if nothing had happened.',
  'timed-out': 'The client ran out of patience here and told nobody. The server goes on as if nothing had happened.',
  'stopped-polling':
    'The client stopped asking for the task’s state here and told nobody. The task goes on as if nothing had happened: an orphan.',
  dropped:
    'The client closed the connection of this call. A disconnect is not a cancel in this revision: most servers go on, and nothing that they answer can be heard.',
  'told-another-id': 'A cancel went out, but it named another request. The server was not told to stop this one.',
  undelivered: 'A cancel was asked for and never reached the wire. The server was not told.',
};

function lateSentence(mark: Extract<Mark, { mark: 'late-reply' }>): string {
  const by = words(mark.by);
  if (mark.task !== undefined)
    return `${mark.again ? 'The task had come to another end before. ' : ''}${statusMeans(mark.task)} That was told ${by} after the stop.`;
  switch (mark.state) {
    case 'crossed':
      return `The answer came ${by} after the stop; the server cannot be shown to have read the cancel before it answered.`;
    case 'acknowledged':
      return `An answer that says “cancelled” came ${by} after the stop. It proves nothing about what the call did.`;
    default:
      return `The answer came ${by} after the stop, to a client that no longer listened.`;
  }
}

function fenceSentence(mark: Extract<Mark, { mark: 'fence' }>): string {
  if (!mark.pong)
    return `A ${mark.method} went out right behind the cancel. Until it is answered, nothing shows that the server has read the cancel.`;
  const read = `The ${mark.method} behind the cancel was answered after ${words(asNs(mark.pong.t - mark.at))}: the server had read past the cancel by then.`;
  return mark.blocked ? `${read} It had read nothing for a while before.` : `${read} Whether it could still stop is not known.`;
}

function effectSentence(mark: EffectMark, of: Picture): string {
  const seen = `${mark.probe}: ${mark.says}`;
  const within = mark.hi - mark.lo < 1e5 ? '' : ` It was absent ${words(asNs(mark.hi - mark.lo))} before it was seen.`;
  const perhaps = mark.certainty === 'inferred' ? ' Another call may have caused it.' : '';
  const by = words(asNs(Math.abs(mark.by ?? 0)));
  if (mark.reverted) return `${seen}, and was taken back ${words(asNs(mark.reverted.t - mark.hi))} later.${perhaps}`;
  switch (mark.state) {
    case 'after':
      return `${seen}, ${by} ${AFTER[of.stop].replace('after cancel', 'after your cancel')}.${within}${perhaps}`;
    case 'straddles':
      return `${seen}. It happened around the stop; which came first cannot be told.${perhaps}`;
    case 'before':
      return `${seen}, ${by} before the stop: stopping could not undo it.${within}${perhaps}`;
    case 'observed':
      return `${seen}.${within}${perhaps}`;
  }
}
