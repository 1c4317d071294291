// A change in words: what happened to the file, as far as its size, its identity and its content tell, and no further.
import type { Stats } from 'node:fs';
import { contentOf, digest, fingerprint, lineFeeds, READ_UP_TO, sample } from './content';
import type { Stamps } from './narrow';
import type { Change, State } from './tree';

export interface Description {
  readonly says: string;
  /** The beginning of what is new. */
  readonly sample: string | undefined;
  /** What the file system's stamps say about when it happened. */
  readonly stamps: Stamps;
}

/**
 * Reads what is new and says it. The content's fingerprint is noted in the change's `after`.
 * @param file path of the file
 */
export async function describe(change: Change, file: string): Promise<Description> {
  const { subject, before, after } = change;
  if (!after) return { says: `${subject} was removed`, sample: undefined, stamps: changedBy(change.folder) };
  if (after.kind !== 'file') return { says: named(after, subject, before), sample: undefined, stamps: born(change) };
  const content = after.size <= READ_UP_TO ? await contentOf(file, after) : undefined;
  const whole = content?.bytes;
  after.hash = fingerprint(content);
  if (!before) return { says: `${subject} was created (${bytes(after.size)})`, sample: whole && sample(whole), stamps: born(change) };
  if (before.ino === after.ino && before.kind === 'file' && after.size > before.size) return grown(change, before, after, whole, file);
  return changed(change, before, after, whole);
}

/** A folder, a link or something else that is no file. */
const named = ({ kind }: State, subject: string, before: State | undefined): string =>
  `${kind === 'folder' ? `folder ${subject}` : subject} was ${before ? 'replaced' : 'created'}`;

async function grown(change: Change, before: State, after: State, whole: Buffer | undefined, file: string): Promise<Description> {
  const added = after.size - before.size;
  const kept = whole && before.hash !== undefined ? digest(whole.subarray(0, before.size)) === before.hash : undefined;
  if (kept === false) return changed(change, before, after, whole);
  const news = whole?.subarray(before.size) ?? (added <= READ_UP_TO ? (await contentOf(file, after, before.size))?.bytes : undefined);
  const lines = news && lineFeeds(news);
  const { subject } = change;
  return {
    says: kept ? appended(subject, added, lines) : `${subject} grew by ${bytes(added)}${lines ? ` (${counted(lines)})` : ''}`,
    sample: news && sample(news),
    stamps: { notAfter: change.stats?.ctimeMs, notBefore: wroteOnce(change, news, lines) },
  };
}

const appended = (subject: string, added: number, lines: number | undefined): string =>
  lines ? `${counted(lines)} appended to ${subject} (${bytes(added)})` : `${bytes(added)} appended to ${subject}`;

/**
 * Several writes between two looks leave the stamp of the last one. Only a single line that is whole was certainly not
 * there before that stamp, and only when the stamp is a write's: then modification and change time are the same.
 */
function wroteOnce({ stats }: Change, news: Buffer | undefined, lines: number | undefined): number | undefined {
  const whole = lines === 1 && news?.at(-1) === 10;
  return whole && stats && stats.mtimeMs === stats.ctimeMs ? stats.ctimeMs : undefined;
}

function changed(change: Change, before: State, after: State, whole: Buffer | undefined): Description {
  const { subject } = change;
  const replaced = before.ino !== after.ino || before.kind !== after.kind;
  const sizes = before.size === after.size ? bytes(after.size) : `${before.size} → ${bytes(after.size)}`;
  const again = before.hash !== undefined && before.hash === after.hash;
  const verb = replaced ? 'was replaced' : 'was changed';
  return {
    says: again ? `${subject} was written again with the same content` : `${subject} ${verb} (${sizes})`,
    sample: whole && sample(whole),
    // In place nothing is certain: a mapped file may change after its stamp, and an earlier write leaves none.
    stamps: replaced ? born(change) : {},
  };
}

/** A file that is new under its name was not there before it was born, and was there when its folder last changed. */
function born({ stats, folder, births }: Change): Stamps {
  if (!stats || !folder?.isDirectory()) return {};
  return { notBefore: births && stats.birthtimeMs > 0 ? stats.birthtimeMs : undefined, notAfter: Math.max(stats.ctimeMs, folder.ctimeMs) };
}

/** A name is gone by the time at which its folder last changed. */
const changedBy = (folder: Stats | undefined): Stamps => (folder?.isDirectory() ? { notAfter: folder.ctimeMs } : {});

const bytes = (n: number): string => (n === 1 ? '1 byte' : `${n} bytes`);
const counted = (n: number): string => (n === 1 ? '1 line' : `${n} lines`);
