// What comes over a wire, kept in its order, for the tests of the transports; and messages to send over it.
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Ns } from '../../app/base/time';
import type { ExchangeNumber, Http, Life, Noise } from '../../app/wire/frame';
import { factsOf } from '../../app/wire/jsonrpc';
import type { Parcel, Wire, WireListener } from './wire';

export class Heard implements WireListener {
  /** Everything, as a person would say it: `> POST #1`, `c2s initialize`, `200 #1`, `s2c reply n:0`, `ended #1`. */
  readonly log: string[] = [];
  readonly times: Ns[] = [];
  readonly texts: string[] = [];
  readonly exchanges: Http[] = [];
  readonly steps: Life[] = [];
  isBusy = false;
  readonly #waiting = new Set<() => void>();

  #say(what: string, t?: Ns): void {
    this.log.push(what);
    if (t !== undefined) this.times.push(t);
    for (const look of [...this.#waiting]) look();
  }

  /** Resolves when the reading holds; looked at whenever something has come. */
  until(reading: () => unknown): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!reading()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  saw = (what: string | RegExp): Promise<void> =>
    this.until(() => this.log.some((line) => (typeof what === 'string' ? line === what : what.test(line))));

  text(t: Ns, text: string, _size: number, exchange?: ExchangeNumber): readonly string[] {
    this.texts.push(text);
    const facts = factsOf(JSON.parse(text));
    const isReply = facts?.shape === 'result' || facts?.shape === 'error';
    this.#say(`s2c ${isReply ? `reply ${facts.key}` : facts?.method}${at(exchange)}`, t);
    return isReply ? [facts.key] : [];
  }

  broken(t: Ns, why: Noise, bytes: Buffer, exchange?: ExchangeNumber): void {
    this.#say(`${why} ${bytes.toString('utf8', 0, 40)}${at(exchange)}`, t);
  }

  stderr(): void {
    // Of no interest here.
  }

  http(t: Ns, http: Http): void {
    this.exchanges.push(http);
    this.#say(`${httpText(http)}${at(http.exchange)}`, t);
  }

  step(life: Life): void {
    this.steps.push(life);
    this.#say(life.event);
  }

  busy(): boolean {
    return this.isBusy;
  }

  lost(why: string, session: boolean): void {
    this.#say(`lost${session ? ' with its session' : ''}: ${why}`);
  }

  impaired(why: string): void {
    this.#say(`impaired: ${why}`);
  }

  exited(): void {
    this.#say('exited');
  }

  /** Sends a message and keeps what becomes of it: `c2s …`, `done …`, `failed …`. */
  send(wire: Wire, message: JSONRPCMessage, more: Partial<Parcel> = {}): void {
    wire.send([this.parcel(message, more)]);
  }

  parcel(message: JSONRPCMessage, more: Partial<Parcel> = {}): Parcel {
    const name = 'method' in message ? message.method : 'reply';
    return {
      message,
      text: JSON.stringify(message),
      written: (t, exchange) => this.#say(`c2s ${name}${at(exchange)}`, t),
      done: () => this.#say(`done ${name}`),
      failed: (error) => this.#say(`failed ${name}: ${error.message}`),
      ...more,
    };
  }
}

const at = (exchange: ExchangeNumber | undefined): string => (exchange === undefined ? '' : ` #${exchange}`);

function httpText(http: Http): string {
  switch (http.http) {
    case 'request':
      return `> ${http.method}`;
    case 'response':
      return `< ${http.status}`;
    case 'opened':
    case 'ended':
      return http.http;
    case 'event':
      return `event ${http.name ?? ''}${http.id ?? ''}`;
    case 'cut':
      return `cut by ${http.by}`;
    case 'failed':
      return `failed ${http.phase}: ${http.why}`;
  }
}

export const initialize: JSONRPCMessage = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
};
export const initialized: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const call = (id: string | number, name = 'work', args: object = {}): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: id } },
});
export const cancel = (requestId: string | number): JSONRPCMessage => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});
