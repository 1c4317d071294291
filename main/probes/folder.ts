// Watches a folder by looking at it. A watcher and a poll say when to look; what is reported is only the difference between
// two looks, dated by them: absent when the one began, present when the other ended. A change that comes and goes between
// two looks is not seen, and times at which no look succeeded are reported as gaps.
import { realpath, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { asNs, fromMs, minus, type Ns, plus, toMs, words } from '../../app/base/time';
import type { Probe, ProbeContext, ProbeSpec } from '../../app/evidence/probe';
import type { Effect, Seq } from '../../app/wire/frame';
import { codeOf, plain } from '../store/disk';
import { doneBy } from './done';
import { contentOf, fingerprint, READ_UP_TO } from './folder/content';
import { describe } from './folder/describe';
import { EYES, type Eyes } from './folder/look';
import { narrow } from './folder/narrow';
import { type Change, type Failure, type State, Tree, type Walked } from './folder/tree';
import { type Watchers, watchers } from './folder/watchers';

type FolderSpec = Extract<ProbeSpec, { kind: 'folder' }>;

/** What tests put in the place of the real thing. */
export interface Seams {
  readonly eyes?: Eyes;
  /** Pause between two looks that nobody asked for, in ms. */
  readonly pollMs?: number;
}

const POLL_MS = 250;
/** A look at everything may take at most this share of the time: large trees are polled less often, and watched all the same. */
const POLL_SHARE = 4;
/** Looks that a watcher asks for keep this distance, so that a flood of writes does not become a flood of looks. */
const CALM_MS = 8;
/** A look that takes longer has not watched. */
const SLOW = fromMs(2000);
/** How often it is said again that a place still cannot be watched. */
const REPEAT = fromMs(5000);
/** Contents are read at the baseline up to this many bytes in all; beyond it files are known by size and time. */
const BASELINE_BYTES = 64 * 1024 * 1024;

/** Local file systems of Linux, whose stamps are taken from this machine's clock: ext, tmpfs, xfs, btrfs, overlay, f2fs, zfs. */
const LOCAL: ReadonlySet<number> = new Set([0xef53, 0x01021994, 0x58465342, 0x9123683e, 0x794c7630, 0xf2f52010, 0x2fc12fc1]);

/**
 * Says whether a folder can be watched.
 * @returns undefined when it can, else why not and what to try
 */
export async function checkFolder(spec: FolderSpec): Promise<string | undefined> {
  if (!path.isAbsolute(spec.path)) return `Expected the full path of a folder, got ${spec.path}.`;
  try {
    const stats = await stat(spec.path);
    if (stats.isDirectory()) return undefined;
    return `Expected a folder, but ${spec.path} is a file. Watch its folder ${path.dirname(spec.path)} and match ${path.basename(spec.path)}.`;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') return `The folder ${spec.path} cannot be watched: ${plain(error)}`;
  }
  const parent = await stat(path.dirname(spec.path)).catch(() => undefined);
  if (parent?.isDirectory()) return undefined;
  return `Expected a folder at ${spec.path}, but not even ${path.dirname(spec.path)} is there. Create it, or choose another folder.`;
}

/**
 * Starts watching a folder. A folder that is missing, in a folder that is there, is a place with nothing in it.
 * @throws Error in plain words when it cannot be watched
 */
export async function startFolderProbe(spec: FolderSpec, context: ProbeContext, seams: Seams = {}): Promise<Probe> {
  const refused = await checkFolder(spec);
  if (refused) throw new Error(refused);
  const root = await realpath(spec.path).catch(() => spec.path);
  const probe = new FolderProbe(spec, context, seams, root, await isLocal(root));
  await probe.start();
  return probe;
}

async function isLocal(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const found = await statfs(folder).catch(() => statfs(path.dirname(folder)).catch(() => undefined));
  return found !== undefined && LOCAL.has(found.type);
}

/** What a glob means here: that of a shell, on paths below the folder; everything when there is none. */
function matcher(match: string | undefined): { readonly wanted: (subject: string) => boolean; readonly deep: boolean } {
  if (match === undefined) return { wanted: () => true, deep: true };
  return { wanted: picomatch(match), deep: match.includes('/') || match.includes('**') };
}

/** Looks that were asked for and have not begun. */
interface Asked {
  everything: boolean;
  readonly directories: Set<string>;
  readonly readers: { readonly done: () => void; readonly failed: (error: unknown) => void }[];
}

const nothing = (): Asked => ({ everything: false, directories: new Set(), readers: [] });

class FolderProbe implements Probe {
  readonly spec: FolderSpec;
  readonly #context: ProbeContext;
  readonly #done: ReturnType<typeof doneBy>;
  readonly #eyes: Eyes;
  readonly #pollMs: number;
  /** The folder, where its path is a link the place that the link leads to. */
  readonly #root: string;
  readonly #local: boolean;
  readonly #tree: Tree;
  readonly #watchers: Watchers;
  /** What was seen of each subject since it was last as at the baseline. */
  readonly #outstanding = new Map<string, Seq[]>();
  /** From here on nothing was missed. */
  #since: Ns = asNs(0);
  /** A place could not be looked into, said up to `until`. */
  #blind: { readonly why: string; readonly until: Ns } | undefined;
  /** Watchers that broke down, since when their directory is not watched. */
  #lost: { readonly why: string; readonly since: Ns }[] = [];
  /** When the last look ended, and when one at everything is due again. */
  #lastLook: Ns = asNs(0);
  #pollAt: Ns = asNs(0);
  #asked = nothing();
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(spec: FolderSpec, context: ProbeContext, seams: Seams, root: string, local: boolean) {
    this.spec = spec;
    this.#context = context;
    this.#done = doneBy(spec);
    this.#eyes = seams.eyes ?? EYES;
    this.#pollMs = seams.pollMs ?? POLL_MS;
    this.#root = root;
    this.#local = local;
    this.#watchers = watchers(
      this.#eyes,
      (dir, name) => this.#woken(dir, name),
      (_dir, error) => this.#unwatched(error),
    );
    this.#tree = new Tree({
      eyes: this.#eyes,
      clock: context.clock,
      root,
      ...matcher(spec.match),
      entering: (dir, identity) => this.#watchers.keep(dir, identity),
      leaving: (dir) => this.#watchers.drop(dir),
    });
  }

  async start(): Promise<void> {
    const { failures } = await this.#tree.baseline(await this.#identity());
    const [root] = failures.filter((failure) => failure.subject === '');
    if (root) {
      this.#watchers.close();
      throw new Error(`The folder ${this.spec.path} cannot be watched: ${plain(root.error)}`);
    }
    await this.#fingerprints();
    this.#since = this.#now();
    this.#lastLook = this.#since;
    const { name: probe, kind, path: place, match, shared } = this.spec;
    this.#emit({ effect: 'watching', probe, kind, place: match === undefined ? place : path.join(place, match), shared });
    this.#blindBy(failures, this.#since, false);
    this.#pollAt = plus(this.#since, fromMs(this.#pollMs));
    this.#pause();
  }

  read(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return this.#reading();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#reading();
    clearTimeout(this.#timer);
    this.#watchers.close();
    this.#emit({ effect: 'ended', probe: this.spec.name });
  }

  #reading(): Promise<void> {
    return new Promise((done, failed) => {
      this.#asked.everything = true;
      this.#asked.readers.push({ done, failed });
      this.#wake();
    });
  }

  /** Something may have changed in a directory. */
  #woken(dir: string, name: string | undefined): void {
    const subject = path.relative(this.#root, dir).split(path.sep).join('/');
    // The folder above is watched for the folder itself only.
    if (subject !== '..') this.#asked.directories.add(subject);
    else if (name === undefined || name === path.basename(this.#root)) this.#asked.everything = true;
    else return;
    if (!this.#looking && !this.#stopped) this.#pause();
  }

  #unwatched(error: Error): void {
    this.#lost.push({ why: `the system no longer says what changes: ${plain(error)}`, since: this.#lastLook });
    this.#asked.everything = true;
  }

  /** Sets the time of the next look: soon when one is asked for, else when everything is due. */
  #pause(): void {
    const soon = this.#asked.everything || this.#asked.directories.size > 0;
    const at = soon ? Math.min(this.#pollAt, this.#lastLook + fromMs(CALM_MS)) : this.#pollAt;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#wake(), Math.max(0, toMs(minus(asNs(at), this.#now()))));
    this.#timer.unref();
  }

  /** Looks until nothing more is asked for; one look at a time. */
  #wake(): void {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#asked.readers.length > 0) this.#wake();
    });
  }

  async #look(): Promise<void> {
    clearTimeout(this.#timer);
    const { directories, readers } = this.#asked;
    const begin = this.#now();
    const everything = this.#asked.everything || begin >= this.#pollAt;
    this.#asked = nothing();
    try {
      const walked = everything ? await this.#tree.everything(await this.#identity()) : await this.#tree.some(directories);
      await this.#tell(walked, { begin, end: this.#now(), everything, wanted: readers.length > 0 });
      for (const { done } of readers) done();
    } catch (error) {
      for (const { failed } of readers) failed(error);
      if (readers.length === 0) throw error;
    } finally {
      this.#lastLook = this.#now();
      if (everything) this.#pollAt = plus(this.#lastLook, this.#restAfter(minus(this.#lastLook, begin)));
      if (!this.#stopped) this.#pause();
    }
  }

  /** How long a look at everything may wait, given what the last one took. */
  #restAfter = (took: Ns): Ns => asNs(Math.max(fromMs(this.#pollMs), took * POLL_SHARE));

  /** The folder's own number, by which it is told from another of the same name; the folder above is watched where it is missing. */
  async #identity(): Promise<number> {
    const stats = await stat(this.#root).catch(() => undefined);
    if (stats) return stats.ino;
    const parent = path.dirname(this.#root);
    this.#watchers.keep(parent, 0);
    return 0;
  }

  async #tell({ changes, failures }: Walked, look: { begin: Ns; end: Ns; everything: boolean; wanted: boolean }): Promise<void> {
    // What is gone comes last: a file that was renamed is there before it is gone.
    for (const change of changes) if (change.after) await this.#changed(change);
    for (const change of changes) if (!change.after) await this.#changed(change);
    const missed = this.#missed(failures, look);
    const found = changes.length > 0;
    if (look.wanted && !missed && !found)
      this.#emit({ effect: 'clear', probe: this.spec.name, since: this.#since, lo: look.begin, hi: look.end });
  }

  /** Reports what the look did not cover. @returns whether there was anything */
  #missed(failures: readonly Failure[], look: { begin: Ns; end: Ns; everything: boolean; wanted: boolean }): boolean {
    const lost = this.#lost;
    this.#lost = [];
    for (const { why, since } of lost) this.#gap(since, look.end, why);
    const slow = look.end - look.begin > SLOW;
    if (slow) this.#gap(look.begin, look.end, `looking at the folder took ${words(minus(look.end, look.begin))}`);
    const blind = this.#blindBy(failures, look.end, look.wanted);
    if (!blind && this.#blind && look.everything) {
      this.#gap(this.#blind.until, look.end, this.#blind.why);
      this.#blind = undefined;
      return true;
    }
    return blind || slow || lost.length > 0;
  }

  /** Says when it began that a place could not be looked into, and now and then that it still cannot. */
  #blindBy(failures: readonly Failure[], now: Ns, wanted: boolean): boolean {
    const [first] = failures;
    if (!first) return false;
    const why = `${first.subject === '' ? 'the folder' : first.subject} could not be read: ${plain(first.error)}`;
    const from = this.#blind?.until ?? first.since;
    if (this.#blind && !wanted && now - from < REPEAT) return true;
    this.#blind = { why, until: now };
    this.#gap(from, now, why);
    return true;
  }

  #gap(lo: Ns, hi: Ns, why: string): void {
    this.#emit({ effect: 'gap', probe: this.spec.name, lo, hi, why });
    if (hi > this.#since) this.#since = hi;
  }

  async #changed(change: Change): Promise<void> {
    const { says, sample, stamps } = await describe(change, this.#fileOf(change.subject));
    const { lo, hi } = this.#local ? narrow(change.interval, change.offset, stamps) : change.interval;
    const { name: probe } = this.spec;
    const { subject } = change;
    const of = this.#outstanding.get(subject) ?? [];
    if (of.length > 0 && isSame(this.#tree.origin.get(subject), change.after)) {
      this.#outstanding.delete(subject);
      this.#emit({
        effect: 'reverted',
        probe,
        lo,
        hi,
        says: change.after ? `${subject} is as it was before` : `${subject} is gone again`,
        of,
      });
      return;
    }
    const done = this.#done(`${subject} ${says} ${sample ?? ''}`);
    const seq = this.#emit({ effect: 'seen', probe, lo, hi, says, subject, ...(sample === undefined ? {} : { sample }), ...done });
    this.#outstanding.set(subject, [...of, seq]);
  }

  /** Reads the contents of what is small enough, so that a state can be recognised when it comes back. */
  async #fingerprints(): Promise<void> {
    let left = BASELINE_BYTES;
    for (const [subject, state] of this.#tree.states) {
      if (state.kind !== 'file' || state.size > READ_UP_TO || state.size > left) continue;
      left -= state.size;
      state.hash = fingerprint(await contentOf(this.#fileOf(subject), state));
    }
  }

  #fileOf = (subject: string): string => path.join(this.#root, subject);
  #emit = (effect: Effect): Seq => this.#context.emit(effect);
  #now = (): Ns => this.#context.clock.now();
}

/** Whether a subject is as it was at the baseline: by content where both are known, else by identity and time. */
function isSame(baseline: State | undefined, now: State | undefined): boolean {
  if (!baseline || !now) return baseline === now;
  if (baseline.kind !== now.kind) return false;
  if (now.kind === 'folder') return true;
  if (baseline.size !== now.size) return false;
  if (baseline.hash !== undefined && now.hash !== undefined) return baseline.hash === now.hash;
  return baseline.ino === now.ino && baseline.mtimeMs === now.mtimeMs;
}
