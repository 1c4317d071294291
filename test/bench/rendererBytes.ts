// What a frame costs in the window: the growth of its heap, typed arrays included, from before a trace of a million frames
// was opened to after all of it was drawn and judged, measured by heap snapshots. The baseline holds the same frames as an
// object each, measured in the same way.
import type { CDPSession, Page } from 'playwright-core';
import { type Figure, figure } from './figures';
import { beside, judged, MILLION, openIn, traceOf } from './longTrace';

export async function rendererBytes(): Promise<Figure> {
  const file = await traceOf(MILLION);
  const { page, close } = await beside(file);
  const devtools = await page.context().newCDPSession(page);
  const before = await heapBytes(devtools);
  await openIn(page, file, MILLION);
  await judged(page, MILLION);
  const after = await heapBytes(devtools);
  await holdObjects(page);
  const objects = (await heapBytes(devtools)) - after;
  await close();
  return figure({
    name: 'renderer-bytes-per-frame',
    value: (after - before) / MILLION,
    unit: 'B',
    baseline: objects / MILLION,
    against: 'an object for each frame, with the same facts',
    goal: { valueAtMost: 40 },
    remark: '10,000 calls with their verdicts, lanes and everything else that the window holds are counted in',
  });
}

/** All bytes that are reachable, by a snapshot: what is garbage is collected first, and array buffers count. */
async function heapBytes(devtools: CDPSession): Promise<number> {
  const chunks: string[] = [];
  const onChunk = ({ chunk }: { readonly chunk: string }): void => void chunks.push(chunk);
  devtools.on('HeapProfiler.addHeapSnapshotChunk', onChunk);
  await devtools.send('HeapProfiler.collectGarbage');
  await devtools.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  devtools.off('HeapProfiler.addHeapSnapshotChunk', onChunk);
  const { snapshot, nodes } = JSON.parse(chunks.join('')) as {
    readonly snapshot: { readonly meta: { readonly node_fields: readonly string[] } };
    readonly nodes: readonly number[];
  };
  const fields = snapshot.meta.node_fields;
  const size = fields.indexOf('self_size');
  let bytes = 0;
  for (let at = size; at < nodes.length; at += fields.length) bytes += nodes[at] ?? 0;
  return bytes;
}

/** Keeps a million objects in the page. */
const holdObjects = (page: Page): Promise<void> =>
  page.evaluate((count) => {
    const held = Array.from({ length: count }, (_, seq) => ({
      seq,
      t: seq * 200_000.5,
      session: 1,
      dir: 's2c',
      kind: 'message',
      shape: 'notification',
      name: 'notifications/progress',
      key: `n:${seq % 10_000}`,
      num: seq % 1_000_000,
      size: 120,
    }));
    Object.assign(window, { held });
  }, MILLION);
