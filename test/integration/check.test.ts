// The report card, from the command line: over each wire, on servers that others wrote, and when something goes wrong. What it
// says of the demo server is in check-demo.test.ts, which runs beside this.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkReport } from '../../app/report/check/schema';
import { fixture } from '../fixtures/fixtures';
import { alertmanager, type StartCommand, serverCommands, serverEverything, serverFilesystem } from '../real/servers';
import { checked, failed, serverLines, statusOf } from './check.testing';
import { type Cli, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

const line = ({ command, args }: StartCommand): string => [command, ...args].map((word) => JSON.stringify(word)).join(' ');

/** An Alertmanager that takes its time: what it is asked for is a line in a file, in the end. */
async function backend(file: string): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer((request, response) => {
    const answer = (text: string): void => void response.setHeader('content-type', 'application/json').end(text);
    if (request.method !== 'POST') return answer('[]');
    request.resume().on('end', () =>
      setTimeout(() => {
        appendFileSync(file, 'silenced\n');
        answer('{"silenceID":"1"}');
      }, 600),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

/** Filled in by the check: the number of the call. */
const RUN = '$' + '{run}';

const folder = (name: string): string => {
  const made = path.join(cli.folder, name);
  mkdirSync(made, { recursive: true });
  return made;
};

describe('stopgap check', () => {
  it('over HTTP says which means a tool heeds, and what stays open', async () => {
    const { report } = await checked(cli, 'demo:http', ['--allow-writes', '--settle', '300ms', '--tool', 'create_ticket']);
    expect(failed(report)).toEqual(['create_ticket: frees-streams']);
    expect(report.lines.find(({ check }) => check === 'http-means')).toMatchObject({
      status: 'pass',
      sentence: expect.stringContaining('the cancel’s POST: it stops; dropping the connection: it works on'),
    });
    expect(statusOf(report, 'create_ticket', 'stays-responsive')).toBe('pass');
    expect(statusOf(report, null, 'leaves-initialize-alone')).toBe('not-tried');
  });

  it('over HTTP in the newest revision, a notification that is refused is no answer to it', async () => {
    const { report } = await checked(cli, 'demo:http', ['--protocol', '2026-07-28', '--settle', '300ms', '--tool', 'charge_card']);
    expect(serverLines(report)).toEqual(['pass', 'pass', 'pass', 'pass', 'pass', 'not-tried']);
    expect(failed(report)).toEqual([]);
  });

  it('says of a server without sessions that it heeds neither means', async () => {
    const { report } = await checked(cli, 'demo:http-stateless', ['--allow-writes', '--settle', '300ms', '--tool', 'create_ticket']);
    expect(statusOf(report, 'create_ticket', 'honours-cancel')).toBe('fail');
    expect(report.lines.find(({ check }) => check === 'http-means')).toMatchObject({
      status: 'fail',
      sentence: expect.stringContaining('It heeds neither'),
    });
  });

  it('calls no tool that may write unless it is told to, and says so', async () => {
    const { report, code } = await checked(cli, 'demo', ['--tool', 'charge_card']);
    expect(failed(report)).toEqual([]);
    expect(code).toBe(0);
    expect(report.lines.find(({ check, tool }) => check === 'honours-cancel' && tool === 'charge_card')).toMatchObject({
      status: 'not-tried',
      sentence: expect.stringContaining('--allow-writes'),
    });
  });

  it('server-everything reports progress after a cancel, also after one that came first', async () => {
    const tool = 'trigger-long-running-operation';
    const words = ['--tool', tool, '--tool', 'echo', '--args', `${tool}={"duration":2,"steps":8}`, '--settle', '300ms'];
    const { report } = await checked(cli, line(serverEverything()), words);
    expect(failed(report)).toEqual([`${tool}: honours-cancel`, `${tool}: heeds-early-cancel`, `${tool}: no-progress-after-cancel`]);
    expect(statusOf(report, tool, 'keeps-silent-after-cancel')).toBe('pass');
    expect(report.lines.find((one) => one.tool === 'echo' && one.status === 'not-tried')?.sentence).toContain(
      'its schema requires message',
    );
    expect(serverLines(report)).toEqual(Array.from({ length: 6 }, () => 'pass'));
  });

  it('server-filesystem is too quick to be stopped at work, and does not say what cancelling does', async () => {
    const place = folder('files');
    writeFileSync(path.join(place, 'a.txt'), 'a');
    const tools = ['write_file', 'read_text_file'];
    const { report } = await checked(cli, line(serverFilesystem(place)), [
      ...tools.flatMap((tool) => ['--tool', tool]),
      ...['--allow-writes', '--settle', '300ms', '--probe', `folder:${place}`],
      ...['--args', `write_file=${JSON.stringify({ path: path.join(place, `w-${RUN}.txt`), content: 'x' })}`],
      ...['--args', `read_text_file=${JSON.stringify({ path: path.join(place, 'a.txt') })}`],
    ]);
    expect(failed(report).filter((one) => !one.endsWith('-cancel') || one.includes('description'))).toEqual([
      'write_file: description-says-cancel',
    ]);
    expect(statusOf(report, 'write_file', 'honours-cancel')).not.toBe('pass');
    expect(statusOf(report, 'write_file', 'heeds-early-cancel')).not.toBe('pass');
    expect(statusOf(report, 'read_text_file', 'annotations-match-behaviour')).toBe('pass');
    expect(serverLines(report)).toEqual(Array.from({ length: 6 }, () => 'pass'));
  });

  it('mcp-server-commands leaves its commands running, and runs them twice', async () => {
    const place = folder('commands');
    const steps = `for i in 1 2 3 4 5 6; do echo $i >> ${place}/f-${RUN}; sleep 0.3; done`;
    const words = [
      '--allow-writes',
      '--settle',
      '300ms',
      '--probe',
      `folder:${place}`,
      '--args',
      `run_command=${JSON.stringify({ command: steps })}`,
    ];
    const { report } = await checked(cli, line(serverCommands()), words);
    expect(failed(report)).toEqual(
      ['honours-cancel', 'heeds-early-cancel', 'frees-processes', 'repeat-after-cancel', 'description-says-cancel'].map(
        (check) => `run_command: ${check}`,
      ),
    );
    expect(statusOf(report, 'run_command', 'keeps-silent-after-cancel')).toBe('pass');
  });

  it('mcp-alertmanager, in Go, answers a cancel, and silences alerts all the same', async () => {
    const missing = alertmanager.missing();
    if (missing !== undefined) return expect(`${process.platform} ${process.arch}`, missing).not.toBe('linux x64');
    const file = path.join(folder('silences'), 'log');
    writeFileSync(file, '');
    const { url, close } = await backend(file);
    try {
      const words = ['--tool', 'createSilence', '--allow-writes', '--settle', '300ms', '--probe', `folder:${file}`];
      const { report } = await checked(cli, line(alertmanager.start(url)), [
        ...words,
        '--args',
        'createSilence={"alertName":"a","duration":"30m"}',
      ]);
      // It takes messages up side by side: a cancel that comes with its call may win, and then it is refused in so many words.
      const early = report.lines.find(({ check }) => check === 'heeds-early-cancel');
      expect(early?.sentence).toMatch(early?.status === 'pass' ? /It said so/ : /^It wrote after it had been cancelled/);
      expect(failed(report).filter((one) => !one.endsWith('heeds-early-cancel'))).toEqual(
        ['honours-cancel', 'keeps-silent-after-cancel', 'repeat-after-cancel', 'description-says-cancel'].map(
          (check) => `createSilence: ${check}`,
        ),
      );
    } finally {
      close();
    }
  });

  it('a server that dies of a call is started again, and what is known is told', async () => {
    const { report } = await checked(cli, line(fixture('dies-in-call')), [
      '--allow-writes',
      '--settle',
      '200ms',
      '--probe',
      `folder:${folder('dies')}`,
    ]);
    expect(report.lines.find(({ check }) => check === 'honours-cancel')).toMatchObject({
      status: 'not-tried',
      sentence: expect.stringContaining('The server ended'),
    });
    expect(serverLines(report).filter((status) => status === 'pass').length).toBeGreaterThan(0);
  });

  it('keeps what it has when it is interrupted', async () => {
    const { out, code } = await cli.interrupt(['check', 'demo', '--json', '--settle', '300ms'], 'crawl_site', 'SIGINT');
    const report = checkReport.parse(JSON.parse(out));
    expect({ code, interrupted: report.interrupted }).toEqual({ code: 130, interrupted: true });
    expect(statusOf(report, 'search_orders', 'keeps-silent-after-cancel')).toBe('pass');
    expect(report.lines.find(({ tool, check }) => tool === 'huge_search' && check === 'honours-cancel')).toMatchObject({
      status: 'not-tried',
      sentence: 'The check was ended before.',
    });
  });

  it('writes the card in the form that is asked for, and leaves lines out', async () => {
    const words = ['--tool', 'charge_card', '--skip', 'description-says-cancel'];
    const { out } = await cli.run(['check', 'demo', ...words, '--quiet', '--as', 'junit']);
    expect(out).toContain('<testcase classname="charge_card" name="honours-cancel"><skipped message="not-tried:');
    expect(out).not.toContain('description-says-cancel');
  });

  it.each([
    [['--tool', 'charge'], "--tool: expected one of the server's tools"],
    [['--args', 'charge_card'], 'Expected TOOL=JSON'],
    [['--args', 'nothing={}'], "--args: expected one of the server's tools"],
    [['--skip', 'honours'], 'Expected one of'],
    [['--json', '--as', 'html'], '--as: expected it without --json'],
  ])('says what is wrong with %j', async (words, says) => {
    const { code, err } = await cli.run(['check', 'demo', ...words]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
  });
});
