// The report card of the demo server, from the command line: every fault that its page says it has, and no other.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checked, failed, serverLines } from './check.testing';
import { type Cli, installedCli } from './cli.testing';

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

/** The faults that the demo's own page says it has. */
async function planted(): Promise<readonly string[]> {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/demo.md'), 'utf8');
  const table = page.slice(page.indexOf('**The planted faults.**'), page.indexOf('**Beneath the SDK.**'));
  const ticked = (cell: string): readonly string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  return table.split('\n').flatMap((row) => {
    const [, tool = '', checks = ''] = row.split('|');
    return ticked(tool).flatMap((name) => ticked(checks).map((check) => `${name}: ${check}`));
  });
}

it('reports every planted fault of the demo server, and no other', async () => {
  const trace = path.join(cli.folder, 'demo.stopgap.ndjson');
  const { report, code } = await checked(cli, 'demo', ['--allow-writes', '--settle', '400ms', '--trace', trace]);
  const faults = await planted();
  expect(faults.length).toBeGreaterThan(10);
  expect([...failed(report)].sort()).toEqual([...faults].sort());
  expect(code).toBe(1);
  // No reference, no statement; and every reference is a frame of the trace.
  const frames = (await readFile(trace, 'utf8')).trim().split('\n').length;
  const decided = report.lines.filter(({ status }) => status === 'fail' || status === 'pass');
  expect(decided.filter(({ because }) => because.length === 0)).toEqual([]);
  expect(Math.max(...decided.flatMap(({ because }) => because.map(({ seq }) => seq)))).toBeLessThan(frames);
  expect(serverLines(report)).toEqual(Array.from({ length: 6 }, () => 'pass'));
});
