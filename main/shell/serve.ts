// Gives the page its files under the page's own origin, from the folder beside or from inside the packaged archive.
import { readFile } from 'node:fs/promises';
import { protocol } from 'electron';
import { fileOf, mediaType, SCHEME } from './page';

/** @param folder absolute path of the built page */
export function servePage(folder: string): void {
  protocol.handle(SCHEME, async ({ url, method }) => {
    const file = method === 'GET' ? fileOf(url, folder) : undefined;
    if (file === undefined) return refusal(403);
    // Not `net.fetch`, which cannot read inside an archive.
    const bytes = await readFile(file).catch(() => undefined);
    if (bytes === undefined) return refusal(404);
    return new Response(new Uint8Array(bytes), { headers: { 'content-type': mediaType(file), 'x-content-type-options': 'nosniff' } });
  });
}

const refusal = (status: 403 | 404): Response => new Response(undefined, { status });
