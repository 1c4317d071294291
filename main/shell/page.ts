// The page's own origin. `file://` has none, so every file on the disk would share one storage with it and workers would be
// refused; a scheme of our own gives it an origin, and makes "is this ours?" a question with one answer.
import path from 'node:path';

export const SCHEME = 'app';
export const ORIGIN = `${SCHEME}://stopgap`;
export const PAGE = `${ORIGIN}/index.html`;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** The media type of a file of the page, by its name. */
export const mediaType = (file: string): string => TYPES[path.extname(file).toLowerCase()] ?? 'application/octet-stream';

/**
 * Which file below `folder` an address of the page names.
 * @param folder absolute path of the built page
 * @returns undefined for other origins and for anything that would leave the folder, however it is spelled
 */
export function fileOf(address: string, folder: string): string | undefined {
  const url = parse(address);
  if (!url || !isOurs(url)) return undefined;
  const name = decode(url.pathname);
  if (name === undefined || name.includes('\0') || name.includes('\\')) return undefined;
  const file = path.resolve(folder, `.${path.posix.normalize(name)}`);
  return isInside(file, folder) ? file : undefined;
}

/** Whether a path lies below a folder; the folder itself does not. Both absolute; links are not followed. */
export function isInside(file: string, folder: string): boolean {
  const from = path.relative(path.resolve(folder), path.resolve(file));
  return from !== '' && from !== '..' && !from.startsWith(`..${path.sep}`) && !path.isAbsolute(from);
}

/** Where a message came from: `undefined` when the frame that sent it is gone. */
export interface Sender {
  readonly url: string;
  /** Whether it is the top frame of our window. */
  readonly top: boolean;
}

/** Only our own page, in the top frame of our own window, may ask the shell for anything. */
export function isTrusted(sender: Sender | undefined): boolean {
  const url = sender?.top ? parse(sender.url) : undefined;
  return url !== undefined && isOurs(url) && url.pathname === new URL(PAGE).pathname;
}

// `URL.origin` is "null" for schemes that the URL standard does not know, so the parts are compared.
const isOurs = (url: URL): boolean => `${url.protocol}//${url.host}` === ORIGIN && url.username === '' && url.password === '';

function parse(address: string): URL | undefined {
  try {
    return new URL(address);
  } catch {
    return undefined;
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
