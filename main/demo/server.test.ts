// The demo is what people learn the product by, so each tool's truth is tested on the real process: what is on the
// pipe and what is on the disk, when nobody stops it and when somebody does. Only orders are tested, never durations.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { test as base, beforeAll, describe, expect } from 'vitest';
import { buildEntry } from '../../test/build.testing';
import { type Message, type StdioServer, startStdio } from '../../test/stdio.testing';
import { DEMO_PROBES, DEMO_TOOLS, type DemoToolName } from './probes';

let program: string;

beforeAll(async () => {
  program = await buildEntry('main/demo/server.ts');
}, 60_000);

/** A running demo server with a state folder of its own, and ways to look at both. */
interface Desk {
  readonly demo: StdioServer;
  readonly folder: string;
  /** File names in a room of the state folder. */
  readonly inRoom: (room: string) => readonly string[];
  readonly ledger: () => readonly Record<string, unknown>[];
  /** Everything that answered this id. */
  readonly answers: (id: string | number) => readonly Message[];
  readonly progressOf: (token: string | number) => readonly Message[];
}

function startDesk(): Desk {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-demo-test-'));
  const demo = startStdio(process.execPath, [program, '--state', folder]);
  const lines = () => readFileSync(path.join(folder, 'ledger.jsonl'), 'utf8').split('\n');
  return {
    demo,
    folder,
    inRoom: (room) => readdirSync(path.join(folder, room)),
    ledger: () =>
      lines()
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    answers: (id) => demo.messages.filter((message) => message.id === id && message.method === undefined),
    progressOf: (token) =>
      demo.messages.filter((message) => message.method === 'notifications/progress' && message.params?.['progressToken'] === token),
  };
}

const test = base.extend<{ desk: Desk }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs
  desk: async ({}, use) => {
    const desk = startDesk();
    try {
      await desk.demo.open();
      await use(desk);
    } finally {
      await desk.demo.close();
      rmSync(desk.folder, { recursive: true, force: true });
    }
  },
});

const textOf = (message: Message) => (message.result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

/** Until the tool would have finished and half as long again, then a ping: what has not come by then does not come. */
async function outlast(demo: StdioServer, tool: DemoToolName): Promise<void> {
  await rest(DEMO_TOOLS[tool].normallyMs * 1.5);
  await demo.ping();
}

describe.concurrent('the demo server', { timeout: 60_000 }, () => {
  test('lists its tools with forms, annotations as documented, and a description of what cancelling does', async ({ desk: { demo } }) => {
    demo.send({ id: 1, method: 'tools/list' });
    const tools = (await demo.answer(1)).result?.['tools'] as {
      name: string;
      description: string;
      annotations?: Record<string, boolean>;
      inputSchema: { required?: string[]; properties: Record<string, Record<string, unknown>> };
    }[];
    expect(tools.map((tool) => tool.name).sort()).toEqual(Object.keys(DEMO_TOOLS).sort());
    expect(tools.filter((tool) => !/cancel/i.test(tool.description))).toEqual([]);
    expect(Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations?.['readOnlyHint']]))).toEqual({
      search_orders: true,
      crawl_site: true,
      huge_search: true,
      charge_card: false,
      refund: false,
      send_email: false,
      create_ticket: false,
      book_seat: true, // the lie
      deploy: undefined, // the one without annotations
      export_report: false,
      render_invoice: true,
    });
    const charge = tools.find((tool) => tool.name === 'charge_card')?.inputSchema;
    expect(charge?.required).toEqual(['amount']);
    expect(charge?.properties['amount']).toMatchObject({
      type: 'integer',
      title: 'Amount in cents',
      default: 4200,
      minimum: 1,
      maximum: 1_000_000,
    });
    expect(tools.flatMap((tool) => Object.values(tool.inputSchema.properties)).filter((property) => !property['title'])).toEqual([]);
  });

  test('answers every tool that nobody stops, and each effect is where its probe looks', async ({
    desk: { demo, folder, inRoom, ledger, progressOf },
  }) => {
    const args: Partial<Record<DemoToolName, object>> = {
      charge_card: { amount: 4200 },
      send_email: { to: 'a@b.example' },
      create_ticket: { title: 'T' },
      // The others are answered when it lets go.
      render_invoice: { ms: 50 },
    };
    const names = (Object.keys(DEMO_TOOLS) as DemoToolName[]).filter((name) => name !== 'refund');
    for (const name of names) demo.call(name, name, args[name], name);
    for (const name of names) expect((await demo.answer(name)).result?.['isError'], name).toBeUndefined();
    expect({
      ledger: ledger(),
      ...Object.fromEntries(['outbox', 'tickets', 'seats', 'releases', 'reports'].map((room) => [room, inRoom(room)])),
    }).toEqual({
      ledger: [{ id: expect.stringMatching(/^ch_[0-9a-f]{8}$/), at: expect.any(String), amount: 4200, currency: 'EUR' }],
      outbox: [expect.stringMatching(/^mail-[0-9a-f]{8}\.eml$/)],
      tickets: [expect.stringMatching(/^t_[0-9a-f]{8}\.json$/)],
      seats: ['1A.booked'],
      releases: [expect.stringMatching(/^shop-1\.4\.0-r_[0-9a-f]{8}\.json$/)],
      reports: [],
    });
    expect(progressOf('crawl_site')[10]?.params).toEqual({
      progressToken: 'crawl_site',
      progress: 11,
      total: 40,
      message: '11 of 40 pages',
    });
    expect(progressOf('crawl_site')).toHaveLength(40);
    expect(progressOf('export_report')).toHaveLength(24);
    expect(readdirSync(folder).sort()).toEqual(
      [...Object.values(DEMO_PROBES).map(({ path: room, match }) => (room === '.' ? match : room))].sort(),
    );
  });

  test('search_orders stops and says nothing', async ({ desk: { demo, answers } }) => {
    demo.call(1, 'search_orders');
    demo.cancel(1);
    await outlast(demo, 'search_orders');
    expect(answers(1)).toEqual([]);
  });

  test('crawl_site stops with its page', async ({ desk: { demo, answers, progressOf } }) => {
    demo.call(1, 'crawl_site', {}, 0);
    await demo.until(() => progressOf(0).length >= 2, 'two pages');
    demo.cancel(1);
    await demo.ping();
    const seen = progressOf(0).length;
    await rest(1_000);
    await demo.ping();
    expect([progressOf(0).length, answers(1)]).toEqual([seen, []]);
  });

  test('huge_search answers late, once, as large as it was asked to', async ({ desk: { demo, answers } }) => {
    demo.call(1, 'huge_search', { query: 'x', rows: 5000 });
    demo.cancel(1);
    await demo.ping();
    expect(answers(1)).toEqual([]);
    expect(textOf(await demo.answer(1))?.split('\n')).toHaveLength(5000);
    await demo.ping();
    expect(answers(1)).toHaveLength(1);
  });

  test('charge_card cancelled before its commit point charges nothing', async ({ desk: { demo, ledger, answers } }) => {
    demo.call(1, 'charge_card', { amount: 1, commit_ms: 1_000, write_ms: 1_100 });
    demo.cancel(1);
    await rest(2_000);
    await demo.ping();
    expect([ledger(), answers(1)]).toEqual([[], []]);
  });

  test('charge_card cancelled after its commit point charges, and says nothing', async ({ desk: { demo, ledger, answers } }) => {
    demo.call(1, 'charge_card', { amount: 1, commit_ms: 0, write_ms: 2_000 });
    await rest(300);
    demo.cancel(1);
    await demo.ping();
    expect(ledger()).toEqual([]);
    await demo.until(() => ledger().length === 1, 'the charge');
    await demo.ping();
    expect(answers(1)).toEqual([]);
  });

  test('charge_card charges once per idempotency key, at the same time or later', async ({ desk: { demo, ledger } }) => {
    const args = { amount: 4200, idempotency_key: 'k' };
    for (const id of [1, 2]) demo.call(id, 'charge_card', args);
    const [first, second] = [textOf(await demo.answer(1)), textOf(await demo.answer(2))];
    demo.call(3, 'charge_card', args);
    const third = textOf(await demo.answer(3));
    const id = String(ledger()[0]?.['id']);
    expect([first, second, third]).toEqual([
      `Charged 4200 EUR as ${id}`,
      `Already charged 4200 EUR as ${id}; charged nothing more`,
      `Already charged 4200 EUR as ${id}; charged nothing more`,
    ]);
    expect(ledger()).toHaveLength(1);
  });

  test('charge_card without a key charges twice', async ({ desk: { demo, ledger } }) => {
    for (const id of [1, 2]) demo.call(id, 'charge_card', { amount: 4200 });
    await demo.answer(1);
    await demo.answer(2);
    expect(ledger()).toHaveLength(2);
  });

  test('charge_card refuses to write before it commits', async ({ desk: { demo } }) => {
    demo.call(1, 'charge_card', { amount: 1, commit_ms: 2, write_ms: 1 });
    expect((await demo.answer(1)).result).toMatchObject({ isError: true });
  });

  test('refund takes a charge back by key, by id, or the newest, and says when there is none', async ({ desk: { demo, ledger } }) => {
    for (const [id, args] of [
      [1, { idempotency_key: 'k' }],
      [2, {}],
      [3, {}],
    ] as const) {
      demo.call(id, 'charge_card', { amount: id, ...args });
      await demo.answer(id);
    }
    const amounts = () => ledger().map((charge) => charge['amount']);
    demo.call(4, 'refund', { idempotency_key: 'k' });
    await demo.answer(4);
    expect(amounts()).toEqual([2, 3]);
    demo.call(5, 'refund', { charge_id: ledger()[0]?.['id'] });
    await demo.answer(5);
    expect(amounts()).toEqual([3]);
    demo.call(6, 'refund');
    await demo.answer(6);
    expect(amounts()).toEqual([]);
    demo.call(7, 'refund');
    expect((await demo.answer(7)).result).toMatchObject({ isError: true });
  });

  test('send_email has sent before it confirms, and confirms although cancelled', async ({ desk: { demo, folder, inRoom, answers } }) => {
    demo.call(1, 'send_email', { to: 'a@b.example', subject: 'Hello\nBcc: x', body: 'Text' });
    await demo.until(() => inRoom('outbox').length === 1, 'the mail');
    demo.cancel(1);
    await demo.ping();
    expect(readFileSync(path.join(folder, 'outbox', inRoom('outbox')[0] ?? ''), 'utf8')).toBe(
      'To: a@b.example\nSubject: Hello Bcc: x\n\nText\n',
    );
    expect(textOf(await demo.answer(1))).toBe(`Sent to a@b.example: ${path.join('outbox', inRoom('outbox')[0] ?? '')}`);
    await demo.ping();
    expect(answers(1)).toHaveLength(1);
  });

  test('create_ticket stops cleanly', async ({ desk: { demo, inRoom, answers } }) => {
    demo.call(1, 'create_ticket', { title: 'T' });
    demo.cancel(1);
    await outlast(demo, 'create_ticket');
    expect([inRoom('tickets'), answers(1)]).toEqual([[], []]);
  });

  test('book_seat gives the seat back', async ({ desk: { demo, inRoom, answers } }) => {
    demo.call(1, 'book_seat', { seat: '12C' });
    await demo.until(() => inRoom('seats').length === 1, 'the hold');
    expect(inRoom('seats')).toEqual(['12C.held']);
    demo.cancel(1);
    await demo.until(() => inRoom('seats').length === 0, 'the seat to be given back');
    await outlast(demo, 'book_seat');
    expect([inRoom('seats'), answers(1)]).toEqual([[], []]);
  });

  test('book_seat refuses a seat that is taken', async ({ desk: { demo, inRoom } }) => {
    for (const id of [1, 2]) demo.call(id, 'book_seat', { seat: '12C' });
    expect((await demo.answer(2)).result).toMatchObject({ isError: true });
    expect((await demo.answer(1)).result?.['isError']).toBeUndefined();
    expect(inRoom('seats')).toEqual(['12C.booked']);
  });

  test('deploy goes on in a process that outlives the cancel and the server', async ({ desk: { demo, inRoom, answers } }) => {
    demo.call(1, 'deploy', { service: 'mail', version: '2.0' });
    demo.cancel(1);
    await demo.ping();
    await demo.close();
    expect([inRoom('releases'), answers(1)]).toEqual([[], []]);
    await demo.until(() => inRoom('releases').length === 1, 'the release');
    expect(inRoom('releases')[0]).toMatch(/^mail-2\.0-r_/);
  });

  test('export_report goes on reporting to the end, never answers and writes nothing', async ({
    desk: { demo, folder, answers, progressOf },
  }) => {
    const before = readdirSync(folder, { recursive: true });
    demo.call(1, 'export_report', { pages: 8 }, 'token');
    await demo.until(() => progressOf('token').length >= 1, 'a page');
    demo.cancel(1);
    await demo.ping();
    expect(progressOf('token').length).toBeLessThan(8);
    await demo.until(() => progressOf('token').length === 8, 'every page');
    await demo.ping();
    expect(answers(1)).toEqual([]);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  describe('export_report as a task', () => {
    /** Asks, and resolves with the answer. */
    const ask = async (demo: StdioServer, id: string, method: string, params: object) => {
      demo.send({ id, method, params });
      return demo.answer(id);
    };
    const begin = async (demo: StdioServer, args: object, wish: object = {}): Promise<string> => {
      const made = await ask(demo, 'call', 'tools/call', {
        name: 'export_report',
        arguments: args,
        task: wish,
        _meta: { progressToken: 'token' },
      });
      const task = made.result?.['task'] as { readonly taskId: string; readonly status: string } | undefined;
      expect(task?.status).toBe('working');
      return task?.taskId ?? '';
    };
    const statusOf = async (demo: StdioServer, taskId: string, id: string) =>
      (await ask(demo, id, 'tasks/get', { taskId })).result?.['status'];

    test('files the report, tells when it has, and its result may be fetched; a plain call is on no list', async ({
      desk: { demo, inRoom, progressOf },
    }) => {
      demo.call('plain', 'export_report', { pages: 2 });
      const taskId = await begin(demo, { pages: 3 }, { ttl: 60_000 });
      await demo.message(({ method, params }) => method === 'notifications/tasks/status' && params?.['status'] === 'completed');
      expect(inRoom('reports')).toEqual([expect.stringMatching(/^2026-01-r_[0-9a-f]{8}\.txt$/)]);
      const result = await ask(demo, 'result', 'tasks/result', { taskId });
      expect(textOf(result)).toContain('3 pages, filed as reports');
      expect(progressOf('token')).toHaveLength(3);
      await demo.answer('plain');
      const { tasks } = (await ask(demo, 'list', 'tasks/list', {})).result as { tasks: object[] };
      expect(tasks).toMatchObject([{ taskId, status: 'completed', ttl: 60_000 }]);
      const told = demo.messages.filter(({ method }) => method === 'notifications/tasks/status');
      expect(told.map(({ params }) => params?.['taskId'])).toEqual([taskId]);
    });

    test('stops when it is cancelled: no more progress, and nothing filed', async ({ desk: { demo, inRoom, progressOf } }) => {
      const taskId = await begin(demo, { pages: 8 });
      await demo.until(() => progressOf('token').length >= 1, 'a page');
      expect((await ask(demo, 'cancel', 'tasks/cancel', { taskId })).result?.['status']).toBe('cancelled');
      const seen = progressOf('token').length;
      await outlast(demo, 'export_report');
      expect([inRoom('reports'), progressOf('token').length]).toEqual([[], seen]);
      expect((await ask(demo, 'again', 'tasks/cancel', { taskId })).error?.code).toBe(-32602);
    });

    test('that pretends says cancelled, goes silent, and files the report', async ({ desk: { demo, inRoom, progressOf } }) => {
      const taskId = await begin(demo, { pages: 5, when_cancelled: 'pretend' });
      await demo.until(() => progressOf('token').length >= 1, 'a page');
      expect((await ask(demo, 'cancel', 'tasks/cancel', { taskId })).result?.['status']).toBe('cancelled');
      const seen = progressOf('token').length;
      await demo.until(() => inRoom('reports').length === 1, 'the report');
      expect(await statusOf(demo, taskId, 'after')).toBe('cancelled');
      expect(progressOf('token')).toHaveLength(seen);
      // The SDK's store has no result of a task that was cancelled.
      expect((await ask(demo, 'result', 'tasks/result', { taskId })).error).toBeDefined();
    });
  });

  test('stops the seventh of twenty calls only, and none with an id that the SDK does not cancel', async ({
    desk: { demo, inRoom, answers },
  }) => {
    const ids: readonly (number | string)[] = [0, '', '7', ...Array.from({ length: 17 }, (_, n) => n + 1)];
    for (const id of ids) demo.call(id, 'create_ticket', { title: JSON.stringify(id) });
    for (const id of [0, '', 7]) demo.cancel(id);
    const others = ids.filter((id) => id !== 7);
    for (const id of others) expect(textOf(await demo.answer(id))).toContain(JSON.stringify(id));
    await demo.ping();
    expect(answers(7)).toEqual([]);
    expect(inRoom('tickets')).toHaveLength(others.length);
    expect(demo.messages.filter((message) => message.result?.['content'])).toHaveLength(others.length);
  });

  test('ends at once with its stdin and with SIGTERM, calls in flight or not', async ({ desk: { demo, folder, inRoom } }) => {
    demo.call(1, 'book_seat');
    await demo.until(() => inRoom('seats').length === 1, 'the hold');
    demo.child.stdin?.end();
    expect(await demo.exited).toEqual({ code: 0, signal: null });
    expect(inRoom('seats')).toEqual([]);

    const other = startStdio(process.execPath, [program], { ...process.env, STOPGAP_DEMO_STATE: folder });
    await other.open();
    expect(other.stderr).toEqual([`stopgap-demo: state folder ${folder}`]);
    other.call(1, 'huge_search');
    await other.ping();
    other.child.kill('SIGTERM');
    expect(await other.exited).toEqual({ code: 0, signal: null });
    expect(other.messages.filter((message) => message.id === 1)).toEqual([]);
  });

  test('says how it is used when it does not know an option', async () => {
    const wrong = startStdio(process.execPath, [program, '--nonsense']);
    expect((await wrong.exited).code).toBe(2);
    await wrong.until(() => wrong.stderr.length >= 2, 'the usage');
    expect(wrong.stderr.join('\n')).toMatch(/--nonsense.*Usage: demo/s);
  });
});
