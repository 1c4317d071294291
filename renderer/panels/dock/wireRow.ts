// One frame as one line of the wire log: its sign, its role's colour and its words. Pure, so that a test can read the log.
import { minus, toMs, words } from '../../../app/base/time';
import type { Call, Calls, Session } from '../../../app/trace/calls';
import { type Exchange, exchangeName } from '../../../app/trace/exchanges';
import type { Trace } from '../../../app/trace/trace';
import { closesToCancel } from '../../../app/verdict/overHttp';
import type { Verdict } from '../../../app/verdict/verdict';
import type { Act, Effect, Life, Means, RequestId, Seq } from '../../../app/wire/frame';
import { BIT, idText, keyOf, type TaskFacts } from '../../../app/wire/jsonrpc';
import { statusWords } from '../../taskWords';
import { httpRow } from './httpRow';

export type Role = 'plain' | 'quiet' | 'cancel' | 'late' | 'breach' | 'proof' | 'unknown' | 'fault';

export interface WireRow {
  readonly time: string;
  /** → client to server, ← server to client, ⇢ ⇠ the same below the messages, ◆ effect, · recorded here. */
  readonly sign: string;
  readonly role: Role;
  readonly head: string;
  /** Id of the request that it is about. */
  readonly id: string;
  /** Over HTTP: the exchange that a message came or went with. */
  readonly exchange: string;
  /** What is said beside it: the body, or plain words. */
  readonly tail: string;
}

export interface WireContext {
  readonly trace: Trace;
  readonly calls: Calls;
  readonly verdict: (call: number) => Verdict | undefined;
  readonly text: (seq: Seq) => string | undefined;
}

/** Milliseconds with three decimals: the wire is read in microseconds. */
const timeText = (trace: Trace, seq: Seq): string => toMs(trace.t(seq)).toFixed(3);

export function wireRow(context: WireContext, seq: Seq): WireRow {
  const { trace } = context;
  const base = { time: timeText(trace, seq), id: '', exchange: '' };
  const extra = trace.extra(seq);
  switch (trace.kind(seq)) {
    case 'message':
      return { ...base, exchange: exchangeText(context, seq), ...messageRow(context, seq) };
    case 'noise':
      return {
        ...base,
        sign: '←',
        role: 'unknown',
        head: `noise: ${NOISE_WORDS[trace.name(seq)] ?? trace.name(seq)}`,
        tail: context.text(seq) ?? '',
      };
    case 'stderr':
      return { ...base, sign: '←', role: 'quiet', head: 'stderr', tail: context.text(seq) ?? '' };
    case 'life':
      return {
        ...base,
        sign: '·',
        ...(extra?.about === 'life' ? lifeRow(extra.life) : { role: 'quiet', head: trace.name(seq), tail: '' }),
      };
    case 'act':
      return {
        ...base,
        sign: '·',
        ...(extra?.about === 'act' ? actRow(extra.act, context, seq) : { role: 'quiet', head: trace.name(seq), tail: '' }),
      };
    case 'effect':
      return {
        ...base,
        ...(extra?.about === 'effect'
          ? effectRow(context, seq, extra.effect)
          : { sign: '◇', role: 'quiet', head: trace.name(seq), tail: '' }),
      };
    case 'http':
      return {
        ...base,
        ...(extra?.about === 'http'
          ? httpRow(extra.http, exchangeOf(context, seq), closesHere(context, seq))
          : { sign: '·', role: 'quiet', head: trace.name(seq), tail: '' }),
      };
  }
}

const NOISE_WORDS: Readonly<Record<string, string>> = {
  'not-json': 'not JSON',
  'not-json-rpc': 'not JSON-RPC',
  'too-long': 'a line too long',
  unfinished: 'an unfinished line',
  'not-utf-8': 'not UTF-8',
};

const exchangeOf = ({ trace, calls }: WireContext, seq: Seq): Exchange | undefined =>
  calls.sessions.get(trace.session(seq))?.exchanges.get(trace.exchange(seq));

/** Whether closing a stream is the cancel in the frame's session. */
function closesHere({ trace, calls }: WireContext, seq: Seq): boolean {
  const session = calls.sessions.get(trace.session(seq));
  return session !== undefined && closesToCancel(session);
}

/** `POST #6` */
function exchangeText(context: WireContext, seq: Seq): string {
  const exchange = exchangeOf(context, seq);
  return exchange ? exchangeName(exchange) : '';
}

export type Part = Pick<WireRow, 'sign' | 'role' | 'head' | 'tail'> & { readonly id?: string };

function messageRow(context: WireContext, seq: Seq): Part {
  const { trace } = context;
  const sign = trace.dir(seq) === 'c2s' ? '→' : '←';
  const key = trace.key(seq);
  const id = key && idText(key);
  const call = context.calls.ofFrame(seq);
  switch (trace.shape(seq)) {
    case 'request':
      return requestRow(context, seq, sign, id, call);
    case 'notification':
      return notificationRow(context, seq, sign, id, call);
    case 'result':
    case 'error':
      return replyRow(context, seq, sign, id, call);
    case 'invalid':
    case 'none':
      return { sign, role: 'unknown', head: 'not a valid message', tail: context.text(seq) ?? '' };
  }
}

function requestRow(context: WireContext, seq: Seq, sign: string, id: string, call: Call | undefined): Part {
  const method = context.trace.name(seq);
  if (call?.purpose === 'fence') return { sign, role: 'quiet', head: method, id, tail: 'has the server read the cancel?' };
  if (call?.purpose === 'idle') return { sign, role: 'quiet', head: method, id, tail: 'how fast does an idle server answer?' };
  if (method === 'tasks/cancel') return { sign, role: 'cancel', head: method, id, tail: compact(paramsOf(context.text(seq))) };
  const probe = call?.purpose === 'probe' ? 'a probe asks: ' : '';
  const params = paramsOf(context.text(seq));
  const tail = call?.tool === undefined ? compact(params) : `${call.tool} ${compact(params?.['arguments'])}`;
  return {
    sign,
    role: method === 'tools/call' && probe === '' ? 'plain' : 'quiet',
    head: method,
    id,
    tail: `${probe}${METHOD_WORDS[method] ?? ''}${tail}`,
  };
}

function notificationRow(context: WireContext, seq: Seq, sign: string, id: string, call: Call | undefined): Part {
  const { trace } = context;
  const method = trace.name(seq);
  const extra = trace.extra(seq);
  if (method === 'notifications/cancelled') {
    const reason = extra?.about === 'cancelled' && extra.reason !== undefined ? JSON.stringify(extra.reason) : 'no reason';
    return { sign, role: 'cancel', head: method, id, tail: `${call?.tool ?? ''} ${reason}`.trim() };
  }
  if (extra?.about === 'task') return taskRow(extra.task, sign, method, '');
  const after = call?.cancels[0] && trace.t(seq) > call.cancels[0].t;
  const params = paramsOf(context.text(seq));
  const tail = typeof params?.['message'] === 'string' ? params['message'] : compact(params);
  if (method === 'notifications/progress')
    return { sign, role: after ? 'late' : 'quiet', head: method, tail: `${call?.tool ?? ''} ${tail}`.trim() };
  return { sign, role: 'quiet', head: method, tail };
}

/** Errors that 2026-07-28 has added, in a word or two. */
const ERROR_WORDS: Readonly<Record<number, string>> = {
  [-32020]: ': a header says something else than the body',
  [-32021]: ': it needs what this client does not offer',
  [-32022]: ': a revision that the server does not speak',
};

/** What a request of 2026-07-28 is for, where its name does not say it. */
const METHOD_WORDS: Readonly<Record<string, string>> = {
  'tasks/get': 'how is the task? ',
  'server/discover': 'what do you offer? ',
  'subscriptions/listen': 'news are wanted on this stream until either side ends it ',
};

function replyRow(context: WireContext, seq: Seq, sign: string, id: string, call: Call | undefined): Part {
  const { trace } = context;
  const shape = trace.shape(seq);
  const failed = (trace.bits(seq) & BIT.isError) !== 0;
  const head = shape === 'error' ? `error ${trace.num(seq)}${ERROR_WORDS[trace.num(seq)] ?? ''}` : failed ? 'result, isError' : 'result';
  const body = bodyOf(context.text(seq));
  const asks = (trace.bits(seq) & BIT.asksInput) !== 0;
  if (call && asks)
    return {
      sign,
      role: 'plain',
      head: 'input required',
      id,
      tail: `${call.tool ?? call.method}: the server asks for more, and would be called again with it; it is not answered here ${compact(body)}`,
    };
  const extra = trace.extra(seq);
  if (call && extra?.about === 'task' && extra.task.status !== undefined) {
    const made = (trace.bits(seq) & BIT.makesTask) !== 0;
    return { ...taskRow(extra.task, sign, made ? 'a task' : 'task', id), role: made ? 'plain' : 'quiet' };
  }
  if (!call) return { sign, role: 'unknown', head, id, tail: `for a request nobody knows ${compact(body)}`.trim() };
  if (call.purpose === 'fence')
    return { sign, role: 'proof', head: `${call.method} reply`, id, tail: 'the server has read past the cancel' };
  if (call.purpose === 'idle')
    return { sign, role: 'quiet', head: `${call.method} reply`, id, tail: `${words(minus(trace.t(seq), call.sent.t))}, idle` };
  const cancel = call.cancels[0];
  const name = call.tool ?? call.method;
  if (cancel && trace.t(seq) > cancel.t)
    return {
      sign,
      role: 'late',
      head,
      id,
      tail: `${name}, ${words(minus(trace.t(seq), cancel.t))} after its cancel ${compact(body)}`.trim(),
    };
  return {
    sign,
    role: call.tool === undefined || call.purpose === 'probe' ? 'quiet' : 'plain',
    head,
    id,
    tail: `${name}, ${words(minus(trace.t(seq), call.sent.t))} ${compact(body)}`.trim(),
  };
}

/** What a message tells of a task. */
function taskRow({ id: task, status, says }: TaskFacts, sign: string, head: string, id: string): Part {
  const said = [statusWords(status ?? 'no state'), says === undefined ? undefined : `“${says}”`, task];
  return { sign, role: 'quiet', head, id, tail: said.filter((part) => part !== undefined).join(' · ') };
}

function lifeRow(life: Life): Omit<Part, 'sign'> {
  switch (life.event) {
    case 'started':
      return { role: 'quiet', head: 'process started', tail: `pid ${life.pid}: ${[life.command, ...life.args].join(' ')}` };
    case 'opened':
      return {
        role: 'proof',
        head: 'session opened',
        tail: `${life.transport} · ${life.protocol}${life.offered ? ` of ${life.offered.join(', ')}` : ''} · ${life.server.name} ${life.server.version}`,
      };
    case 'connecting':
      return { role: 'quiet', head: 'connecting', tail: `${life.transport} · ${life.url}` };
    case 'fell-back':
      return { role: 'cancel', head: `fell back to ${life.to}`, tail: life.why };
    case 'auth':
      return { role: life.ok ? 'quiet' : 'breach', head: `authorization: ${life.step}`, tail: life.says };
    case 'failed':
      return { role: 'breach', head: 'session failed', tail: life.why };
    case 'exited':
      return { role: life.asked === 'nobody' ? 'breach' : 'quiet', head: 'process exited', tail: exitText(life) };
    case 'closed':
      return { role: 'quiet', head: 'session closed', tail: '' };
    case 'lost':
      return { role: 'breach', head: 'session lost', tail: life.why };
    case 'outlived':
      return { role: 'cancel', head: 'process outlived the close', tail: life.says };
  }
}

const exitText = (life: Extract<Life, { event: 'exited' }>): string =>
  [
    life.code === undefined ? undefined : `code ${life.code}`,
    life.signal,
    life.asked === 'nobody' ? 'nobody asked for it' : `asked by ${life.asked}`,
  ]
    .filter(Boolean)
    .join(', ');

export function meansText(how: Means): string {
  switch (how.means) {
    case 'cancel':
      return 'send cancel';
    case 'abandon':
      return 'give up silently';
    case 'timeout':
      return how.silent ? 'time out, silently' : 'time out, with a cancel';
    case 'drop':
      return 'drop the connection';
    case 'kill':
      return 'kill the server';
    case 'cancel-id':
      return `send a cancel for id ${JSON.stringify(how.id)}`;
    case 'notify':
      return 'send the notification';
    case 'stop-polling':
      return 'stop polling, tell nobody';
  }
}

/** A stop by its means; where closing the stream is the cancel, or tasks/cancel is, that is what is done. */
function stopText(how: Means, session: Session | undefined, call: Call | undefined): string {
  if (call?.task && how.means === 'cancel') return 'send tasks/cancel';
  if (call?.task && how.means === 'timeout' && !how.silent) return 'time out, with tasks/cancel';
  const closes = how.means === 'cancel' || how.means === 'drop' || (how.means === 'timeout' && !how.silent);
  if (!closes || session === undefined || !closesToCancel(session)) return meansText(how);
  return how.means === 'timeout' ? 'time out, and close the stream (the cancel here)' : 'close the stream (the cancel here)';
}

function actRow(act: Act, { trace, calls }: WireContext, seq: Seq): Omit<Part, 'sign'> {
  switch (act.act) {
    case 'call':
      return {
        role: 'quiet',
        head: 'call',
        id: idText(keyOf(act.id)),
        tail: act.probes.length > 0 ? `${act.tool}, watched by ${act.probes.join(', ')}` : `${act.tool}, not probed`,
      };
    case 'stop':
      return {
        role: 'cancel',
        head: 'Stop pressed',
        id: idText(keyOf(act.id)),
        tail: act.late
          ? 'after the reply: nothing was sent'
          : stopText(act.how, calls.sessions.get(trace.session(seq)), calls.ofFrame(seq)),
      };
    case 'undelivered':
      return { role: 'breach', head: 'cancel not delivered', id: idText(keyOf(act.id)), tail: act.why };
    case 'fence':
      return { role: 'quiet', head: 'fence', id: idText(keyOf(act.id)), tail: `ping ${idText(keyOf(act.ping))} right behind the cancel` };
    case 'faults':
      return { role: 'fault', head: act.rules.length === 0 ? 'faults: off' : 'faults: on', tail: act.rules.join('; ') };
    case 'fault':
      return { role: 'fault', head: `fault: ${act.fault}`, ...idOfAct(act.id), tail: `${faultWhat(act)} (${act.rule})` };
    case 'released':
      return { role: 'fault', head: 'let go', ...idOfAct(act.id), tail: RELEASED[act.by] };
    case 'probe':
      return { role: 'quiet', head: `${act.probe} asks`, id: idText(keyOf(act.id)), tail: '' };
    case 'idle':
      return { role: 'quiet', head: 'idle ping', id: idText(keyOf(act.ping)), tail: '' };
    case 'round':
      return {
        role: 'quiet',
        head: 'next round',
        id: idText(keyOf(act.id)),
        tail: `it brings what the answer to ${idText(keyOf(act.of))} asked for, and belongs to the same call`,
      };
    case 'listen':
      return { role: 'quiet', head: 'news wanted', id: idText(keyOf(act.id)), tail: '' };
  }
}

const idOfAct = (id: RequestId | undefined): { readonly id?: string } => (id === undefined ? {} : { id: idText(keyOf(id)) });

const faultWhat = ({ what, method, tool }: Extract<Act, { act: 'fault' }>): string =>
  [
    what === 'reply' ? 'the reply to' : what === 'cancel' ? 'the cancel of' : 'the',
    tool ?? method,
    what === 'request' || what === 'notification' ? what : '',
  ]
    .filter((word) => word !== '')
    .join(' ');

const RELEASED = {
  time: 'its time was over',
  frame: 'what it waited for has passed',
  hand: 'by hand',
  off: 'its fault was turned off',
} as const;

function effectRow(context: WireContext, seq: Seq, effect: Effect): Part {
  const { probe } = effect;
  switch (effect.effect) {
    case 'watching':
      return { sign: '◇', role: 'quiet', head: `${probe}: watching`, tail: effect.place };
    case 'seen': {
      const after = isAfter(context, seq, effect.probe);
      const sample = effect.sample === undefined ? '' : ` ${effect.sample}`;
      return {
        sign: after ? '◆' : '◇',
        role: after ? 'breach' : 'plain',
        head: `${probe}: ${effect.says}`,
        tail: `${effect.subject}${sample}`,
      };
    }
    case 'reverted':
      return { sign: '◇', role: 'proof', head: `${probe}: taken back`, tail: effect.says };
    case 'clear':
      return { sign: '◇', role: 'quiet', head: `${probe}: nothing new`, tail: '' };
    case 'gap':
      return { sign: '◇', role: 'unknown', head: `${probe}: could not watch`, tail: effect.why };
    case 'held':
      return { sign: '◇', role: 'cancel', head: `${probe}: held open`, tail: effect.says };
    case 'freed':
      return { sign: '◇', role: 'proof', head: `${probe}: let go of`, tail: '' };
    case 'work':
      return { sign: '·', role: 'quiet', head: `${probe}: ${effect.sign}`, tail: effect.says };
    case 'stranger':
      return { sign: '·', role: 'unknown', head: `${probe}: from elsewhere, nobody’s`, tail: effect.says };
    case 'ended':
      return { sign: '◇', role: 'quiet', head: `${probe}: watch ended`, tail: '' };
  }
}

/** Whether a call's verdict holds this observation to lie after its stop. Only the judge may say so. */
function isAfter({ calls, trace, verdict }: WireContext, seq: Seq, probe: string): boolean {
  for (let i = calls.all.length - 1; i >= 0; i--) {
    const call = calls.all[i];
    if (!call?.arrangement?.probes.includes(probe) || call.sent.t > trace.t(seq)) continue;
    const seen = verdict(call.index)?.effect.observations.find((observation) => observation.seq === seq);
    if (seen) return seen.state === 'after' && !seen.reverted;
  }
  return false;
}

type Json = Readonly<Record<string, unknown>>;

/** Longer texts are not parsed for a single line of the log. */
const LARGE = 20_000;

function json(text: string | undefined): Json | undefined {
  if (text === undefined || text.length > LARGE) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

const paramsOf = (text: string | undefined): Json | undefined => {
  const params = json(text)?.['params'];
  if (typeof params !== 'object' || params === null) return undefined;
  const { _meta, ...rest } = params as Json;
  return rest;
};

function bodyOf(text: string | undefined): unknown {
  const message = json(text);
  if (!message) return text?.slice(0, MOST);
  const { content } = (message['result'] ?? {}) as Json;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  const said = typeof first === 'object' && first !== null ? (first as Json)['text'] : undefined;
  return said ?? message['result'] ?? message['error'];
}

const MOST = 400;

/** JSON in one line, cut: the whole is in the details. */
function compact(value: unknown): string {
  if (value === undefined) return '';
  const text = JSON.stringify(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
