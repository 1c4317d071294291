import { mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './store.testing';
import { listTraces, traceInside } from './traces';

describe('the folder of traces', () => {
  it('lists its trace files, newest first, with their sizes', async () => {
    const folder = tempFolder();
    const put = (name: string, bytes: number, at: number): string => {
      const file = path.join(folder, name);
      writeFileSync(file, 'x'.repeat(bytes));
      utimesSync(file, at, at);
      return file;
    };
    const old = put('old.stopgap.ndjson', 10, 1000);
    const current = put('new.stopgap.ndjson', 5, 2000);
    put('notes.txt', 100, 3000);
    mkdirSync(path.join(folder, 'folder.stopgap.ndjson'));
    const modified = (seconds: number): string => new Date(seconds * 1000).toISOString();
    expect(await listTraces(folder, current)).toEqual({
      folder,
      bytes: 15,
      files: [
        { path: current, name: 'new.stopgap.ndjson', bytes: 5, modified: modified(2000), current: true },
        { path: old, name: 'old.stopgap.ndjson', bytes: 10, modified: modified(1000), current: false },
      ],
    });
  });

  it('is empty when it is not there', async () => {
    const folder = path.join(tempFolder(), 'none');
    expect(await listTraces(folder)).toEqual({ folder, bytes: 0, files: [] });
  });

  it('is said when it cannot be read', async () => {
    const file = path.join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(listTraces(file)).rejects.toThrow(`The folder of traces ${file} could not be read: a part of the path is a file`);
  });
});

describe('a path that somebody asks for', () => {
  it('is believed inside the folder only', async () => {
    const folder = tempFolder();
    const outside = path.join(tempFolder(), 'b.stopgap.ndjson');
    const inside = path.join(folder, 'a.stopgap.ndjson');
    const link = path.join(folder, 'link.stopgap.ndjson');
    const below = path.join(folder, 'below', 'c.stopgap.ndjson');
    mkdirSync(path.dirname(below));
    for (const file of [outside, inside, below, path.join(folder, 'settings.json')]) writeFileSync(file, '');
    symlinkSync(outside, link);
    expect(await traceInside(folder, inside)).toBe(realpathSync(inside));
    expect(await traceInside(folder, 'a.stopgap.ndjson')).toBe(realpathSync(inside));
    for (const asked of [
      outside,
      link,
      below,
      path.join(folder, 'settings.json'),
      path.join(folder, '..', path.basename(folder)),
      '/etc/passwd',
    ])
      await expect(traceInside(folder, asked)).rejects.toThrow(`Expected a trace file in ${folder}, got ${asked}.`);
    await expect(traceInside(folder, 'gone.stopgap.ndjson')).rejects.toThrow('it is not there');
    // Before anything was recorded there is no folder, so nothing is in it.
    await expect(traceInside(path.join(folder, 'none'), inside)).rejects.toThrow('Expected a trace file in');
  });
});
