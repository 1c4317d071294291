import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Ns } from '../../app/base/time';
import { factsOfFrame, messageFacts, Trace } from '../../app/trace/trace';
import type { Recorder } from '../store/recorder';
import { type Parcel, UndeliveredError, type Wire } from '../transports/wire';
import { Tap, type TapListener } from './tap';

/** What was recorded, as a person would say it. */
let log: string[];
/** What was written, and how the pipe answers. */
let written: string[];
let answers: ((failed?: Error) => void)[];
let accepts: 'at once' | 'later' | 'by hand';
let forwarded: JSONRPCMessage[];
let told: string[];
let tap: Tap;
let now = 0;

const clock = { now: () => ++now as Ns, wallMs: () => 0 };

/** As much of a recorder as a tap needs: it keeps a log instead of a file. */
function recorder(): Recorder {
  const trace = new Trace();
  const fake = {
    trace,
    message: ({ facts, raw, t, session, dir, size, exchange = 0 }: Parameters<Recorder['message']>[0]) => {
      log.push(`${dir} ${raw}${exchange === 0 ? '' : ` #${exchange}`}`);
      return trace.push(messageFacts({ t, session, dir, size, kind: 'message', exchange }, facts));
    },
    frame: ({ body, dir, session, t }: Parameters<Recorder['frame']>[0]) => {
      const said = body.kind === 'act' ? body.act.act : body.kind === 'life' ? body.life.event : body.kind === 'noise' ? body.why : '';
      log.push(`${dir} ${body.kind} ${said}`);
      return trace.push(factsOfFrame({ seq: trace.length, wall: '', t, session, dir, ...body }, 0));
    },
  };
  return fake as unknown as Recorder;
}

let parcels: Parcel[];
const wire: Wire = {
  transport: 'stdio',
  fellBack: undefined,
  stateful: undefined,
  ordered: true,
  awaiting: undefined,
  pid: 1,
  start: async () => undefined,
  setProtocolVersion: () => undefined,
  send: (sent) => {
    parcels.push(...sent);
    if (accepts === 'by hand') return;
    written.push(sent.map(({ text }) => `${text}\n`).join(''));
    const done = (failed?: Error): void => {
      for (const parcel of sent) {
        if (failed) parcel.failed(new UndeliveredError(failed.message));
        else {
          parcel.written(clock.now());
          parcel.done();
        }
      }
    };
    if (accepts === 'at once') done();
    else answers.push(done);
  },
  drop: () => 'nothing',
  cut: () => undefined,
  close: async () => undefined,
  kill: async (before) => before(),
  processes: async () => [],
};

const nobody: TapListener = {
  stepped: () => undefined,
  faulted: () => undefined,
  replied: (key) => told.push(`replied ${key}`),
  unreadable: (text) => told.push(`unreadable ${text}`),
  goesOn: (key, id) => told.push(`goes on ${key} ${id}`),
  listens: (id) => told.push(`listens ${id}`),
  listensNoMore: (key) => told.push(`listens no more ${key}`),
  resourceUpdated: (uri) => told.push(`updated ${uri}`),
  taskTold: (params) => told.push(`task ${JSON.stringify(params)}`),
  noise: () => undefined,
  stderr: () => undefined,
  lost: () => undefined,
  impaired: () => undefined,
  exited: () => undefined,
};

beforeEach(() => {
  [log, written, answers, forwarded, told, parcels] = [[], [], [], [], [], []];
  accepts = 'at once';
  tap = tapOf(undefined);
});

function tapOf(protocol: string | undefined): Tap {
  const made = new Tap({ session: 1, recorder: recorder(), clock, wire, protocol, listener: nobody });
  made.onmessage = (message) => forwarded.push(message);
  return made;
}

const receive = (text: string): void => void tap.text(clock.now(), text, text.length);
const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as const;
const ping = { jsonrpc: '2.0', id: 'f', method: 'ping' } as const;
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } } as const;

test('an act stands directly before its message, and both have one time', async () => {
  tap.arrange((id) => ({ act: { act: 'idle', ping: id } }));
  await tap.send({ jsonrpc: '2.0', id: 4, method: 'ping' });
  await tap.send({ jsonrpc: '2.0', id: 5, method: 'ping' });
  expect(log).toEqual(['- act idle', 'c2s {"jsonrpc":"2.0","id":4,"method":"ping"}', 'c2s {"jsonrpc":"2.0","id":5,"method":"ping"}']);
});

test('what is arranged for a request may add to its _meta, and keeps what the client has put there', async () => {
  tap.arrange(() => ({ meta: { traceparent: '00-a-b-01' } }));
  await tap.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', _meta: { progressToken: 1 } } });
  tap.arrange(() => ({ meta: undefined }));
  await tap.send(call);
  expect(log).toEqual([
    'c2s {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"progressToken":1,"traceparent":"00-a-b-01"}}}',
    `c2s ${JSON.stringify(call)}`,
  ]);
  expect(written.map((line) => `c2s ${line.trim()}`)).toEqual(log);
});

test('messages that belong together are one write, recorded in order within the call', () => {
  void tap.sendTogether([{ message: cancel }, { message: ping, act: { act: 'fence', id: 1, ping: 'f' } }]);
  expect(written).toEqual([`${JSON.stringify(cancel)}\n${JSON.stringify(ping)}\n`]);
  expect(log).toEqual([`c2s ${JSON.stringify(cancel)}`, '- act fence', `c2s ${JSON.stringify(ping)}`]);
});

test('what waits in the pipe is recorded when the pipe has taken it', async () => {
  accepts = 'later';
  const sent = tap.sendTogether([{ message: call }]);
  expect(log).toEqual([]);
  answers[0]?.();
  await sent;
  expect(log).toEqual([`c2s ${JSON.stringify(call)}`]);
});

test('what never reached the pipe is reported, and never recorded', async () => {
  accepts = 'later';
  const sent = tap.sendTogether([{ message: cancel }]);
  answers[0]?.(new Error('EPIPE'));
  await expect(sent).rejects.toThrow(UndeliveredError);
  expect(log).toEqual([]);
});

test('a cancel that the client sends of its own accord stays here', async () => {
  await tap.send(cancel);
  expect(written).toEqual([]);
});

test('only what the client needs goes on to it; everything is recorded', async () => {
  await tap.send(call);
  await tap.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  void tap.sendTogether([{ message: ping, act: { act: 'fence', id: 1, ping: 'f' } }]);
  const lines = [
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}',
    '{"jsonrpc":"2.0","method":"notifications/message","params":{}}',
    '{"jsonrpc":"2.0","id":"f","result":{}}',
    '{"jsonrpc":"2.0","id":"1","result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{"again":true}}',
    '{"jsonrpc":"2.0","id":7,"method":"roots/list"}',
    '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
    '{"id":2,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"file:///a"}}',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":7}}',
    '{"jsonrpc":"2.0","method":"notifications/resources/updated"}',
  ];
  const before = log.length;
  for (const line of lines) receive(line);
  expect(log.slice(before)).toEqual(lines.map((line) => `s2c ${line}`));
  expect(forwarded.map((message) => JSON.stringify(message))).toEqual([lines[4], lines[6], lines[7]]);
  expect(told).toEqual(['replied n:1', 'replied n:2', `unreadable ${lines[8]}`, 'updated file:///a']);
});

test('lines that are no messages are noise, each by its reason', () => {
  for (const line of ['starting…', '', 'null', '[]', '{"level":"info"}']) receive(line);
  tap.broken(clock.now(), 'not-utf-8', Buffer.from([0xff]));
  expect(log).toEqual([
    's2c noise not-json',
    's2c noise not-json',
    's2c noise not-json-rpc',
    's2c noise not-json-rpc',
    's2c noise not-json-rpc',
    's2c noise not-utf-8',
  ]);
});

describe('over HTTP', () => {
  beforeEach(() => {
    accepts = 'by hand';
  });
  const only = (): Parcel => {
    const [parcel] = parcels;
    if (!parcel) throw new Error('expected a message that was sent');
    return parcel;
  };

  test('a request that was carried twice, after a login, is one act and one call, and both are recorded', async () => {
    const sent: number[] = [];
    tap.arrange((id) => ({ act: { act: 'idle', ping: id }, sent: (seq) => sent.push(seq) }));
    void tap.send({ jsonrpc: '2.0', id: 4, method: 'ping' });
    only().written(clock.now(), 3);
    only().written(clock.now(), 5);
    expect(log).toEqual([
      '- act idle',
      'c2s {"jsonrpc":"2.0","id":4,"method":"ping"} #3',
      'c2s {"jsonrpc":"2.0","id":4,"method":"ping"} #5',
    ]);
    expect(sent).toEqual([1]);
  });

  test('a request whose exchange comes to nothing is refused to the client, though it was written', async () => {
    const sent = tap.send(call);
    only().written(clock.now(), 3);
    only().failed(new Error('it was answered with 503'));
    await expect(sent).rejects.toThrow('503');
    receive('{"jsonrpc":"2.0","id":1,"result":{}}');
    expect(forwarded).toEqual([]);
  });

  test('a cancel that was written is sent; that it was refused is told later', async () => {
    const refused: string[] = [];
    const sent = tap.sendTogether([{ message: cancel, refused: (error) => refused.push(error.message) }]);
    only().written(clock.now(), 3);
    await sent;
    only().failed(new Error('it was answered with 404'));
    expect(refused).toEqual(['it was answered with 404']);
  });

  test('a batch is taken apart, and each message is as it was; elsewhere an array is none', () => {
    const [one, two] = ['{"jsonrpc":"2.0", "method":"notifications/message"}', '{"jsonrpc":"2.0","id":"7","result":{}}'];
    const batch = `[${one},\n ${two}, 5]`;
    expect(tap.text(clock.now(), batch, batch.length, 3)).toEqual(['s:7']);
    expect(log).toEqual([`s2c ${one} #3`, `s2c ${two} #3`, 's2c noise not-json-rpc']);
    expect(tap.text(clock.now(), batch, batch.length)).toEqual([]);
    expect(log.at(-1)).toBe('s2c noise not-json-rpc');
  });
});

test('news of a task is told, of either form, and not handed on', () => {
  receive('{"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"a"}}');
  receive('{"jsonrpc":"2.0","method":"notifications/tasks","params":{"taskId":"b"}}');
  expect([told, forwarded]).toEqual([['task {"taskId":"a"}', 'task {"taskId":"b"}'], []]);
});

test('a revision that is insisted on is asked for', async () => {
  const insisting = new Tap({ session: 1, recorder: recorder(), clock, wire, listener: nobody, protocol: '2025-03-26' });
  await insisting.send({ jsonrpc: '2.0', id: 0, method: 'initialize', params: { protocolVersion: '2025-11-25' } });
  expect(written).toEqual(['{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}\n']);
});

describe('a request that takes several rounds', () => {
  const discovered = { supportedVersions: ['2026-07-28'], capabilities: {}, resultType: 'complete' };

  async function called(): Promise<void> {
    tap = tapOf('2026-07-28');
    const initialize = { jsonrpc: '2.0' as const, id: 0, method: 'initialize', params: { clientInfo: {} } };
    const sent = tap.send(initialize);
    receive(JSON.stringify({ jsonrpc: '2.0', id: 'stopgap-discover', result: discovered }));
    await sent;
    await tap.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a' } });
    [log, forwarded, told] = [[], [], []];
  }
  const again = { jsonrpc: '2.0', id: 1, result: { resultType: 'input_required', requestState: 'x' } };

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is asked again after a while, and the client is given the last answer under its own id', async () => {
    await called();
    receive(JSON.stringify(again));
    expect([told, forwarded]).toEqual([['goes on n:1 stopgap-round-1'], []]);
    expect(log.filter((line) => line.startsWith('c2s'))).toEqual([]);
    await vi.runAllTimersAsync();
    expect(log.at(-1)).toContain('"id":"stopgap-round-1"');
    receive('{"jsonrpc":"2.0","id":"stopgap-round-1","result":{"content":[]}}');
    expect(told.at(-1)).toBe('replied s:stopgap-round-1');
    expect(forwarded).toEqual([{ jsonrpc: '2.0', id: 1, result: { content: [] } }]);
  });

  test('is asked no more when it was stopped while its answer was on its way', async () => {
    await called();
    expect(tap.endRounds('n:1')).toBe(false);
    receive(JSON.stringify(again));
    await vi.runAllTimersAsync();
    expect([log.filter((line) => line.startsWith('c2s')), forwarded]).toEqual([[], [again]]);
  });

  test('is asked no more when that has been given up before, and the client is given what there is', async () => {
    await called();
    receive(JSON.stringify(again));
    expect(tap.endRounds('s:stopgap-round-1')).toBe(true);
    await vi.runAllTimersAsync();
    expect(log.filter((line) => line.startsWith('c2s'))).toEqual([]);
    expect(forwarded).toEqual([again]);
    expect(tap.endRounds('s:stopgap-round-1')).toBe(false);
  });
});
