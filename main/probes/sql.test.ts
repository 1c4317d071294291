import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { SpecOf } from '../../app/evidence/probe';
import { startClock } from '../host/clock';
import { hearing } from './probe.testing';
import { checkSql, startSqlProbe } from './sql';

vi.setConfig({ testTimeout: 60_000 });
const NEVER_MS = 3_600_000;
/** However slow the machine. */
const SOON = { timeout: 25_000, interval: 5 };

function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-sql-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Another process that executes what it is told, and answers each statement with a line. */
const WRITER = `
const database = new (require(process.argv[1]))(process.argv[2], { timeout: 5000 });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  try { database.exec(line); console.log('done'); } catch (error) { console.log(error.message); }
});`;

class Writer {
  readonly file: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(file: string) {
    this.file = file;
    const libsql = createRequire(import.meta.url).resolve('libsql');
    this.#child = spawn(process.execPath, ['-e', WRITER, libsql, file]);
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    onTestFinished(() => this.end());
  }

  async run(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) {
      this.#child.stdin.write(`${statement}\n`);
      expect((await this.#answers.next()).value).toBe('done');
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

const TABLE = 'create table orders (id integer primary key, who text, amount numeric)';

/** A database with a table of orders and one row in it. */
async function database(journal = 'wal', name = 'a b?%20.db'): Promise<Writer> {
  const writer = new Writer(path.join(tempFolder(), name));
  await writer.run(`pragma journal_mode = ${journal}`, TABLE, "insert into orders values (1, 'eve', 7)");
  return writer;
}

const ROWS = 'select * from orders order by id';
const spec = (file: string, query = ROWS, everyMs = NEVER_MS): SpecOf<'sql'> => ({
  kind: 'sql',
  name: 'db',
  shared: false,
  dsn: `sqlite:${file}`,
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

describe.each(['wal', 'delete'])('an SQLite database (%s)', (journal) => {
  it('shows the rows that another process writes, between the readings before and after', async () => {
    const writer = await database(journal);
    const { all, clock, effects, probe, says } = await scene(spec(writer.file));
    expect(effects[0]).toMatchObject({ effect: 'watching', kind: 'sql', place: `sqlite:${writer.file} · ${ROWS}` });
    const c = clock.now();
    await probe.read();
    const before = clock.now();
    await writer.run("insert into orders values (7, 'ada', 42), (8, null, x'0102')");
    const after = clock.now();
    await probe.read();
    await writer.run('update orders set amount = 43 where id = 7', 'delete from orders where id = 1');
    await probe.read();
    await writer.run('delete from orders where id = 8');
    await probe.read();
    await probe.read();
    expect(says()).toEqual([
      '1 row more: 7 | ada | 42',
      "1 row more: 8 | NULL | x'0102'",
      '1 row changed: 7 | ada | 42 → 7 | ada | 43',
      '1 row fewer: 1 | eve | 7',
      "1 row gone again: 8 | NULL | x'0102'",
    ]);
    const [seen] = all('seen');
    expect(seen).toMatchObject({ subject: '7', sample: '7 | ada | 42' });
    expect(seen?.lo).toBeGreaterThanOrEqual(c);
    expect(seen?.lo).toBeLessThanOrEqual(before);
    expect(seen?.hi).toBeGreaterThanOrEqual(after);
    expect(all('clear')).toHaveLength(2);
    expect(all('gap')).toEqual([]);
  });

  it('is not seen to change before another process commits, and never after it has rolled back', async () => {
    const writer = await database(journal);
    const { probe, says } = await scene(spec(writer.file));
    await writer.run('begin', "insert into orders values (7, 'ada', 42)");
    await probe.read();
    await writer.run('rollback', 'begin', "insert into orders values (8, 'ada', 42)");
    await probe.read();
    expect(says()).toEqual([]);
    await writer.run('commit');
    await probe.read();
    expect(says()).toEqual(['1 row more: 8 | ada | 42']);
  });

  it('is polled, and does not hold up who writes', async () => {
    const writer = await database(journal);
    const { all, says } = await scene(spec(writer.file, 'select count(*) as n from orders', 10));
    for (let id = 10; id < 60; id++) await writer.run(`insert into orders values (${id}, 'ada', 1)`);
    await expect.poll(() => says().at(-1), SOON).toMatch(/^n changed from \d+ to 51$/);
    for (const { lo, hi } of all('seen')) expect(lo).toBeLessThanOrEqual(hi);
    expect(all('gap')).toEqual([]);
  });
});

describe('an SQLite database with a rollback journal', () => {
  it('is not locked by the probe while nobody writes to it', async () => {
    const writer = await database('delete');
    utimesSync(writer.file, 1, 1);
    const { all, probe, says } = await scene(spec(writer.file));
    await writer.run('begin exclusive');
    await probe.read();
    expect([all('gap').length, all('clear').length]).toEqual([0, 1]);
    await writer.run("insert into orders values (7, 'ada', 42)", 'commit');
    await probe.read();
    expect(says()).toEqual(['1 row more: 7 | ada | 42']);
  });
});

describe('what cannot be read', () => {
  it('is a gap while another process keeps the file locked', async () => {
    const writer = await database('delete');
    // Written to just now, however slow the machine.
    utimesSync(writer.file, Date.now() / 1000 + 3600, Date.now() / 1000 + 3600);
    const { all, probe, says } = await scene(spec(writer.file, ROWS, 10));
    await writer.run('begin exclusive', "insert into orders values (7, 'ada', 42)");
    await probe.read();
    expect(all('gap')[0]?.why).toBe('Expected SQLite to answer the query, but it says: database is locked');
    await writer.run('commit');
    await probe.read();
    expect(says()).toEqual(['1 row more: 7 | ada | 42']);
  });

  it('is a table that goes and comes back', async () => {
    const writer = await database();
    const { all, probe, says } = await scene(spec(writer.file));
    await writer.run('drop table orders');
    await probe.read();
    expect(all('gap').at(-1)?.why).toBe('Expected SQLite to answer the query, but it says: no such table: orders');
    await writer.run(TABLE);
    await probe.read();
    expect(says()).toEqual(['1 row fewer: 1 | eve | 7']);
    expect(all('clear')).toEqual([]);
  });

  it('is a file that goes; another in its place is read as well', async () => {
    const writer = await database('delete');
    const other = `${writer.file}.other`;
    copyFileSync(writer.file, other);
    const { all, probe, says } = await scene(spec(writer.file));
    await writer.end();
    rmSync(writer.file);
    await probe.read();
    expect(all('gap')[0]?.why).toMatch(/cannot be opened: it is not there/);
    const second = new Writer(other);
    await second.run("insert into orders values (9, 'joe', 1)");
    await second.end();
    renameSync(other, writer.file);
    await probe.read();
    await probe.read();
    expect(says()).toEqual(['1 row more: 9 | joe | 1']);
  });

  it('is refused at the start, in plain words', async () => {
    const writer = await database();
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'text.db'), 'this is no database, however long it is made '.repeat(40));
    const check = (file: string, query?: string) => checkSql(spec(file, query));
    expect(await check(writer.file)).toBeUndefined();
    expect(await check(writer.file, 'select * from missing')).toBe(
      'Expected SQLite to answer the query, but it says: no such table: missing',
    );
    expect(await check(writer.file, 'selec 1')).toMatch(/it says: .*syntax error/);
    expect(await check(writer.file, "insert into orders values (2, 'x', 1)")).toMatch(/it says: expected a query that finds rows/);
    expect(await check(path.join(folder, 'none.db'))).toMatch(
      /^Expected to reach SQLite, but .*none\.db cannot be opened: it is not there/,
    );
    expect(await check(folder)).toMatch(/it is not a file/);
    expect(await check(path.join(folder, 'text.db'))).toMatch(/not a database/);
    expect(
      await check(writer.file, 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 30000) select x from c'),
    ).toMatch(/the query finds 30000 rows, more than 20000; narrow it/);
    expect(await checkSql({ ...spec(''), dsn: 'oracle://ada:s3cret@db/shop' })).toBe(
      'Expected an address that begins with postgres://, mysql:// or sqlite:, got oracle:.',
    );
  });

  it.each(['postgres', 'mysql'])('is a %s server that is not there, without a word of its password', async (scheme) => {
    const said = await checkSql({ ...spec(''), dsn: `${scheme}://ada:s3cret@127.0.0.1:1/shop` });
    expect(said).toMatch(/^Expected to reach (PostgreSQL|MySQL), but it could not be opened: connect ECONNREFUSED 127\.0\.0\.1:1$/);
  });
});
