// The command line against the demo and odd servers: its exit codes, its JSON, its words.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Report, report as schema } from '../../app/report/schema';
import { fixture } from '../fixtures/fixtures';
import { type Cli, type Ended, example, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

const reportIn = ({ out }: Ended): Report => schema.parse(JSON.parse(out));
const verdicts = ({ calls }: Report) => calls.map(({ verdict, certainty, tool }) => ({ verdict, certainty, tool }));
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

/** A server in a few lines, upon the fixtures' little MCP. */
async function server(name: string, body: string): Promise<string> {
  const file = path.join(cli.folder, `${name}.mjs`);
  const library = pathToFileURL(path.join(import.meta.dirname, '../fixtures/mcp.mjs')).href;
  await writeFile(file, `import { answer, refuse, report, serve, tool } from '${library}';\n${body}\n`);
  return file;
}

async function scenario(name: string, text: string): Promise<string> {
  const file = path.join(cli.folder, `${name}.yaml`);
  await writeFile(file, `version: 1\n${text}`);
  return file;
}

describe('the examples', () => {
  test('a charge that lands after the cancel fails the run and names the line in the ledger', async () => {
    const ended = await cli.run(['run', example('charge-card')]);
    expect(ended.code).toBe(1);
    expect(ended.out).toMatch(/◆ charge \(charge_card #\d+\): write-after-cancel, proved/);
    expect(ended.out).toMatch(/1 line appended to ledger\.jsonl[^{]*\{"id":"ch_\w+","at":"[^"]+","amount":4200/);
    expect(ended.out).toContain('Found, and expected by nobody');
    expect(ended.err).toContain('stopgap: charge: stopped');
  });

  test('a ticket that was not written', async () => {
    const ended = await cli.run(['run', example('create-ticket'), '--quiet']);
    expect(ended).toMatchObject({ code: 0, err: '' });
    expect(ended.out).toMatch(/· ticket \(create_ticket #\d+\): stopped, inferred/);
    expect(ended.out).toContain('✓ ticket: verdict stopped, stop sent, reply none, effect not-seen');
  });

  test('a retry writes twice, and is warned of before', async () => {
    const ended = await cli.run(['run', example('retry-twice'), '--json']);
    expect(ended.err).toContain('charge-retry: calling charge_card again. The tool is not declared idempotent.');
    const report = reportIn(ended);
    expect(report.calls.map(({ name, verdict, retryOf }) => [name, verdict, retryOf])).toEqual([
      ['charge', 'write-after-cancel', null],
      ['charge-retry', 'double-write', 'charge'],
    ]);
    expect(ended.code).toBe(0);
  });

  test('with its key set it does not', async () => {
    const ended = await cli.run(['run', example('retry-with-key'), '--json', '--quiet']);
    expect(reportIn(ended).calls.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['charge', 'write-after-cancel'],
      ['again', 'completed'],
    ]);
    // What is quiet about a run is its progress; a warning is said all the same.
    expect(ended.err).toMatch(/^stopgap: again: calling charge_card again\..*\n$/);
    expect(ended.code).toBe(0);
  });

  test('two calls in flight, stopped by what they do', async () => {
    const ended = await cli.run(['run', example('in-flight-together'), '--json']);
    expect(reportIn(ended).expectations.map(({ ok, saw }) => (ok ? 'ok' : saw))).toEqual(['ok', 'ok']);
    expect(ended.code).toBe(0);
  });

  test('a stop whose moment comes with the answer is pressed or given up, and said to be, never both', async () => {
    const file = path.join(cli.folder, 'at-effect.yaml');
    await writeFile(
      file,
      `version: 1
server: { demo: true }
steps:
  - { call: charge, tool: charge_card, arguments: { amount: 1 }, probes: [ledger] }
  - { stop: charge, when: { on: effect } }
`,
    );
    const ended = await cli.run(['run', file, '--json']);
    const pressed = / charge: stopped /.test(ended.err);
    expect(/ charge: an effect did not come .*; nobody stopped it/.test(ended.err)).toBe(!pressed);
    expect(reportIn(ended).calls[0]?.stop.state === 'none').toBe(!pressed);
  });
});

describe('traces', () => {
  test('show says what run said', async () => {
    const trace = path.join(cli.folder, 'kept', 'charge.stopgap.ndjson');
    const ran = await cli.run(['run', example('charge-card'), '--json', '--trace', trace]);
    const report = reportIn(ran);
    const shown = await cli.run(['show', trace, '--json']);
    expect(shown.code).toBe(0);
    expect(verdicts(reportIn(shown))).toEqual(verdicts(report));
    expect(reportIn(shown).calls[0]?.because).toEqual(report.calls[0]?.because);
    const id = report.calls[0]?.id;
    const forms = await Promise.all(
      ['html', 'markdown', 'json', 'junit', 'chrome-trace'].map(async (form) => (await cli.run(['export', trace, '--as', form])).out),
    );
    const [page = '', markdown = '', json = '', junit = '', viewer = ''] = forms;
    expect(page).toContain('<svg');
    expect(markdown).toContain('`write-after-cancel`');
    expect(schema.parse(JSON.parse(json))).toEqual(reportIn(shown));
    expect(junit).toMatch(/failures="[1-9]/);
    expect(JSON.parse(viewer).traceEvents.length).toBeGreaterThan(3);
    expect(await cli.run(['export', trace, '--as', 'html', '-o', path.join(cli.folder, 'no/such/folder.html')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('-o: expected a file that can be written'),
    });
    const text = await cli.run(['show', trace, '--call', String(id)]);
    expect(text.out).toMatch(/◆ charge_card#\d+: write-after-cancel, proved/);
    expect(await cli.run(['show', trace, '--call', '99'])).toMatchObject({
      code: 2,
      out: '',
      err: `stopgap: --call: expected one of #${id}, got #99\n`,
    });
  });

  test('several scenarios go into a folder, and their reports into a list', async () => {
    const folder = path.join(cli.folder, 'several');
    await mkdir(folder);
    const quick = await scenario(
      'quick',
      'server: { demo: true }\nsteps: [ { call: orders, tool: search_orders } ]\nexpect: [ { call: orders, verdict: completed } ]\n',
    );
    const other = await scenario(
      'other',
      'server: { demo: true }\nsteps: [ { call: orders, tool: search_orders } ]\nexpect: [ { call: orders, verdict: stopped } ]\n',
    );
    const ended = await cli.run(['run', quick, other, '--json', '--quiet', '--trace', folder]);
    expect(
      schema
        .array()
        .parse(JSON.parse(ended.out))
        .map(({ expectations }) => expectations.map(({ ok }) => ok)),
    ).toEqual([[true], [false]]);
    expect(ended.code).toBe(1);
    expect((await cli.run(['show', path.join(folder, 'quick.stopgap.ndjson')])).out).toContain('completed');
    expect(await cli.run(['run', quick, other, '--trace', 'one.ndjson'])).toMatchObject({ code: 2 });
  });

  test('interrupted, everything recorded so far is written and reported, and nothing is left running', async () => {
    const trace = path.join(cli.folder, 'cut.stopgap.ndjson');
    const words = ['call', 'demo', 'export_report', '--json', '--trace', trace];
    const ended = await cli.interrupt(words, 'called export_report', 'SIGINT');
    expect(ended.code).toBe(130);
    expect(lines(ended.err).at(-1)).toBe('stopgap: interrupted');
    expect(reportIn(ended).calls).toMatchObject([{ tool: 'export_report', stop: { state: 'none' } }]);
    expect(await readFile(trace, 'utf8')).toContain('"event":"exited"');
    expect((await cli.run(['show', trace])).err).toBe('');
  });
});

describe('call', () => {
  const TWICE = `serve({ name: 'files', tools: [tool('put', 'Writes a file.')], onCall: ({ id, args }) => {
    setTimeout(() => { writeFileSync(args.file, 'here'); answer(id, 'written'); }, 1000);
  } });`;

  test('a server of one’s own, with a folder watched, from a client’s configuration', async () => {
    const out = path.join(cli.folder, 'out');
    await mkdir(out);
    const file = await server('put', `import { writeFileSync } from 'node:fs';\n${TWICE}`);
    const config = path.join(cli.folder, 'clients.json');
    const files = { command: process.execPath, args: [['$', '{input:script}'].join('')] };
    await writeFile(config, `// as an editor keeps it\n${JSON.stringify({ servers: { files } })}`);
    const args = [
      '--input',
      `script=${file}`,
      '--args',
      JSON.stringify({ file: path.join(out, 'x') }),
      '--probe',
      'folder:out',
      '--settle',
      '2s',
      '--json',
      '--quiet',
    ];
    const stopped = await cli.run(['call', `files@${config}`, 'put', ...args, '--stop-after', '100ms', '--reason', 'enough']);
    expect(reportIn(stopped).calls[0]).toMatchObject({
      verdict: 'write-after-cancel',
      stop: { state: 'sent', how: 'cancel', reason: 'enough' },
      reply: { state: 'late-result' },
      effect: { state: 'after', probe: 'folder' },
    });
    expect(stopped.code).toBe(1);
    const forgiven = await cli.run([
      'call',
      `files@${config}`,
      'put',
      ...args,
      '--stop-after',
      '100ms',
      '--how',
      'abandon',
      '--fail-on',
      'never',
    ]);
    expect(reportIn(forgiven).calls[0]).toMatchObject({ verdict: 'never-told', stop: { state: 'not-sent', how: 'abandon' } });
    expect(forgiven.code).toBe(0);
  });

  test('without a stop it waits for the answer, as long as that takes', async () => {
    const ended = await cli.run(['call', 'demo', 'crawl_site', '--args', '{"pages": 25}', '--json', '--quiet']);
    expect(reportIn(ended).calls[0]).toMatchObject({ verdict: 'completed', settled: true });
  });

  test('a server that is killed is started again for the next call', async () => {
    const file = await scenario(
      'killed',
      `server: { demo: true }
settle: 500ms
steps:
  - { call: a, tool: crawl_site }
  - { stop: a, when: { on: first-progress }, how: kill }
  - settle: a
  - { retry: { of: a, as: b, arguments: { pages: 1 } } }
expect:
  - { call: a, stop: killed, verdict: lost }
  - { call: b, verdict: completed }
`,
    );
    const ended = await cli.run(['run', file, '--json']);
    expect(reportIn(ended).expectations.map(({ ok, saw }) => (ok ? 'ok' : saw))).toEqual(['ok', 'ok']);
    expect(ended.err).toContain('starting it again');
  });

  test('a sink is there before the server, which is told its address', async () => {
    await server(
      'posts',
      `serve({ name: 'posts', tools: [tool('post', 'Posts to a hook.')], onCall: ({ id, args }) => {
      setTimeout(() => fetch(process.env.HOOK + '/orders', { method: 'POST', body: JSON.stringify(args) }), 800);
    } });`,
    );
    const file = await scenario(
      'posts',
      `server: { command: ${JSON.stringify(process.execPath)}, args: [posts.mjs], env: { HOOK: "\${probes.hook.url}" } }
probes: { hook: { http: 127.0.0.1:0 } }
steps:
  - { call: post, tool: post, arguments: { order: 7 }, normally: 1s, settle: 1500ms }
  - { stop: post, when: 100ms }
expect:
  - { call: post, verdict: write-after-cancel, certainty: proved }
`,
    );
    const ended = await cli.run(['run', file, '--json', '--quiet']);
    expect(reportIn(ended).calls[0]?.effect).toMatchObject({ state: 'after', probe: 'hook' });
    expect(ended).toMatchObject({ code: 0, err: '' });
  });
});

describe('what is wrong is said on one line of stderr', () => {
  const words = async (): Promise<readonly (readonly [readonly string[], number, string])[]> => {
    const typo = await scenario('typo', 'server: { demo: true }\nsteps:\n  - { call: a, tol: search_orders }\n');
    const tool = await scenario('tool', 'server: { demo: true }\nsteps:\n  - call: a\n    tool: serch_orders\n');
    const place = await scenario(
      'place',
      'server: { demo: true }\nprobes:\n  x: { folder: ./nowhere/at/all }\nsteps: [ { call: a, tool: search_orders } ]\n',
    );
    const { command, args } = fixture('not-mcp-exits');
    // It knows one revision of before, and says so whatever is asked for.
    const newest = [process.execPath, ...fixture('tasks', 'place', 'log', 'gates').args].join(' ');
    return [
      [['foo'], 2, "unknown command 'foo'"],
      [['call', 'demo'], 2, "missing required argument 'tool'"],
      [['call', 'demo', 'x', '--stopafter', '1s'], 2, "unknown option '--stopafter' (Did you mean --stop-after?)"],
      [['call', 'demo', 'x', '--stop-after', '300'], 2, 'Expected a duration such as 250ms, 1.5s or 2m (a day at most), got “300”.'],
      [['call', 'demo', 'x', '--args', '[1]'], 2, `Expected a JSON object such as '{"amount": 4200}', got “[1]”.`],
      [['call', 'demo', 'x', '--how', 'kill'], 2, '--how and --reason: expected --stop-after with them'],
      [['call', 'demo', 'x', '--header', 'a: b'], 2, '--header: expected it with an address'],
      [['call', 'demo', 'x', '--probe', 'floder:x'], 2, '--probe: expected a probe as folder:DIR'],
      [['call', 'http://127.0.0.1:1/mcp', 'x'], 3, 'the connection was refused: nothing listens there'],
      [['call', 'a@nowhere.json', 'x'], 2, 'nowhere.json: expected a configuration that can be read'],
      [['call', 'demo', 'charge_crad'], 2, '(did you mean “charge_card”?)'],
      [['call', newest, 'x', '--protocol', '2025-03-26'], 3, 'Expected the server to speak the revision 2025-03-26, but it answered with'],
      [['call', 'no-such-program-at-all', 'x'], 3, 'no-such-program-at-all'],
      [['call', [command, ...args].join(' '), 'x'], 3, 'Expected an answer to initialize'],
      [
        ['run', typo],
        2,
        `${typo}:4: steps[0].tol: expected one of the keys call, tool, arguments, probes, normally, settle, task, got “tol” (did you mean “tool”?)`,
      ],
      [['run', tool], 2, `${tool}:5: steps[0].tool: expected one of the server's tools`],
      [['run', place], 2, `${place}:4: probes.x: expected a place that can be watched: `],
      [['run', 'nowhere.yaml'], 2, 'nowhere.yaml: expected a scenario file that can be read'],
      [['show', typo], 2, 'expected the first line to be {"format":"stopgap-trace"'],
    ];
  };

  test('each with its exit code, and nothing on stdout', async () => {
    const check = async ([given, code, says]: readonly [readonly string[], number, string]): Promise<void> => {
      const ended = await cli.run(given.includes('--quiet') || given[0] === 'show' || given[0] === 'foo' ? given : [...given, '--quiet']);
      const said = { given: given.join(' '), code: ended.code, out: ended.out, lines: lines(ended.err).length };
      expect(said).toEqual({ given: given.join(' '), code, out: '', lines: 1 });
      expect(ended.err).toContain(says);
    };
    const cases = await words();
    // A few at a time: most of each is the start of a process.
    for (let at = 0; at < cases.length; at += 4) await Promise.all(cases.slice(at, at + 4).map(check));
  });
});

test('where nothing can be reported, --json says nothing, and a trace that cannot be written is refused beforehand', async () => {
  expect(await cli.run(['call', 'no-such-program-at-all', 'x', '--json'])).toMatchObject({ code: 3, out: '' });
  const blocked = path.join(cli.folder, 'package.json', 'x.ndjson');
  const ended = await cli.run(['run', example('charge-card'), '--json', '--trace', blocked]);
  expect(ended).toMatchObject({ code: 2, out: '' });
  expect(ended.err).toMatch(/^stopgap: --trace: expected a file that can be written, got .*x\.ndjson: /);
});

test('the command line says what it knows better than the file', async () => {
  const bare = await scenario('bare', 'server: { command: node, args: [none.mjs] }\nsteps: [ { wait: 1s } ]\n');
  expect(await cli.run(['run', bare, '--protocol', '2024-11-05', '--cwd', 'nowhere'])).toMatchObject({ code: 3 });
  expect((await cli.run(['run', example('charge-card'), '--env', 'A=b'])).err).toContain(
    '--env and --cwd: expected them with a server of yours',
  );
});

test('the demo race tells both stories', async () => {
  const ended = await cli.run(['demo-race'], { env: { TMPDIR: cli.folder } });
  expect(ended.code).toBe(0);
  expect(ended.out).toMatch(/charge \(charge_card #\d+\): write-/);
  expect(ended.out).toMatch(/ticket \(create_ticket #\d+\): stopped, inferred/);
  const [, trace = ''] = /Everything that was sent and received: (.*)/.exec(ended.out) ?? [];
  expect((await cli.run(['show', trace])).code).toBe(0);
});

describe('words and colours', () => {
  test('help teaches', async () => {
    const { code, out } = await cli.run(['--help']);
    expect(code).toBe(0);
    for (const word of ['call', 'run', 'sweep', 'check', 'show', 'export', 'demo-server', 'Examples:', 'Exit codes:'])
      expect(out).toContain(word);
    expect(out).not.toMatch(/^ {2}tap/m);
    expect((await cli.run(['call', '--help'])).out).toContain('--stop-after');
    expect((await cli.run(['--version'])).out).toBe('0.0.0-test\n');
  });

  test('colours where they are asked for, and never otherwise', async () => {
    const trace = path.join(cli.folder, 'colours.stopgap.ndjson');
    await cli.run(['call', 'demo', 'search_orders', '--trace', trace, '--quiet']);
    const sgr = '\u001b[';
    expect((await cli.run(['show', trace])).out).not.toContain(sgr);
    expect((await cli.run(['show', trace, '--color', 'always'], { env: { NO_COLOR: '1' } })).out).toContain(sgr);
    expect((await cli.run(['show', trace, '--color', 'never'])).out).not.toContain(sgr);
  });

  test('the demo server speaks to any client', async () => {
    const state = path.join(cli.folder, 'state');
    const script = path.join(cli.folder, 'dist/main/cli.js');
    const server = [process.execPath, script, 'demo-server', '--state', state].map((word) => JSON.stringify(word)).join(' ');
    const ended = await cli.run([
      'call',
      server,
      'charge_card',
      '--args',
      '{"amount": 5}',
      '--probe',
      `folder:${state}`,
      '--json',
      '--quiet',
    ]);
    const report = reportIn(ended);
    expect(report.server?.name).toBe('stopgap-demo');
    expect(report.calls[0]).toMatchObject({ verdict: 'completed', effect: { state: 'observed', probe: 'folder' } });
    expect(await readFile(path.join(state, 'ledger.jsonl'), 'utf8')).toContain('"amount":5');
  });
});
