// Every lesson of the gallery, from its file, by the command line: it runs to the verdict that it teaches. Many times in a row:
// `stopgap run assets/lessons/*.yaml --repeat 50`.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repeatReport } from '../../app/report/repeat';
import { report } from '../../app/report/schema';
import { type Cli, installedCli } from './cli.testing';

const folder = path.resolve(import.meta.dirname, '../../assets/lessons');
const lesson = (id: string): string => path.join(folder, `${id}.yaml`);

let cli: Cli;
beforeAll(async () => {
  cli = await installedCli();
});
afterAll(() => cli.end());

describe('the lessons', () => {
  it.each(readdirSync(folder).map((file) => path.parse(file).name))('%s runs to the verdict that it teaches', async (id) => {
    const { out, code } = await cli.run(['run', lesson(id), '--json', '--quiet']);
    const { expectations } = report.parse(JSON.parse(out));
    expect(expectations.length).toBeGreaterThan(0);
    expect(expectations.filter(({ ok }) => !ok)).toEqual([]);
    expect(code).toBe(0);
  });

  it('are counted when they are run many times', async () => {
    const { out, err, code } = await cli.run(['run', lesson('blocked-server'), '--repeat', '2', '--json']);
    expect(repeatReport.parse(JSON.parse(out)).scenarios).toEqual([
      {
        name: 'Blocked server',
        file: lesson('blocked-server'),
        runs: 2,
        held: 2,
        calls: [{ name: 'invoice', verdicts: { crossed: 2 } }],
        misses: [],
      },
    ]);
    expect(err).toContain('Blocked server: 2 of 2 runs as expected');
    expect(code).toBe(0);
  });
});
