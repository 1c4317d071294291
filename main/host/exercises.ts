// The odd things that a report card says to a server as a whole: cancels that name nobody, that name somebody in the wrong type,
// that name nothing, that come twice, that are for `initialize`. They may kill it, so it is started anew for them, and again
// whenever one of them did.
import type { ExerciseRecord } from '../../app/scenario/check/evidence';
import type { Exercise, Where } from '../../app/scenario/check/plan';
import type { Call } from '../../app/trace/calls';
import { eraOf } from '../../app/wire/era';
import type { RequestId, SessionNumber } from '../../app/wire/frame';
import { keyOf } from '../../app/wire/jsonrpc';
import type { Live } from './live';
import type { Server } from './server';

export interface Exerciser {
  /** @throws NotReached when the server cannot be started for it @throws Interrupted */
  make(exercise: Exercise): Promise<ExerciseRecord>;
}

export const exerciser = (live: Live, where: Where): Exerciser => new Exercises(live, where);

type Message = Parameters<Server['say']>[0][number];
type Tried = Extract<ExerciseRecord, { tried: true }>;

/** How long a server may take to answer a ping behind something odd before it is said to answer nothing any more, in ms. */
const PATIENCE_MS = 5000;
/** How long an answer may come later than the ping behind its request: servers that work concurrently keep no order. */
const AFTER_PONG_MS = 1500;

class Exercises implements Exerciser {
  readonly #live: Live;
  readonly #where: Where;
  #fresh = false;
  #ids = 0;

  constructor(live: Live, where: Where) {
    this.#live = live;
    this.#where = where;
  }

  async make(exercise: Exercise): Promise<ExerciseRecord> {
    if (exercise === 'initialize') return this.#initialize();
    await this.#freshSession();
    switch (exercise) {
      case 'unknown-id':
        return this.#say(exercise, [cancel({ requestId: this.#id() }), cancel({ requestId: 987_654_321 })]);
      case 'finished-id':
        return this.#finished();
      case 'repeated-cancel': {
        const id = this.#id();
        return this.#say(exercise, [list(id), cancel({ requestId: id }), cancel({ requestId: id })]);
      }
      case 'wrong-typed-id':
        return this.#say(
          exercise,
          [list(770_001), cancel({ requestId: '770001' }), list('770002'), cancel({ requestId: 770_002 })],
          [770_001, '770002'],
        );
      case 'missing-id':
        // Not what the SDK's types allow, which is the point.
        return this.#say(exercise, [cancel({ reason: REASON }), cancel({ requestId: null }), { jsonrpc: '2.0', method: CANCELLED }]);
    }
  }

  /** The server as it is when nothing has been asked of it yet; started again where the last exercise did it harm. */
  async #freshSession(): Promise<void> {
    if (this.#fresh && this.#live.status.state === 'connected') return;
    await this.#live.restart();
    await this.#live.ready();
    this.#fresh = true;
  }

  async #finished(): Promise<ExerciseRecord> {
    const id = this.#id();
    await this.#live.server.say([this.#ping(id)]);
    await this.#answered([id], PATIENCE_MS);
    return this.#say('finished-id', [cancel({ requestId: id })]);
  }

  /** Says something with a ping behind it, and waits until that is answered, and the requests whose answers matter. */
  async #say(exercise: Exercise, messages: readonly Message[], awaited: readonly RequestId[] = []): Promise<Tried> {
    const from = this.#live.recording.recorder.trace.length;
    const { session } = this.#live.status;
    const ping = this.#id();
    await this.#live.server.say([...messages, this.#ping(ping)]).catch(() => undefined);
    const alive = await this.#answered([ping], PATIENCE_MS);
    if (alive && awaited.length > 0) await this.#answered(awaited, AFTER_PONG_MS);
    if (!alive) this.#fresh = false;
    return this.#tried(exercise, session, from, ping, awaited);
  }

  #tried(exercise: Exercise, session: SessionNumber, from: number, ping: RequestId, requests: readonly RequestId[]): Tried {
    this.#live.recording.advance();
    const to = this.#live.recording.recorder.trace.length;
    return { exercise, tried: true, session, from, to, ping: keyOf(ping), requests: requests.map(keyOf) };
  }

  async #initialize(): Promise<ExerciseRecord> {
    const { protocol, transport } = this.#where;
    const exercise = 'initialize';
    if (eraOf(protocol).modern) return { exercise, tried: false, why: 'There is no initialize in this revision.' };
    if (transport !== 'stdio')
      return {
        exercise,
        tried: false,
        why: 'Over HTTP a cancel needs the session that the answer to initialize gives out: there is none to be sent before.',
      };
    const session = await this.#live.server.restartBare();
    const from = this.#live.recording.recorder.trace.length;
    const [first, ping, second] = [this.#id(), this.#id(), this.#id()];
    await this.#live.server.say([initialize(first, protocol), cancel({ requestId: first }), this.#ping(ping)]).catch(() => undefined);
    await this.#answered([first], (await this.#answered([ping], PATIENCE_MS)) ? AFTER_PONG_MS : 0);
    if (!this.#isAnswered(first, session)) {
      await this.#live.server.say([initialize(second, protocol)]).catch(() => undefined);
      await this.#answered([second], PATIENCE_MS);
    }
    return this.#tried(exercise, session, from, ping, [first, second]);
  }

  /** @returns whether all of them were answered while it was waited for, and the server lived */
  async #answered(ids: readonly RequestId[], patienceMs: number): Promise<boolean> {
    const { session } = this.#live.status;
    const answered = await this.#live.until(() => {
      if (ids.every((id) => this.#isAnswered(id, session))) return true;
      return this.#hasEnded(session) ? false : undefined;
    }, patienceMs);
    return answered === true;
  }

  #isAnswered(id: RequestId, session: SessionNumber): boolean {
    const call: Call | undefined = this.#live.recording.judge.calls.find(session, 'client', keyOf(id));
    return (call?.replies.length ?? 0) > 0;
  }

  #hasEnded(session: SessionNumber): boolean {
    return (this.#live.recording.judge.calls.sessions.get(session)?.ends.length ?? 0) > 0;
  }

  #ping(id: RequestId): Message {
    return { jsonrpc: '2.0', id, method: eraOf(this.#where.protocol).cheapRead };
  }

  #id(): string {
    return `stopgap-check-${++this.#ids}`;
  }
}

const REASON = 'stopgap check';
const CANCELLED = 'notifications/cancelled';

const cancel = (params: Readonly<Record<string, unknown>>): Message => ({ jsonrpc: '2.0', method: CANCELLED, params: { ...params } });
const list = (id: RequestId): Message => ({ jsonrpc: '2.0', id, method: 'tools/list' });
const initialize = (id: RequestId, protocolVersion: string): Message => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'stopgap-check', version: '1' } },
});
