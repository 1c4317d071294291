import type { Stats } from 'node:fs';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, fromMs, type Ns } from '../../app/base/time';
import type { Probe, ProbeSpec } from '../../app/evidence/probe';
import type { Effect } from '../../app/wire/frame';
import { checkProbe } from '.';
import { type Seams, startFolderProbe } from './folder';
import { EYES, type Eyes } from './folder/look';

type Of<E extends Effect['effect']> = Extract<Effect, { effect: E }>;

/** A folder with a probe on it, and everything that the probe has said. */
interface Scene {
  readonly folder: string;
  readonly probe: Probe;
  readonly effects: Effect[];
  readonly clock: Clock;
  /** Path in the folder. */
  at(name: string): string;
  all<E extends Effect['effect']>(kind: E): Of<E>[];
  /** What was said of changes, in order. */
  says(): string[];
}

function tempFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'stopgap-probe-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function realClock(): Clock {
  const origin = performance.now();
  return { now: () => fromMs(performance.now() - origin), wallMs: () => Date.now() };
}

interface Plan extends Seams {
  readonly before?: (folder: string) => void;
  readonly match?: string;
  readonly done?: string;
  readonly clock?: Clock;
  readonly below?: string;
}

/** Nobody looks but on request, so that a test alone decides what lies between two looks. */
const ALONE: Eyes = { ...EYES, watch: () => ({ close: () => undefined }) };
const NEVER_MS = 3_600_000;

async function scene({ before, match, done, clock = realClock(), below = '', eyes = ALONE, pollMs = NEVER_MS }: Plan = {}): Promise<Scene> {
  const folder = tempFolder();
  before?.(folder);
  const effects: Effect[] = [];
  const spec: ProbeSpec = {
    kind: 'folder',
    name: 'out',
    path: path.join(folder, below),
    shared: false,
    ...(match === undefined ? {} : { match }),
    ...(done === undefined ? {} : { done }),
  };
  const probe = await startFolderProbe(spec, { clock, emit: (effect) => effects.push(effect) - 1 }, { eyes, pollMs });
  onTestFinished(() => probe.stop());
  const all = <E extends Effect['effect']>(kind: E): Of<E>[] => effects.filter((effect): effect is Of<E> => effect.effect === kind);
  return {
    folder,
    probe,
    effects,
    clock,
    all,
    at: (name) => path.join(folder, name),
    says: () => effects.flatMap((effect) => (effect.effect === 'seen' || effect.effect === 'reverted' ? [effect.says] : [])),
  };
}

/** However slow the machine. */
const SOON = { timeout: 25_000, interval: 10 };
vi.setConfig({ testTimeout: 30_000 });

const failing = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

describe('what a folder probe sees', () => {
  it('knows an effect to be whole by the pattern that the person gave', async () => {
    const { probe, at, all } = await scene({ done: 'end of report' });
    writeFileSync(at('report.txt'), 'half of it\n');
    await probe.read();
    appendFileSync(at('report.txt'), 'end of report\n');
    await probe.read();
    expect(all('seen').map((seen) => seen.done)).toEqual([undefined, true]);
  });

  it('watches from a baseline, and sees nothing in what was there', async () => {
    const { effects, folder, probe } = await scene({ before: (at) => writeFileSync(path.join(at, 'old.txt'), 'old') });
    await probe.read();
    expect(effects).toEqual([
      { effect: 'watching', probe: 'out', kind: 'folder', place: folder, shared: false },
      { effect: 'clear', probe: 'out', since: expect.any(Number), lo: expect.any(Number), hi: expect.any(Number) },
    ]);
  });

  it('sees a file that is created, between the looks before and after', async () => {
    const { all, at, clock, probe } = await scene();
    await probe.read();
    const before = clock.now();
    writeFileSync(at('a.txt'), 'hello\nworld\n');
    const after = clock.now();
    await probe.read();
    const [seen] = all('seen');
    expect(seen).toMatchObject({ probe: 'out', subject: 'a.txt', says: 'a.txt was created (12 bytes)', sample: 'hello\nworld\n' });
    expect(seen?.lo).toBeLessThanOrEqual(before);
    expect(seen?.hi).toBeGreaterThanOrEqual(after);
    expect(all('clear')).toHaveLength(1);
  });

  it('sees lines that are appended, and shows what is new', async () => {
    const { all, at, probe } = await scene({ before: (folder) => writeFileSync(path.join(folder, 'ledger.jsonl'), '{"a":1}\n') });
    appendFileSync(at('ledger.jsonl'), '{"charge":42}\n');
    await probe.read();
    appendFileSync(at('ledger.jsonl'), '{"charge":43}\n{"charge":44}\n');
    await probe.read();
    appendFileSync(at('ledger.jsonl'), 'no line yet');
    await probe.read();
    expect(all('seen').map(({ says, sample }) => [says, sample])).toEqual([
      ['1 line appended to ledger.jsonl (14 bytes)', '{"charge":42}\n'],
      ['2 lines appended to ledger.jsonl (28 bytes)', '{"charge":43}\n{"charge":44}\n'],
      ['11 bytes appended to ledger.jsonl', 'no line yet'],
    ]);
  });

  it('accounts for every byte and line of a burst', async () => {
    const { all, at, probe } = await scene({ eyes: EYES, pollMs: 20, before: (folder) => writeFileSync(path.join(folder, 'log'), '') });
    let written = 0;
    for (let n = 0; n < 1000; n++) {
      const line = `${'x'.repeat(n % 90)}\n`;
      written += line.length;
      appendFileSync(at('log'), line);
      if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await probe.read();
    const parts = all('seen').map(({ says }) => /^(\d+) lines? appended to log \((\d+) bytes?\)$/.exec(says) ?? [says]);
    expect(parts.reduce((sum, [, lines]) => sum + Number(lines), 0)).toBe(1000);
    expect(parts.reduce((sum, [, , bytes]) => sum + Number(bytes), 0)).toBe(written);
    for (const { lo, hi } of all('seen')) expect(lo).toBeLessThanOrEqual(hi);
  });

  it('tells rewriting from appending', async () => {
    const { at, probe, says } = await scene({ before: (folder) => writeFileSync(path.join(folder, 'a'), 'one two') });
    writeFileSync(at('a'), 'three four five');
    await probe.read();
    truncateSync(at('a'), 5);
    await probe.read();
    writeFileSync(at('a'), 'seven');
    await probe.read();
    utimesSync(at('a'), 1, 1);
    await probe.read();
    expect(says()).toEqual([
      'a was changed (7 → 15 bytes)',
      'a was changed (15 → 5 bytes)',
      'a was changed (5 bytes)',
      'a was written again with the same content',
    ]);
  });

  it('sees an atomic replacement as one change', async () => {
    const { at, probe, says } = await scene({ match: '*.json', before: (folder) => writeFileSync(path.join(folder, 'a.json'), '{}') });
    writeFileSync(at('.a.json.partial'), '{"b":1}');
    renameSync(at('.a.json.partial'), at('a.json'));
    await probe.read();
    expect(says()).toEqual(['a.json was replaced (2 → 7 bytes)']);
  });

  it('sees a deep tree that appears, and everything in it that goes', async () => {
    const { all, at, probe, says } = await scene();
    await probe.read();
    mkdirSync(at('a/b/empty'), { recursive: true });
    writeFileSync(at('a/b/one'), '1');
    writeFileSync(at('a/two'), '22');
    await probe.read();
    expect(says().sort()).toEqual(['a/b/one was created (1 byte)', 'a/two was created (2 bytes)', 'folder a/b/empty was created']);
    rmSync(at('a'), { recursive: true });
    await probe.read();
    expect(all('reverted').map(({ says, of }) => [says, of.length])).toEqual([
      ['a/two is gone again', 1],
      ['a/b/empty is gone again', 1],
      ['a/b/one is gone again', 1],
    ]);
  });

  it('sees a file removed that was there before', async () => {
    const { at, probe, says } = await scene({ before: (folder) => writeFileSync(path.join(folder, 'a'), 'x') });
    rmSync(at('a'));
    await probe.read();
    expect(says()).toEqual(['a was removed']);
  });

  it('sees a rename as what is there before what is gone', async () => {
    const { at, effects, probe } = await scene();
    writeFileSync(at('7.held'), 'seat');
    await probe.read();
    renameSync(at('7.held'), at('7.booked'));
    await probe.read();
    expect(effects.slice(1)).toMatchObject([
      { effect: 'seen', subject: '7.held' },
      { effect: 'seen', subject: '7.booked' },
      { effect: 'reverted', says: '7.held is gone again', of: [1] },
    ]);
  });

  it('sees a link as a link, and does not follow it', async () => {
    const outside = tempFolder();
    writeFileSync(path.join(outside, 'secret'), 'x');
    const { at, probe, says } = await scene();
    symlinkSync(outside, at('link'));
    await probe.read();
    writeFileSync(path.join(outside, 'more'), 'x');
    await probe.read();
    expect(says()).toEqual(['link was created']);
  });

  it('looks at names that match only', async () => {
    const { at, probe, says } = await scene({ match: '**/*.eml' });
    mkdirSync(at('sub'));
    writeFileSync(at('a.txt'), '');
    writeFileSync(at('a.eml'), '');
    writeFileSync(at('sub/b.eml'), '');
    await probe.read();
    expect(says()).toEqual(['a.eml was created (0 bytes)', 'sub/b.eml was created (0 bytes)']);
  });

  it('does not mind a change of rights or a second name', async () => {
    const outside = tempFolder();
    const { at, effects, probe } = await scene({ before: (folder) => writeFileSync(path.join(folder, 'a'), 'x') });
    linkSync(at('a'), path.join(outside, 'b'));
    await probe.read();
    expect(effects.map(({ effect }) => effect)).toEqual(['watching', 'clear']);
  });

  it('knows what it cannot read by its size', async () => {
    const { at, probe, says } = await scene({ before: (folder) => writeFileSync(path.join(folder, 'big'), 'x'.repeat(2_000_000)) });
    appendFileSync(at('big'), 'two\nlines\n');
    await probe.read();
    expect(says()).toEqual(['big grew by 10 bytes (2 lines)']);
  });
});

describe('what is taken back', () => {
  it('names everything that was seen of it', async () => {
    const { all, at, probe } = await scene();
    writeFileSync(at('a'), 'one');
    await probe.read();
    appendFileSync(at('a'), 'two');
    await probe.read();
    rmSync(at('a'));
    await probe.read();
    expect(all('reverted')).toEqual([
      { effect: 'reverted', probe: 'out', lo: expect.any(Number), hi: expect.any(Number), says: 'a is gone again', of: [1, 2] },
    ]);
  });

  it('is an append that is cut back, a file that comes back, by content and not by name', async () => {
    const { at, probe, says } = await scene({
      before: (folder) => {
        writeFileSync(path.join(folder, 'ledger'), 'one\n');
        writeFileSync(path.join(folder, 'file'), 'content');
      },
    });
    appendFileSync(at('ledger'), 'two\n');
    rmSync(at('file'));
    await probe.read();
    writeFileSync(at('ledger.partial'), 'one\n');
    renameSync(at('ledger.partial'), at('ledger'));
    writeFileSync(at('file'), 'c0ntent');
    await probe.read();
    writeFileSync(at('file'), 'content');
    await probe.read();
    expect(says()).toEqual([
      '1 line appended to ledger (4 bytes)',
      'file was removed',
      'file was created (7 bytes)',
      'ledger is as it was before',
      'file is as it was before',
    ]);
  });

  it('may happen again', async () => {
    const { all, at, probe } = await scene();
    for (let round = 0; round < 2; round++) {
      writeFileSync(at('a'), 'x');
      await probe.read();
      rmSync(at('a'));
      await probe.read();
    }
    expect(all('reverted').map(({ of }) => of)).toEqual([[1], [3]]);
  });
});

describe('a folder that is missing', () => {
  it('is a place with nothing in it, and is seen to be filled', async () => {
    const { at, effects, probe } = await scene({ below: 'out', eyes: EYES });
    mkdirSync(at('out'));
    writeFileSync(at('out/a'), '');
    await expect.poll(() => effects.length, SOON).toBe(2);
    expect(effects[1]).toMatchObject({ effect: 'seen', says: 'a was created (0 bytes)' });
    rmSync(at('out'), { recursive: true });
    await probe.read();
    expect(effects.filter(({ effect }) => effect === 'reverted')).toMatchObject([{ says: 'a is gone again', of: [1] }]);
    mkdirSync(at('out'));
    await probe.read();
    writeFileSync(at('out/b'), 'y');
    await expect.poll(() => effects.at(-1), SOON).toMatchObject({ effect: 'seen', subject: 'b' });
  });

  it('cannot be watched where nothing is above it', async () => {
    const missing = path.join(tempFolder(), 'not', 'here');
    await expect(scene({ below: 'not/here' })).rejects.toThrow(/^Expected a folder at .*here, but not even .*not is there/);
    expect(await checkProbe({ kind: 'folder', name: 'x', path: missing, shared: false })).toContain('not even');
  });

  it('is told from a file and from half a path', async () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'a.txt'), '');
    const check = (place: string) => checkProbe({ kind: 'folder', name: 'x', path: place, shared: false });
    expect(await check(path.join(folder, 'a.txt'))).toBe(
      `Expected a folder, but ${folder}/a.txt is a file. Watch its folder ${folder} and match a.txt.`,
    );
    expect(await check('out')).toBe('Expected the full path of a folder, got out.');
    expect(await check(folder)).toBeUndefined();
    expect(await check(path.join(folder, 'to-be-made'))).toBeUndefined();
  });
});

describe('who looks when', () => {
  it('is woken by the system', async () => {
    const { at, says } = await scene({ eyes: EYES });
    mkdirSync(at('sub'));
    await expect.poll(says, SOON).toEqual(['folder sub was created']);
    writeFileSync(at('sub/a'), '');
    await expect.poll(says, SOON).toContain('sub/a was created (0 bytes)');
  });

  it('looks by itself where the system says nothing', async () => {
    const { at, says } = await scene({ pollMs: 10 });
    writeFileSync(at('a'), '');
    await expect.poll(says, SOON).toEqual(['a was created (0 bytes)']);
  });

  it('takes a reading that began after it was asked for, one for all who ask meanwhile', async () => {
    let looks = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const eyes: Eyes = {
      ...ALONE,
      async names(dir) {
        looks++;
        if (looks === 2) await gate;
        return EYES.names(dir);
      },
    };
    const { all, probe } = await scene({ eyes });
    const readings = [probe.read()];
    await expect.poll(() => looks, SOON).toBe(2);
    readings.push(probe.read(), probe.read());
    open();
    await Promise.all(readings);
    expect([looks, all('clear').length]).toEqual([3, 2]);
    const [first, second] = all('clear');
    expect(second?.lo).toBeGreaterThanOrEqual(first?.hi ?? Number.POSITIVE_INFINITY);
  });

  it('says the last word, and nothing after it', async () => {
    const { at, effects, probe } = await scene();
    writeFileSync(at('a'), 'x');
    await Promise.all([probe.stop(), probe.stop()]);
    writeFileSync(at('b'), 'x');
    await probe.read();
    expect(effects.map(({ effect }) => effect)).toEqual(['watching', 'seen', 'ended']);
  });
});

describe('what a folder probe could not see', () => {
  /** Looks fail with `code` where the path ends so. */
  function blindable(): { eyes: Eyes; blind: { code: string | undefined; at: string } } {
    const blind: { code: string | undefined; at: string } = { code: undefined, at: '' };
    const names: Eyes['names'] = async (dir) => {
      if (blind.code && dir.endsWith(blind.at)) throw failing(blind.code);
      return EYES.names(dir);
    };
    return { eyes: { ...ALONE, names }, blind };
  }

  it('is a gap from the last look to the next, and clear is counted from its end', async () => {
    const { eyes, blind } = blindable();
    const { all, at, effects, probe } = await scene({ eyes });
    await probe.read();
    blind.code = 'EACCES';
    await probe.read();
    await probe.read();
    writeFileSync(at('a'), 'x');
    blind.code = undefined;
    await probe.read();
    await probe.read();
    expect(effects.map(({ effect }) => effect)).toEqual(['watching', 'clear', 'gap', 'gap', 'seen', 'gap', 'clear']);
    const gaps = all('gap');
    expect(gaps[0]?.why).toBe('the folder could not be read: access is denied. Check who owns it.');
    expect(gaps[0]?.lo).toBeGreaterThanOrEqual(all('clear')[0]?.lo ?? Number.POSITIVE_INFINITY);
    expect(gaps[0]?.lo).toBeLessThanOrEqual(all('clear')[0]?.hi ?? 0);
    expect(gaps[1]?.lo).toBe(gaps[0]?.hi);
    expect(gaps[2]?.lo).toBe(gaps[1]?.hi);
    expect(all('clear')[1]?.since).toBe(gaps[2]?.hi);
    expect(all('seen')[0]?.lo).toBe(gaps[0]?.lo);
  });

  it('is not said again at every poll', async () => {
    const { eyes, blind } = blindable();
    let looks = 0;
    const counting: Eyes = {
      ...eyes,
      names(dir) {
        looks++;
        return eyes.names(dir);
      },
    };
    // A hundred times slower than the real one: however slow the machine, no time to say it again passes.
    const real = realClock();
    const clock: Clock = { now: () => (real.now() / 100) as Ns, wallMs: real.wallMs };
    const { all } = await scene({ eyes: counting, clock, pollMs: 0.01 });
    blind.code = 'EMFILE';
    const from = looks;
    await expect.poll(() => looks, SOON).toBeGreaterThan(from + 20);
    expect(all('gap')).toHaveLength(1);
  });

  it('is one part of the tree, while the rest is seen', async () => {
    const { eyes, blind } = blindable();
    const { at, all, probe } = await scene({ eyes, before: (folder) => mkdirSync(path.join(folder, 'dark')) });
    blind.code = 'EACCES';
    blind.at = 'dark';
    writeFileSync(at('light'), '');
    await probe.read();
    expect([all('seen').map(({ subject }) => subject), all('gap').map(({ why }) => why)]).toEqual([
      ['light'],
      ['dark could not be read: access is denied. Check who owns it.'],
    ]);
  });

  it('is the baseline, when it was dark from the start', async () => {
    const { eyes, blind } = blindable();
    blind.code = 'EACCES';
    blind.at = 'dark';
    const { at, all, probe, says } = await scene({
      eyes,
      before: (folder) => {
        mkdirSync(path.join(folder, 'dark'));
        writeFileSync(path.join(folder, 'dark', 'old'), '');
      },
    });
    expect(all('gap')).toHaveLength(1);
    blind.code = undefined;
    await probe.read();
    writeFileSync(at('dark/new'), '');
    await probe.read();
    expect(says()).toEqual(['dark/new was created (0 bytes)']);
  });

  it('is everything: then there is no probe', async () => {
    const { eyes, blind } = blindable();
    blind.code = 'EIO';
    await expect(scene({ eyes })).rejects.toThrow(/cannot be watched: the disk reports an error/);
  });

  it('is what passes while a look takes too long', async () => {
    let now = 0;
    const clock: Clock = { now: () => now as Ns, wallMs: () => 0 };
    const slow = { at: false };
    const eyes: Eyes = {
      ...ALONE,
      async names(dir) {
        if (slow.at) now += 2.5e9;
        return EYES.names(dir);
      },
    };
    const { all, probe } = await scene({ eyes, clock });
    slow.at = true;
    await probe.read();
    expect([all('gap'), all('clear')]).toMatchObject([[{ lo: 0, hi: 2.5e9, why: 'looking at the folder took 2.5 s' }], []]);
  });

  it('is what the system did not say', async () => {
    let fail = (_error: Error): void => undefined;
    let watches = 0;
    const eyes: Eyes = {
      ...EYES,
      watch(_dir, _changed, failed) {
        watches++;
        fail = failed;
        return { close: () => undefined };
      },
    };
    const { all, probe } = await scene({ eyes });
    fail(failing('ENOSPC'));
    await probe.read();
    expect(all('gap')).toMatchObject([{ why: expect.stringContaining('the system no longer says what changes') }]);
    expect(watches).toBe(2);
    await probe.read();
    expect(all('clear')[0]?.since).toBe(all('gap')[0]?.hi);
  });

  it('is not a name that vanishes while it is looked at', async () => {
    const eyes: Eyes = { ...ALONE, names: async (dir) => [...(await EYES.names(dir)), 'vanished'] };
    const { effects, probe } = await scene({ eyes });
    await probe.read();
    expect(effects.map(({ effect }) => effect)).toEqual(['watching', 'clear']);
  });
});

describe('when it was seen', () => {
  /** A clock that only the test moves, read to a millisecond, and stamps as a file system would have set them. Wall time is 1,000,000 ms ahead. */
  async function dated(stamp: (real: Stats) => Partial<Stats>) {
    let now = 0;
    const clock: Clock = { now: () => fromMs(now), wallMs: () => 1_000_000 + now };
    const eyes: Eyes = {
      ...ALONE,
      async stats(file) {
        const real = await EYES.stats(file);
        return Object.assign(
          Object.create(Object.getPrototypeOf(real) as object),
          real,
          real.isFile() ? stamp(real) : { birthtimeMs: 1, ctimeMs: 1_000_000 },
        ) as Stats;
      },
    };
    const { all, at, probe } = await scene({ eyes, clock });
    await probe.read();
    /** Reads one second later. */
    const readLater = (): Promise<void> => {
      now += 1000;
      return probe.read();
    };
    return { all, at, readLater };
  }
  const ms = (t: Ns | undefined): number | undefined => (t === undefined ? undefined : t / 1e6);

  it('is narrowed by the time of birth and the time of change', async () => {
    const { all, at, readLater } = await dated(() => ({ birthtimeMs: 1_000_300, ctimeMs: 1_000_400, mtimeMs: 1_000_400 }));
    writeFileSync(at('a'), 'x');
    await readLater();
    const [seen] = all('seen');
    expect([ms(seen?.lo), ms(seen?.hi)]).toEqual([300 - 11, 400 + 10]);
  });

  it('is narrowed from below for one whole line only: of several the first may be older', async () => {
    let stamp = 1_000_500;
    const { all, at, readLater } = await dated(() => ({ birthtimeMs: 1, ctimeMs: stamp, mtimeMs: stamp }));
    writeFileSync(at('a'), 'x\n');
    await readLater();
    stamp = 1_001_500;
    appendFileSync(at('a'), 'one\n');
    await readLater();
    stamp = 1_002_500;
    appendFileSync(at('a'), 'two\nthree\n');
    await readLater();
    expect(all('seen').map(({ lo }) => ms(lo))).toEqual([0, 1500 - 11, 2000]);
  });

  it('is what the looks say when the stamps are elsewhere', async () => {
    const { all, at, readLater } = await dated(() => ({ birthtimeMs: 5_000_000, ctimeMs: 5_000_000, mtimeMs: 5_000_000 }));
    writeFileSync(at('a'), 'x');
    await readLater();
    expect(all('seen').map(({ lo, hi }) => [ms(lo), ms(hi)])).toEqual([[0, 1000]]);
  });
});
