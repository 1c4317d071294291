// Requests that take several rounds (2026-07-28): the server answers `input_required`, and is asked the same again with what it
// wanted to know. What can be answered here is answered as in the revisions before: which folders are the person's roots.
// Anything else is left as it stands, for nobody is there who could be asked.
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Root } from '../../app/contract/host';
import type { RequestId } from '../../app/wire/frame';
import { keyOf } from '../../app/wire/jsonrpc';

/** The requests that may be answered so (2026-07-28, Multi Round-Trip Requests). */
const MANY_ROUNDS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** A server that asks on and on is not followed for ever. */
const MOST = 10;
/** How long a server that only wants to be asked again is left alone before it is, in ms. */
const PACE_MS = 250;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The next round of a request. */
export interface NextRound {
  readonly request: JSONRPCRequest;
  /** The request whose answer asked for it. */
  readonly of: RequestId;
  /** How long it waits before it is sent, in ms. */
  readonly after: number;
}

/** A request of the client's, in whatever round it is. */
interface Asked {
  readonly request: JSONRPCRequest;
  /** The id by which the client knows it. */
  readonly own: RequestId;
  readonly round: number;
}

export class Rounds {
  readonly #roots: () => readonly Root[];
  readonly #open = new Map<string, Asked>();
  #ids = 0;

  constructor(roots: () => readonly Root[]) {
    this.#roots = roots;
  }

  /** A request of the client's has gone out in its first round. */
  sent(request: JSONRPCRequest): void {
    if (MANY_ROUNDS.has(request.method)) this.#open.set(keyOf(request.id), { request, own: request.id, round: 1 });
  }

  /** What follows an answer: another round, or nothing; then it is what the request comes to. @param key of the request */
  after(key: string, message: unknown): NextRound | undefined {
    const asked = this.#open.get(key);
    const answer = asked && asked.round < MOST ? answerTo(message, this.#roots) : undefined;
    if (!asked || !answer) return undefined;
    const id = `stopgap-round-${++this.#ids}`;
    const { inputResponses: _responses, requestState: _state, ...params } = asked.request.params ?? {};
    const request = { ...asked.request, id, params: { ...params, ...answer } };
    this.#open.delete(key);
    this.#open.set(keyOf(id), { request, own: asked.own, round: asked.round + 1 });
    return { request, of: asked.request.id, after: answer.inputResponses ? 0 : PACE_MS };
  }

  /** Whatever is answered to this request, no further round follows: it has been stopped. @param key of the request */
  last(key: string): void {
    const asked = this.#open.get(key);
    if (asked) this.#open.set(key, { ...asked, round: MOST });
  }

  /** An answer as the client is given it: under the id that it knows. @param key of the request that it answers */
  given<M extends JSONRPCMessage>(key: string, message: M): M {
    const asked = this.#open.get(key);
    this.#open.delete(key);
    return asked ? { ...message, id: asked.own } : message;
  }
}

interface Answer {
  readonly inputResponses?: Json;
  readonly requestState?: string;
}

/** What is sent along in the next round; undefined where there is none, or where it asks for what nobody here can give. */
function answerTo(message: unknown, roots: () => readonly Root[]): Answer | undefined {
  const result = isObject(message) ? message['result'] : undefined;
  if (!isObject(result) || result['resultType'] !== 'input_required') return undefined;
  const { inputRequests = {}, requestState } = result;
  const inputResponses = isObject(inputRequests) ? responsesTo(inputRequests, roots) : undefined;
  if (!inputResponses) return undefined;
  const answered = Object.keys(inputResponses).length > 0;
  if (!answered && typeof requestState !== 'string') return undefined;
  return {
    ...(answered ? { inputResponses } : {}),
    ...(typeof requestState === 'string' ? { requestState } : {}),
  };
}

/** What is answered to the requests of a server, by their names; undefined where one of them is for what nobody here can give. */
export function responsesTo(requests: Json, roots: () => readonly Root[]): Json | undefined {
  if (!Object.values(requests).every((one) => isObject(one) && one['method'] === 'roots/list')) return undefined;
  const listed = { roots: roots().map(sendable) };
  return Object.fromEntries(Object.keys(requests).map((name) => [name, listed]));
}

/** A root as the protocol has it. */
export const sendable = ({ uri, name }: Root): { uri: string; name?: string } => ({ uri, ...(name === undefined ? {} : { name }) });
