// The verdict as a sentence: what a tired person reads first. It states observations and their times and never more: no
// "did not happen", no "was stopped" without the words that say how far anybody looked.
import { FOREVER, minus, type Ns, words } from '../base/time';
import { unreachable } from '../base/unreachable';
import type { Reply } from '../trace/calls';
import { exchangeName, statusOf } from '../trace/exchanges';
import { writtenAt } from '../trace/faults';
import { eraOf } from '../wire/era';
import { heardCancel, unanswered } from './overHttp';
import { silence, taskCallerSaw, taskRemark, taskSentence, unknownTask } from './taskSentences';
import type { Attributed, Headline } from './verdict';
import { succeeded, type View } from './view';

/** The sentence of a headline for a call that it applies to. */
export function sentence(headline: Headline, view: View): string {
  const says = taskSentence(headline, view, yourStop(view)) ?? main(headline, view);
  return `${says}${shared(view)}${fenceRemark(headline, view)}${postRemark(headline, view)}${taskRemark(headline, view)}${faultRemark(view)}`;
}

function main(headline: Headline, view: View): string {
  const { stop, reply, effect, call } = view;
  const worst = effect.worst;
  switch (headline) {
    case 'double-write':
      return `It happened twice: the stopped call and this retry each had an effect of their own (${seen(worst)}).`;
    case 'write-after-cancel':
      return `The write landed ${distance(worst, stop.at)} after your cancel: ${seen(worst)}.${readBy(view)}`;
    case 'never-told':
      return `${neverTold(view)}: ${untold(view)}.${worst ? ` The write landed${when(worst, stop.at)}: ${what(worst)}.` : ''}${afterDrop(view)}`;
    case 'outlived-kill':
      return `The write landed ${distance(worst, stop.at)} after the server had been killed: ${seen(worst)}.`;
    case 'write-before-cancel':
      return `The write was there ${lead(worst, stop.at)} before ${yourStop(view)}, and Stop does not undo: ${seen(worst)}.`;
    case 'write-order-unknown':
      return `The write and ${yourStop(view)} are too close together to tell which came first: ${seen(worst)}.`;
    case 'late-result-write':
      return `The tool may write, and it reported success ${late(view)} after ${yourStop(view)}. No probe watched for an effect, so its word is all there is.`;
    case 'still-working':
      return `The server went on working after ${yourStop(view)}: ${works(view)}.`;
    case 'invalid-cancel':
      return stop.flags.includes('forbidden')
        ? 'A client must not cancel initialize; this cancel broke the protocol.'
        : 'This cancel was the wrong means for this call: over HTTP in this revision closing its response stream is the cancel, and a notification tells nobody to stop.';
    case 'lost':
      if (call.written === undefined && call.faults.length > 0) return 'The call never reached the server.';
      if (reply.at !== undefined) return `The server had answered after ${took(view)}, and the client was never told.`;
      return `${cap(reply.because[0]?.says ?? 'the server was killed before any reply')}: what the call had done by then is not known.`;
    case 'unknown-write':
      return `${unknownStart(view)} ${effect.state === 'watch-gap' ? 'The watch had a gap' : 'No probe watched for an effect'}, and the tool may write: assume that it may have happened.`;
    case 'late-result':
      return `The result came ${late(view)} after ${yourStop(view)}${effect.state === 'not-seen' ? `; nothing was seen in ${list(effect.probes)}` : ''}.`;
    case 'late-error':
      return `An error came ${late(view)} after ${yourStop(view)}${effect.state === 'not-seen' ? `; nothing was seen in ${list(effect.probes)}` : ''}.`;
    case 'rolled-back':
      return `What was seen was taken back: ${effect.observations.map(what).join(', ')}, then undone.`;
    case 'acknowledged':
      return `The server answered "cancelled" ${late(view)} after ${yourStop(view)}, which proves nothing by itself${effect.state === 'not-seen' ? `; nothing was seen in ${list(effect.probes)} so far` : ''}.`;
    case 'crossed':
      return `The reply and the cancel crossed on the wire: ${crossing(view)}.`;
    case 'unknown-read':
      return `${view.stop.state === 'stream-closed' ? 'Nothing can be heard since its stream was closed.' : 'Silence since the cancel.'} The tool says it only reads; whether it stopped is not known.`;
    case 'quiet':
      return `${silence(view)}${view.call.task ? ',' : ''} and nothing was seen in ${list(effect.probes)} so far, ${quietBecause(view)}.`;
    case 'stopped':
      return `${silence(view)}, and nothing was seen in ${list(view.outlasted?.map(({ probe }) => probe) ?? [])} for longer than the call would still have needed${normal(view)}.`;
    case 'finished-first':
      if (stop.state === 'too-late' && view.first?.asksInput)
        return `The server had answered with a request for input (${wanted(view.first)}) before you pressed Stop: no request was open that a cancel could name, and no further round was sent. The tool had not said that its work is done.`;
      return stop.state === 'too-late'
        ? 'The call had been answered before you pressed Stop; nothing was sent.'
        : `The call had been answered before ${stop.state === 'sent' ? 'the cancel was written' : yourStop(view)}.`;
    case 'settling':
      return `The stop was a moment ago: ${effect.state === 'not-seen' ? `watching what happens in ${list(effect.probes)}` : 'waiting for what comes'}.`;
    case 'waiting':
      if (call.replies.length > 0) return 'In flight: the server has answered, and the client has not been told.';
      return call.written ? 'In flight: sent and not answered yet.' : 'On its way: the server has not been sent it yet.';
    case 'completed':
      return `Answered after ${took(view)}${worst ? `; ${what(worst)}` : ''}. Nobody stopped it.`;
    case 'failed':
      if (view.first?.asksInput)
        return `The server asked for input after ${took(view)} (${wanted(view.first)}), which is not given from here: the tool has not done its work. Nobody stopped it.`;
      return `Answered with ${view.first?.shape === 'error' ? `error ${view.first.code ?? ''}${meaning(view.first)}` : 'a result that says isError'} after ${took(view)}. Nobody stopped ${call.method === 'tools/call' ? 'it' : 'the request'}.`;
    default:
      return unreachable(headline);
  }
}

/** What a request for input wants to know. */
const wanted = ({ asks }: Reply): string => (asks.length === 0 ? 'input_required' : [...new Set(asks)].join(', '));
const meaning = ({ means }: Reply): string => (means === undefined ? '' : ` (${means})`);
const cap = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const list = (names: readonly string[]): string => names.join(', ') || 'nothing';
const what = (o: Attributed): string => `${o.says} (probe ${o.probe})`;
const seen = (o: Attributed | undefined): string => (o ? what(o) : 'see the evidence');
const yourStop = (view: View): string =>
  view.stop.state === 'sent' || view.stop.state === 'stream-closed' || view.stop.state === 'task-cancel'
    ? 'your cancel'
    : view.stop.state === 'killed'
      ? 'the kill'
      : 'your stop';
const late = (view: View): string => (view.reply.lateBy === undefined ? 'some time' : words(view.reply.lateBy));
const took = ({ reply, call }: View): string => (reply.at === undefined ? 'some time' : words(minus(reply.at, writtenAt(call))));

/** How far apart they were; a reply that a fault of ours kept had come before. */
function crossing(view: View): string {
  const { reply, stop } = view;
  if (reply.at === undefined || stop.at === undefined || reply.at >= stop.at) return `the reply came ${late(view)} after it was sent`;
  const passed = reply.lateBy === undefined ? 'has not got through yet' : `got through ${late(view)} after it`;
  return `the reply had left the server ${words(minus(stop.at, reply.at))} before the cancel, and ${passed}`;
}

/** What faults of ours did to the call: nobody is to lay that to the server. */
function faultRemark(view: View): string {
  const { faults: all, overtaken, stop } = view;
  // What lane "stop" says already is not said twice.
  const faults = all.filter(({ seq }) => stop.state !== 'undelivered' || stop.because.every((because) => because.seq !== seq));
  if (faults.length === 0) return '';
  const more = faults.length > MOST_FAULTS ? `, and ${faults.length - MOST_FAULTS} more` : '';
  const said = ` ${cap(
    faults
      .slice(0, MOST_FAULTS)
      .map(({ says }) => says)
      .join(', '),
  )}${more}.`;
  return overtaken
    ? `${said} ${view.call.written ? 'The call was written after its cancel' : 'The call has not been written yet'}, and a cancel for a call that the server does not know yet does nothing.`
    : said;
}

const MOST_FAULTS = 3;

/** How long after the stop: one figure where the interval is narrow, both ends where it is not. */
function distance(o: Attributed | undefined, at: Ns | undefined): string {
  return o && at !== undefined ? between(minus(o.lo, at), minus(o.hi, at)) : 'some time';
}

/** How long before the stop. */
function lead(o: Attributed | undefined, at: Ns | undefined): string {
  return o && at !== undefined ? between(minus(at, o.hi), minus(at, o.lo)) : 'some time';
}

function between(from: Ns, to: Ns): string {
  if (to - from <= 0.15 * to || words(from) === words(to)) return words(to);
  return from <= 0 ? `at most ${words(to)}` : `between ${words(from)} and ${words(to)}`;
}

function when(o: Attributed, at: Ns | undefined): string {
  if (o.state === 'after') return ` ${distance(o, at)} after that`;
  if (o.state === 'before') return ` ${lead(o, at)} before that`;
  return '';
}

function readBy(view: View): string {
  const { effect, fence, stop } = view;
  if (effect.readFirst !== 'yes' || fence.at === undefined || !effect.worst || stop.at === undefined) return '';
  return ` The server had read the cancel at least ${words(minus(effect.worst.lo, fence.at))} before it.`;
}

function untold(view: View): string {
  const { stop } = view;
  if (stop.state === 'misaddressed') return 'the cancel named another request';
  if (stop.state === 'undelivered') return stop.because[0]?.says ?? 'the cancel did not reach the wire';
  return stop.because[0]?.says ?? 'the client only stopped waiting';
}

/** A cancel that was written and got no answer may have been read. */
const neverTold = ({ stop }: View): string =>
  stop.certainty === 'proved' ? 'The server was never told to stop' : 'Nothing shows that the server was told to stop';

/** What followed when somebody dropped the connection: the only thing that some servers stop for, and nothing to most. */
function afterDrop(view: View): string {
  const { stop, reply, effect, call, session, outlasted } = view;
  if (stop.how?.means !== 'drop' || reply.state !== 'none') return '';
  const deaf = unanswered(call, session)?.how === 'dropped' ? ' Nothing that the server answers can be heard any more.' : '';
  if (!outlasted || effect.state !== 'not-seen' || effect.observations.length > 0) return deaf;
  const where = list(outlasted.map(({ probe }) => probe));
  return `${deaf} Nothing was seen in ${where} for longer than the call would still have needed: this server may stop when its connection is dropped, which the revision does not ask for.`;
}

function works(view: View): string {
  const { progress, logs, requests } = view.after;
  const parts = [
    progress > 0 ? `${progress} progress ${progress === 1 ? 'notification' : 'notifications'}` : '',
    requests > 0 ? `${requests} ${requests === 1 ? 'request' : 'requests'} of its own` : '',
    view.after.work > 0 ? (view.after.because.at(-1)?.says ?? '') : '',
    logs > 0 ? `${logs} log ${logs === 1 ? 'message' : 'messages'} while no other call was open` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function unknownStart(view: View): string {
  const ofTask = unknownTask(view, yourStop(view));
  if (ofTask !== undefined) return ofTask;
  const { reply } = view;
  if (reply.state === 'acknowledged') return `The server answered "cancelled" after ${late(view)}, which proves nothing.`;
  if (reply.state === 'late-error') return `An error came ${late(view)} after ${yourStop(view)}.`;
  if (reply.state === 'late-result') return `The result came ${late(view)} after ${yourStop(view)}.`;
  if (view.stop.state === 'stream-closed')
    return 'The response stream was closed, which is the cancel here: nothing can be heard after it.';
  return 'Silence since the cancel, which a server owes whether it stopped or went on.';
}

function quietBecause(view: View): string {
  if (view.taskCancel?.refused !== undefined) return 'but it was refused to stop';
  if (view.held[0]) return `but the server still holds something open: ${view.held[0].says}`;
  if (view.normally === undefined) return 'and how long the call normally takes is not known';
  if (view.call.written === undefined) return 'and the server has not been sent the call yet';
  if (view.outlastAt === FOREVER) return `but ${unread(view)}: it may not even have been read`;
  return `and its normal ${words(view.normally.takes)} (half as much again) are not over, or not watched to the end`;
}

/** What has to come before anybody may say that the cancel was read. */
function unread(view: View): string {
  const post = heardCancel(view.call)?.exchange;
  return post ? `${exchangeName(post)} with the cancel has not been answered` : `the server has not answered ${askedWords(view)}`;
}

const normal = (view: View): string => (view.normally ? ` (it normally takes ${words(view.normally.takes)})` : '');

/** Said whenever what was seen may be somebody else's. */
function shared(view: View): string {
  const worst = view.effect.worst;
  return worst?.certainty === 'inferred' ? ' It may not be this call’s own: others could write there at that time.' : '';
}

/** What went out behind the cancel: a ping, and where there is none what stands in its place. */
const fenceWord = ({ session }: View): string => eraOf(session.opened?.life.protocol).cheapRead;
/** What shows by its answer that the cancel was read. */
const askedWords = (view: View): string => (view.taskCancel ? 'the tasks/cancel' : `the ${fenceWord(view)} behind the cancel`);

/** What the fence had to say, where it changes how the rest is to be read. */
function fenceRemark(headline: Headline, view: View): string {
  const { fence } = view;
  if (fence.blocked) return ' The server was blocked: it read nothing, the cancel included, until the call was over.';
  const matters =
    headline === 'write-after-cancel' || headline === 'still-working' || headline === 'unknown-write' || headline === 'crossed';
  if (matters && view.settled && fence.state === 'unanswered')
    return ` ${cap(askedWords(view))} was not answered, so whether it was read is not known.`;
  return '';
}

/**
 * Over HTTP: a cancel that was accepted, and a call that ran on all the same. Said where the server answered the call as if
 * nothing had been asked, or where it can have no session in which the two would meet.
 */
function postRemark(headline: Headline, view: View): string {
  const { session, reply, after, effect, call } = view;
  const post = heardCancel(call)?.exchange;
  const status = post && statusOf(post);
  if (!post || status === undefined || headline === 'finished-first' || headline === 'invalid-cancel') return '';
  const alone = session.opened?.life.stateful === false;
  const answered = reply.state === 'late-result' || reply.state === 'late-error';
  const ranOn = answered || (alone && (after.because.length > 0 || effect.state === 'after'));
  const accepted = `the POST was accepted (${status})`;
  if (ranOn) {
    const where = alone ? 'On a stateless server every request stands alone: ' : '';
    return ` ${where === '' ? cap(accepted) : `${where}${accepted}`}, and the call ran on: this server does not connect the two.`;
  }
  if (alone && view.settled && (headline === 'unknown-write' || headline === 'unknown-read' || headline === 'quiet'))
    return ` This server is stateless: ${accepted}, by whatever instance, and need not have met the call.`;
  return '';
}

/** The codes of a client's own errors. */
interface ClientCodes {
  readonly timeout: string;
  readonly closed: string;
}

/** The SDK's clients: the first line has numbers, and the second, which is the one that speaks 2026-07-28, has words. */
const FIRST_LINE: ClientCodes = { timeout: '-32001', closed: '-32000' };
const SECOND_LINE: ClientCodes = { timeout: 'REQUEST_TIMEOUT', closed: 'CONNECTION_CLOSED' };
const codesOf = ({ session }: View): ClientCodes => (eraOf(session.opened?.life.protocol).modern ? SECOND_LINE : FIRST_LINE);

/** The reason that goes out with a timeout's cancel is not what the caller is told. */
const timedOut = ({ timeout }: ClientCodes): string => `Error ${timeout}, “Request timed out”: the same as a failure.`;
const closed = (codes: ClientCodes): string => `Error ${codes.closed}, “Connection closed”: the same as a failure.`;
const stoppedBy = ({ timeout }: ClientCodes, reason: string | undefined): string =>
  `Error ${timeout}${reason ? `, “${reason}”` : ''}: the code of a timeout, the same as a failure.`;

/** What a client built on the TypeScript SDK would have been told: all that its model ever learns. */
export function callerSaw(view: View): string {
  const ofTask = taskCallerSaw(view);
  if (ofTask !== undefined) return ofTask;
  const { stop, first, reply } = view;
  const codes = codesOf(view);
  // It has its answer already; whatever is done to the call afterwards changes nothing of that.
  if (reply.state === 'in-time') return answered(view);
  const dropped = first ? ' The reply that came later was dropped.' : '';
  switch (stop.state) {
    case 'sent':
    case 'stream-closed':
    case 'task-cancel':
      return `${stop.how?.means === 'timeout' ? timedOut(codes) : stoppedBy(codes, stop.reason)}${dropped}`;
    case 'undelivered':
      if (view.call.exchanges.length > 0 && stop.how?.means === 'cancel')
        return `${stoppedBy(codes, stop.reason)} That the cancel came to nothing reaches only its error handler.${dropped}`;
      return untoldCaller(view, dropped);
    case 'not-sent':
    case 'misaddressed':
      return untoldCaller(view, dropped);
    case 'killed':
      return closed(codes);
    case 'too-late':
    case 'none':
      return reply.state === 'lost' ? lostCaller(view) : 'Nothing yet: it is waiting.';
    default:
      return unreachable(stop.state);
  }
}

function untoldCaller(view: View, dropped: string): string {
  const { stop, call } = view;
  const codes = codesOf(view);
  // A cancel that is lost on its way is out for the client.
  if (stop.how?.means === 'cancel' && stop.state === 'undelivered' && call.faults.length > 0)
    return `${stoppedBy(codes, stop.reason)}${dropped}`;
  if (stop.how?.means === 'timeout') return `${timedOut(codes)}${dropped}`;
  if (stop.how?.means !== 'drop') return `Nothing: the client stopped waiting.${dropped}`;
  const post = call.exchanges.at(-1);
  if (!post) return closed(codes);
  return post.opened ? waitsOn(codes) : 'The error of the connection: the same as a failure.';
}

/** The SDK's client does not end a request because its stream has ended; it does when its own time is over. */
function waitsOn(codes: ClientCodes): string {
  const then = timedOut(codes);
  return `Nothing at once: it goes on waiting until its own timeout (60 s by default). Then: ${then.charAt(0).toLowerCase()}${then.slice(1)}`;
}

/** Of a call that was lost: a refusal is an error of the transport, a stream that ended tells nobody. */
function lostCaller(view: View): string {
  const { call, session, reply } = view;
  const codes = codesOf(view);
  if (reply.at !== undefined || call.written === undefined) return waitsOn(codes);
  const closing = unanswered(call, session);
  if (!closing) return closed(codes);
  if (closing.how === 'refused')
    return `An error of the transport, “Error POSTing to endpoint” with status ${statusOf(closing.exchange)}: the same as a failure.`;
  // A response that only accepts the request leaves it waiting for a stream, as one that has ended does.
  if (closing.exchange.opened || statusOf(closing.exchange) === 202) return waitsOn(codes);
  return `The error of the ${closing.how === 'failed' ? 'connection' : 'transport'}: the same as a failure.`;
}

function answered({ first }: View): string {
  if (first?.shape === 'error') return `Error ${first.code ?? ''}, as it came.`;
  // The second line asks what its application has registered for that, and sends the next round by itself.
  if (first?.asksInput)
    return first.asks.length === 0
      ? 'Nothing yet: the request is sent once more.'
      : `Nothing yet, where something is registered that answers ${wanted(first)}; else error CAPABILITY_NOT_SUPPORTED, the same as a failure.`;
  return first?.isError ? 'The result, as it came: it says isError.' : 'The result, as it came.';
}

/** What a retry would risk; undefined when nobody stopped the call. */
export function ifRetried(view: View): string | undefined {
  if (view.stop.at === undefined || view.call.method !== 'tools/call') return undefined;
  if (!view.mayWrite) {
    return view.effect.observations.length > 0
      ? 'The tool is declared read-only, but an effect was seen: a retry may do it again.'
      : 'The tool is declared read-only, so a retry should do no harm. That is a hint, not a proof.';
  }
  const landed = view.effect.worst !== undefined;
  if (view.idempotent) {
    return `The tool is declared idempotent${landed ? '; the effect is there, and a retry should not add another' : ', so a retry should not do it twice'}. That is a hint, not a proof.`;
  }
  const again = landed ? 'The effect is there, and a retry may do it again' : 'If it went through, a retry may do it a second time';
  return `The tool is not declared idempotent. ${again}${succeeded(view.first) ? ': the server has already reported success' : ''}.`;
}
