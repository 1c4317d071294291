// What a server tells of its own accord, where it has to be asked for (2026-07-28, `subscriptions/listen`): that its list of tools
// has changed, that a resource has. One request is open for all of it. Who wants more asks anew, and ends the one before
// when the server has said that the new one holds, so that nothing is missed between the two.
import type { JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { RequestId } from '../../app/wire/frame';
import { keyOf } from '../../app/wire/jsonrpc';
import type { Wire } from '../transports/wire';
import { LISTEN, type Tap } from './tap';
import { plain } from './why';

export interface NewsOptions {
  readonly tap: Tap;
  readonly wire: Wire;
  /** Changes of the list of tools are wanted, and the server tells them. */
  readonly tools: boolean;
  /** The server has ended it, or it broke off. @param why as it goes on after “but” */
  readonly onEnd: (why: string) => void;
}

export class News {
  readonly #options: NewsOptions;
  readonly #resources = new Set<string>();
  #count = 0;
  /** The request that is open now, and those that it takes the place of. */
  #open: RequestId | undefined;
  #before: RequestId[] = [];

  constructor(options: NewsOptions) {
    this.#options = options;
    // That it could not be said is told by `onEnd`.
    if (options.tools) this.#ask().catch(() => undefined);
  }

  /** Changes of a resource are wanted too. @throws Error when that could not be said */
  async follow(uri: string): Promise<void> {
    if (this.#resources.has(uri)) return;
    this.#resources.add(uri);
    try {
      await this.#ask();
    } catch (error) {
      this.#resources.delete(uri);
      throw error;
    }
  }

  /** A resource is followed no more. */
  async leave(uri: string): Promise<void> {
    if (this.#resources.delete(uri)) await this.#ask();
  }

  /** The server has said that it will tell. */
  acknowledged(id: RequestId): void {
    if (id === this.#open) for (const before of this.#before.splice(0)) this.#end(before);
  }

  /** A request of these is over. @param key its key @param says what the server gave as a reason */
  ended(key: string, says: string | undefined): void {
    this.#before = this.#before.filter((id) => keyOf(id) !== key);
    if (this.#open === undefined || keyOf(this.#open) !== key) return;
    this.#open = undefined;
    this.#options.onEnd(says === undefined ? 'the server has ended it' : `the server has ended it: ${says}`);
  }

  async #ask(): Promise<void> {
    const { tap, tools } = this.#options;
    const { size } = this.#resources;
    if (this.#open !== undefined) this.#before.push(this.#open);
    this.#open = undefined;
    if (!tools && size === 0) {
      for (const before of this.#before.splice(0)) this.#end(before);
      return;
    }
    const id = `${LISTEN}${++this.#count}`;
    this.#open = id;
    const notifications = {
      ...(tools ? { toolsListChanged: true } : {}),
      ...(size === 0 ? {} : { resourceSubscriptions: [...this.#resources] }),
    };
    const request: JSONRPCRequest = { jsonrpc: '2.0', id, method: 'subscriptions/listen', params: { notifications } };
    const refused = (error: Error): void => this.ended(keyOf(id), plain(error));
    try {
      await tap.sendTogether([{ message: tap.asSpoken(request), act: { act: 'listen', id }, refused }]);
    } catch (error) {
      this.ended(keyOf(id), plain(error));
      throw error;
    }
  }

  /** By the notification on a pipe; over HTTP by closing the stream. */
  #end(id: RequestId): void {
    const { tap, wire } = this.#options;
    if (wire.ordered) {
      const cancel = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId: id } };
      void tap.sendTogether([{ message: cancel }]).catch(() => undefined);
    } else wire.drop(id, () => undefined);
  }
}
