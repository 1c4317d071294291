// The sql probe on real database servers: what another client writes, holds open and takes back, and what becomes of the
// probe when the connection goes. SQLite is tested beside the probe itself.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fromMs } from '../../app/base/time';
import type { SpecOf } from '../../app/evidence/probe';
import { startClock } from '../../main/host/clock';
import { startProbe } from '../../main/probes';
import { hearing } from '../../main/probes/probe.testing';
import { checkSql, startSqlProbe } from '../../main/probes/sql';
import { type TestHost, testHost } from './host.testing';
import { findMysql, type Mysql, startMysql } from './mysql.testing';
import { type Postgres, startPostgres } from './postgres.testing';

/** However slow the machine. */
const SOON = { timeout: 60_000, interval: 10 };
const NEVER_MS = 3_600_000;
/** Wall clock and monotonic clock are compared to the millisecond, and may be corrected against one another meanwhile. */
const CLOCKS = fromMs(50);

const spec = (dsn: string, query: string, everyMs: number): SpecOf<'sql'> => ({
  kind: 'sql',
  name: 'db',
  shared: false,
  dsn,
  query,
  everyMs,
});

async function scene(settings: SpecOf<'sql'>) {
  const heard = hearing(startClock());
  const probe = await startSqlProbe(settings, heard.context);
  onTestFinished(() => probe.stop());
  const says = () => heard.effects.flatMap((effect) => ('says' in effect ? [effect.says] : []));
  return { ...heard, probe, says };
}

describe('PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.end());

  const ROWS = 'select * from orders order by id';
  const table = () =>
    postgres.run(
      "drop table if exists orders; create table orders (id int primary key, who text, at timestamptz); insert into orders values (1, 'eve')",
    );

  async function client(dsn = postgres.dsn): Promise<pg.Client> {
    const one = new pg.Client({ connectionString: dsn });
    one.on('error', () => undefined);
    await one.connect();
    onTestFinished(() => one.end());
    return one;
  }

  it('shows a row that another client inserts, in an interval that holds the moment', async () => {
    await table();
    const writer = await client();
    const { all, clock } = await scene(spec(postgres.dsn, 'select id, who from orders', 20));
    const c = clock.now();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const began = clock.now();
    const skew = clock.wallMs() * 1e6 - clock.now();
    const { rows } = await writer.query<{ ms: string }>(
      "insert into orders values (7, 'ada', clock_timestamp()) returning (extract(epoch from at) * 1000)::text as ms",
    );
    const committed = clock.now();
    const inserted = Number(rows[0]?.ms) * 1e6 - skew;
    await expect.poll(() => all('seen'), SOON).toMatchObject([{ says: '1 row more: 7 | ada', subject: '7', sample: '7 | ada' }]);
    const [seen] = all('seen');
    expect(inserted).toBeGreaterThanOrEqual(began - CLOCKS);
    expect(seen?.lo).toBeGreaterThanOrEqual(c);
    expect(seen?.lo).toBeLessThanOrEqual(committed);
    expect(seen?.hi).toBeGreaterThanOrEqual(inserted - CLOCKS);
    expect(seen?.hi).toBeGreaterThanOrEqual(began);
  });

  it('shows what changes, what goes, and what is taken back', async () => {
    await table();
    const writer = await client();
    const { probe, says } = await scene(spec(postgres.dsn, ROWS, NEVER_MS));
    const count = await scene(spec(postgres.dsn, 'select count(*) from orders', NEVER_MS));
    await writer.query("update orders set who = 'ada' where id = 1");
    await probe.read();
    await writer.query("update orders set who = 'eve' where id = 1");
    await probe.read();
    await writer.query('delete from orders');
    await probe.read();
    await count.probe.read();
    expect(says()).toEqual([
      '1 row changed: 1 | eve | NULL → 1 | ada | NULL',
      'row is 1 | eve | NULL again',
      '1 row fewer: 1 | eve | NULL',
    ]);
    expect(count.says()).toEqual(['count changed from 1 to 0']);
  });

  it('shows a transaction that another client holds open, until it ends', async () => {
    await table();
    const [before, writer, reader] = [await client(), await client(), await client()];
    await before.query('begin; select * from orders');
    const { all, probe, says } = await scene(spec(postgres.dsn, ROWS, NEVER_MS));
    await writer.query('begin');
    await writer.query("insert into orders values (8, 'joe')");
    await probe.read();
    expect(all('held')).toMatchObject([
      { says: expect.stringMatching(/^connection \d+ \(owner\) is idle in transaction, with a lock for writing on orders/) },
    ]);
    expect(all('seen')).toEqual([]);
    await writer.query('rollback');
    await probe.read();
    expect(all('freed')).toMatchObject([{ of: [1] }]);
    await reader.query('begin; select 1');
    await probe.read();
    expect(says()).toEqual([expect.stringContaining('with a lock'), expect.stringMatching(/is idle in transaction$/)]);
    await Promise.all([before.query('rollback'), reader.query('rollback')]);
    await probe.read();
    expect(all('freed')).toHaveLength(2);
  });

  it('shows a transaction at work that has locked what it writes, and not one that only reads', async () => {
    await table();
    const [first, writer, reader] = [await client(), await client(), await client()];
    await first.query('begin');
    await first.query("update orders set who = 'joe' where id = 1");
    const { all, probe } = await scene(spec(postgres.dsn, ROWS, NEVER_MS));
    const waits = writer.query("update orders set who = 'ada' where id = 1");
    const sleeps = reader.query('select pg_sleep(1), * from orders');
    await expect
      .poll(async () => {
        await probe.read();
        return all('held').map(({ says }) => says);
      }, SOON)
      .toEqual([expect.stringMatching(/is at work in a transaction, with a lock for writing on orders/)]);
    await first.query('rollback');
    await Promise.all([waits, sleeps]);
    await probe.read();
    expect([all('held').length, all('freed').length]).toEqual([1, 1]);
  });

  it('says nothing of transactions where it lacks the rights, and watches all the same', async () => {
    await table();
    await postgres.run("drop role if exists guest; create role guest login password 'guest'; grant select on orders to guest");
    const writer = await client();
    const { all, probe, says } = await scene(spec(postgres.dsnOf('guest', 'guest'), ROWS, NEVER_MS));
    await writer.query("begin; insert into orders values (9, 'joe')");
    await probe.read();
    expect([all('held').length, all('clear').length]).toEqual([0, 1]);
    await writer.query('commit');
    await probe.read();
    expect(says()).toEqual(['1 row more: 9 | joe | NULL']);
  });

  it('is a gap while the connection is lost, and is watched again after it', async () => {
    await table();
    const { all, clock, probe } = await scene(spec(postgres.dsn, ROWS, 20));
    const before = clock.now();
    await postgres.cut();
    await postgres.run("insert into orders values (10, 'ada')");
    const after = clock.now();
    await expect.poll(() => all('seen'), SOON).toMatchObject([{ says: '1 row more: 10 | ada | NULL' }]);
    await probe.read();
    expect(all('gap')[0]?.why).toMatch(/terminat|lost/i);
    expect(all('gap')[0]?.lo).toBeLessThanOrEqual(all('gap')[0]?.hi ?? 0);
    const [seen] = all('seen');
    expect(seen?.lo).toBeLessThanOrEqual(after);
    expect(seen?.hi).toBeGreaterThanOrEqual(before);
    expect(all('clear').at(-1)?.since).toBeGreaterThanOrEqual(all('gap').at(-1)?.hi ?? Number.POSITIVE_INFINITY);
  });

  it('is a gap while a query is held up, and the query is given up', async () => {
    await table();
    const writer = await client();
    const { all, probe, says } = await scene(spec(postgres.dsn, ROWS, 20));
    await writer.query('begin; lock table orders in access exclusive mode');
    await probe.read();
    await expect.poll(() => all('gap').length, SOON).toBeGreaterThan(0);
    expect(all('gap')[0]?.why).toMatch(/no answer within 2 s|statement timeout/);
    await writer.query("insert into orders values (11, 'ada'); commit");
    await expect.poll(says, SOON).toContain('1 row more: 11 | ada | NULL');
  });

  it('only reads', async () => {
    await table();
    const check = (query: string) => checkSql(spec(postgres.dsn, query, 50));
    expect(await check("insert into orders values (12, 'ada') returning id")).toMatch(/cannot execute INSERT in a read-only transaction/);
    expect(await check('select 1; select 2')).toMatch(/expected one query, got several/);
    expect(await check('select * from missing')).toBe(
      'Expected PostgreSQL to answer the query, but it says: relation "missing" does not exist',
    );
    expect(await check('select clock_timestamp() is not null')).toBeUndefined();
  });

  it('never says the password', async () => {
    await table();
    const wrong = postgres.dsnOf('owner', 'wr@ng/pass');
    const refused = await checkSql(spec(wrong, ROWS, 50));
    expect(refused).toMatch(/password authentication failed for user "owner"/);
    const { effects, probe } = await scene(spec(postgres.dsn, ROWS, NEVER_MS));
    await postgres.cut();
    await probe.read();
    const said = JSON.stringify([refused, effects]);
    for (const secret of [postgres.password, encodeURIComponent(postgres.password), 'wr@ng/pass', encodeURIComponent('wr@ng/pass')])
      expect(said).not.toContain(secret);
    expect(effects[0]).toMatchObject({ place: expect.stringMatching(/^postgres:\/\/owner:\*\*\*@127\.0\.0\.1:\d+\/postgres · select/) });
  });
});

describe('a server that writes to PostgreSQL and does not heed a cancel', () => {
  const fixtures = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;
  const driver = pathToFileURL(createRequire(import.meta.url).resolve('pg')).href;
  /** Its tool inserts a row a while after it was called, whatever it is told meanwhile, and says nothing. */
  const SERVER = `
    import { serve, tool } from '${fixtures}';
    import pg from '${driver}';
    const client = new pg.Client({ connectionString: process.env.DSN });
    await client.connect();
    serve({
      name: 'orders',
      tools: ['place_order', 'hold_order'].map((each) => tool(each, 'Places an order.', { id: { type: 'integer' } })),
      onCall: ({ name, args }) => {
        const insert = () => client.query('insert into orders values ($1, $2)', [args.id, 'ada']);
        if (name === 'place_order') setTimeout(insert, 1000);
        else client.query('begin').then(insert);
      },
    });`;

  let postgres: Postgres;
  let host: TestHost;
  beforeAll(async () => {
    postgres = await startPostgres();
    await postgres.run('create table orders (id int primary key, who text)');
    host = await testHost(startProbe, { graceMs: 1000 });
    const args = ['--input-type=module', '-e', SERVER];
    await host.connect({ command: process.execPath, args }, { env: { DSN: postgres.dsn } });
    await host.until('the tools', () => host.status.tools.length > 0);
    const { state, why } = await host.request('probe.set', {
      connection: host.connection,
      probe: spec(postgres.dsn, 'select * from orders', 50),
    });
    expect([state, why]).toEqual(['watching', undefined]);
  });
  afterAll(async () => {
    await host?.end();
    await postgres?.end();
  });

  it('is found out, and the password is nowhere in the trace', async () => {
    const call = await host.call('place_order', { id: 42 }, { probes: ['db'], settleMs: 3000 });
    expect(await host.cancel(call)).toBe('sent');
    await host.until('the verdict', () => host.verdicts.get(call)?.settled);
    const verdict = host.verdicts.get(call);
    expect(verdict).toMatchObject({ verdict: 'write-after-cancel', certainty: 'proved' });
    expect(verdict?.effect.observations).toMatchObject([{ says: '1 row more: 42 | ada' }]);
    const trace = (await host.raws(() => true)).join('\n');
    expect(trace).toContain('postgres://owner:***@');
    expect(trace).not.toContain(encodeURIComponent(postgres.password));
    expect(trace).not.toContain(postgres.password);
  });

  const effects = (): string[] =>
    Array.from({ length: host.trace.length }, (_, seq) => host.trace.extra(seq)).flatMap((extra) =>
      extra?.about === 'effect' ? [extra.effect.effect] : [],
    );

  it('and leaves its transaction open: nothing is seen, and it is not said to have stopped', async () => {
    const call = await host.call('hold_order', { id: 43 }, { probes: ['db'], settleMs: 1000, normallyMs: 200 });
    await host.until('what is held', () => effects().includes('held'));
    expect(await host.cancel(call)).toBe('sent');
    await host.until('the verdict', () => host.verdicts.get(call)?.settled);
    const clears = (): number => effects().filter((effect) => effect === 'clear').length;
    const before = clears();
    await host.request('probe.read', { connection: host.connection, call });
    await host.until('a reading that outlasts the call', () => clears() > before);
    await host.until('the finding', () => host.findings.some(({ finding }) => finding === 'held-open'));
    expect(host.verdicts.get(call)).toMatchObject({
      verdict: 'quiet',
      also: [],
      effect: { state: 'not-seen' },
      sentence: expect.stringContaining('but the server still holds something open'),
    });
    expect(host.findings).toContainEqual(expect.objectContaining({ finding: 'held-open', call }));
    expect(host.verdicts.get(call)?.history.map(({ verdict }) => verdict)).not.toContain('stopped');
  });
});

const program = findMysql();
if (program !== undefined) {
  describe('MySQL or MariaDB', () => {
    let mysql: Mysql;
    beforeAll(async () => {
      mysql = await startMysql(program);
    });
    afterAll(() => mysql?.end());

    const ROWS = 'select * from orders order by id';
    async function client() {
      const one = await mysql.connect();
      onTestFinished(() => one.end());
      return one;
    }

    async function table() {
      const one = await client();
      await one.query('drop table if exists orders');
      await one.query('create table orders (id int primary key, who varchar(20), amount decimal(20, 2), at datetime(6)) engine = innodb');
      await one.query("insert into orders values (1, 'eve', 7, null)");
    }

    it('shows the rows that another client writes', async () => {
      await table();
      const writer = await client();
      const { all, clock, probe, says } = await scene(spec(mysql.dsn, ROWS, NEVER_MS));
      await probe.read();
      const before = clock.now();
      await writer.query("insert into orders values (7, 'ada', 12345678901234567.5, '2026-01-02 03:04:05.678901')");
      const after = clock.now();
      await probe.read();
      await writer.query('delete from orders where id = 7');
      await probe.read();
      const row = '7 | ada | 12345678901234567.50 | 2026-01-02 03:04:05.678901';
      expect(says()).toEqual([`1 row more: ${row}`, `1 row gone again: ${row}`]);
      expect(all('seen')[0]?.lo).toBeLessThanOrEqual(before);
      expect(all('seen')[0]?.hi).toBeGreaterThanOrEqual(after);
    });

    it('shows a transaction that another client holds open, until it ends', async () => {
      await table();
      const writer = await client();
      const { all, probe, says } = await scene(spec(mysql.dsn, ROWS, 20));
      await writer.query('begin');
      await writer.query("insert into orders values (8, 'joe', 1, null)");
      await expect.poll(says, SOON).toEqual([expect.stringMatching(/^connection \d+ \(\w*\) is (?:idle|at work) in a transaction/)]);
      await writer.query('rollback');
      await expect.poll(() => all('freed').length, SOON).toBe(1);
      await probe.read();
      expect(all('seen')).toEqual([]);
    });

    it('is a gap while the connection is lost, and is watched again after it', async () => {
      await table();
      const other = await client();
      const { all } = await scene(spec(mysql.dsn, ROWS, 20));
      const [lines] = await other.query<never>('select id from information_schema.processlist where id <> connection_id()');
      for (const { id } of lines as readonly { id: number }[]) await other.query(`kill ${id}`).catch(() => undefined);
      await other.query("insert into orders values (10, 'ada', 1, null)");
      await expect.poll(() => all('seen'), SOON).toMatchObject([{ says: '1 row more: 10 | ada | 1.00 | NULL' }]);
      expect(all('gap').length).toBeGreaterThan(0);
    });

    it('only reads', async () => {
      await table();
      expect(await checkSql(spec(mysql.dsn, "insert into orders values (9, 'x', 1, null)", 50))).toMatch(/READ ONLY transaction/i);
      expect(await checkSql(spec(mysql.dsn, 'select * from missing', 50))).toMatch(/missing' doesn't exist/);
    });
  });
}
