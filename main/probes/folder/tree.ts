// What the probe knows of the folder, and what a new look into it changes. A change is dated by the looks: not there yet
// when the last look into that directory began, there when this one ended.
import type { Stats } from 'node:fs';
import path from 'node:path';
import type { Clock, Ns } from '../../../app/base/time';
import { type Eyes, type Kind, kindOf, type Listing, look } from './look';
import { both, type Interval, type WallOffset } from './narrow';

/** A file, or an empty folder, as it was last seen. */
export interface State {
  readonly kind: Kind;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** Fingerprint of the content; undefined where it is not known. */
  hash: string | undefined;
}

/** A file that is not as it was. */
export interface Change {
  /** Path below the root, with `/`. */
  readonly subject: string;
  readonly before: State | undefined;
  readonly after: State | undefined;
  /** Of the file as it is now. */
  readonly stats: Stats | undefined;
  /** Of the directory that it is (or was) in, taken after it; undefined when that is gone too. */
  readonly folder: Stats | undefined;
  /** Whether the file system is known to keep times of birth. */
  readonly births: boolean;
  readonly interval: Interval;
  readonly offset: WallOffset;
}

/** A directory that could not be looked into, and since when nothing is known of it. */
export interface Failure {
  readonly subject: string;
  readonly error: unknown;
  readonly since: Ns;
}

export interface Walked {
  readonly changes: readonly Change[];
  readonly failures: readonly Failure[];
}

/** A directory as it was last looked into. */
interface Directory {
  readonly begin: Ns;
  readonly offset: WallOffset;
  readonly folders: ReadonlySet<string>;
  /** Files, and folders that were empty when they were first seen: names that `states` knows. */
  readonly subjects: ReadonlySet<string>;
}

export interface TreeOptions {
  readonly eyes: Eyes;
  readonly clock: Clock;
  readonly root: string;
  /** Whether a path below the root is watched. */
  readonly wanted: (subject: string) => boolean;
  /** Whether anything below a subfolder can be wanted. */
  readonly deep: boolean;
  /** Called before a directory is looked into: who wants to be woken by it must be so before the look. */
  readonly entering: (dir: string, identity: number) => void;
  readonly leaving: (dir: string) => void;
}

/** What was known of the place before a look. `adopt`: nothing, what is there now is the baseline. */
type Before = { readonly adopt: true } | { readonly adopt: false; readonly begin: Ns; readonly offset: WallOffset };

export class Tree {
  readonly states = new Map<string, State>();
  /** What was there when it was first looked at. */
  readonly origin = new Map<string, State>();
  readonly #options: TreeOptions;
  readonly #directories = new Map<string, Directory>();
  /** Directories that were there at the baseline and could not be looked into. */
  readonly #unread = new Set<string>();
  #births = false;
  #changes: Change[] = [];
  #failures: Failure[] = [];

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  /** Looks at everything for the first time: there are no changes, only failures. */
  baseline(identity: number): Promise<Walked> {
    return this.#collect(() => this.#enter('', identity, { adopt: true }, true));
  }

  /** Looks at everything again. */
  everything(identity: number): Promise<Walked> {
    return this.#collect(() => this.#again('', identity, true));
  }

  /** Looks into some directories again, by path below the root, and into new ones below them. */
  some(subjects: Iterable<string>): Promise<Walked> {
    return this.#collect(async () => {
      for (const subject of subjects) await this.#again(subject, undefined, false);
    });
  }

  async #collect(walk: () => Promise<void>): Promise<Walked> {
    this.#changes = [];
    this.#failures = [];
    await walk();
    return { changes: this.#changes, failures: this.#failures };
  }

  /** A directory that is known; one that is not any more is its parent's business. */
  async #again(subject: string, identity: number | undefined, deep: boolean): Promise<void> {
    const known = this.#directories.get(subject);
    if (known) await this.#enter(subject, identity, { adopt: false, begin: known.begin, offset: known.offset }, deep);
  }

  async #enter(subject: string, identity: number | undefined, before: Before, deep: boolean): Promise<void> {
    const { eyes, clock, root, entering } = this.#options;
    const dir = path.join(root, subject);
    if (identity !== undefined) entering(dir, identity);
    try {
      await this.#compare(subject, await look(eyes, clock, dir), this.#unread.has(subject) ? { adopt: true } : before, deep);
    } catch (error) {
      this.#failed(subject, error, before);
    }
  }

  #failed(subject: string, error: unknown, before: Before): void {
    if (before.adopt) this.#unread.add(subject);
    const now = this.#options.clock.now();
    this.#failures.push({ subject, error, since: before.adopt ? now : before.begin });
    // Known from now on, so that it is looked into again, as of the time at which it was last known to hold nothing.
    if (!this.#directories.has(subject)) {
      const unknown = { begin: now, offset: { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY } };
      const since = before.adopt ? unknown : before;
      this.#directories.set(subject, { begin: since.begin, offset: since.offset, folders: new Set(), subjects: new Set() });
    }
  }

  async #compare(subject: string, listing: Listing, before: Before, deep: boolean): Promise<void> {
    this.#unread.delete(subject);
    if (listing.self) this.#births ||= isBorn(listing.self);
    const known = this.#directories.get(subject);
    const folders = new Set<string>();
    const subjects = new Set<string>();
    for (const [name, stats] of listing.entries) {
      this.#births ||= isBorn(stats);
      const below = subject === '' ? name : `${subject}/${name}`;
      if (stats.isDirectory()) folders.add(below);
      const state = this.states.get(below);
      const wanted = this.#options.wanted(below);
      // A folder is a subject of its own only when there is nothing in it to tell of.
      if (wanted && (!stats.isDirectory() || state?.kind === 'folder')) subjects.add(below);
      else if (wanted && !known?.folders.has(below) && (await this.#empty(below))) subjects.add(below);
      if (subjects.has(below)) this.#take(below, stats, listing, before);
    }
    for (const old of known?.subjects ?? []) if (!subjects.has(old)) this.#take(old, undefined, listing, before);
    for (const old of known?.folders ?? []) if (!folders.has(old)) this.#leave(old, listing);
    this.#directories.set(subject, { begin: listing.begin, offset: listing.offset, folders, subjects });
    if (!this.#options.deep) return;
    for (const folder of folders) {
      const identity = listing.entries.get(path.posix.basename(folder))?.ino;
      if (!known?.folders.has(folder)) await this.#enter(folder, identity, before, true);
      else if (deep) await this.#again(folder, identity, true);
    }
  }

  /** Whether a folder holds nothing. One that cannot be looked into is not said to. */
  async #empty(subject: string): Promise<boolean> {
    const names = await this.#options.eyes.names(path.join(this.#options.root, subject)).catch(() => undefined);
    return names?.length === 0;
  }

  /** Everything below a directory that is gone. It was there when that directory was last looked into. */
  #leave(subject: string, listing: Listing): void {
    const known = this.#directories.get(subject);
    this.#options.leaving(path.join(this.#options.root, subject));
    this.#directories.delete(subject);
    if (!known) return;
    const gone = { ...listing, self: undefined };
    for (const old of known.subjects) this.#take(old, undefined, gone, { adopt: false, begin: known.begin, offset: known.offset });
    for (const old of known.folders) this.#leave(old, listing);
  }

  /** Notes what a subject is now, and how that differs from what it was. */
  #take(subject: string, stats: Stats | undefined, listing: Listing, before: Before): void {
    const was = this.states.get(subject);
    if (stats && was && same(was, stats)) return;
    const after = stats && stateOf(stats);
    if (after) this.states.set(subject, after);
    else this.states.delete(subject);
    if (before.adopt) {
      if (after) this.origin.set(subject, after);
      return;
    }
    this.#changes.push({
      subject,
      before: was,
      after,
      stats,
      folder: listing.self,
      births: this.#births,
      interval: { lo: before.begin, hi: listing.end },
      offset: both(before.offset, listing.offset),
    });
  }
}

const stateOf = (stats: Stats): State => ({
  kind: kindOf(stats),
  size: stats.size,
  mtimeMs: stats.mtimeMs,
  ino: stats.ino,
  hash: undefined,
});

/**
 * A birth before the last change proves that birth is kept: where it is not, the system puts nothing there, or the time
 * of the last change.
 */
const isBorn = (stats: Stats): boolean => stats.birthtimeMs > 0 && stats.birthtimeMs < stats.ctimeMs;

/** A folder's own size and time change with its entries, which speak for themselves. */
function same(state: State, stats: Stats): boolean {
  if (state.kind !== kindOf(stats)) return false;
  return state.kind === 'folder' || (state.size === stats.size && state.mtimeMs === stats.mtimeMs && state.ino === stats.ino);
}
