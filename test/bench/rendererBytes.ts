// What a frame costs in the window: how much larger its heap is, typed arrays included, with a trace of a million frames
// than with one of ten thousand, each drawn and judged to its end, by heap snapshots. So what the window costs by itself is
// not counted. The baseline holds as many frames as an object each.
import type { CDPSession, Page } from 'playwright-core';
import { type Figure, figure } from './figures';
import { beside, breachesIn, judged, MILLION, openIn, traceOf } from './longTrace';

const FEW = 10_000;

export async function rendererBytes(): Promise<Figure> {
  const [small, large] = [await traceOf(FEW), await traceOf(MILLION)];
  const { page, close } = await beside(large, small);
  const devtools = await page.context().newCDPSession(page);
  await openIn(page, small, FEW);
  await judged(page, breachesIn(FEW));
  const before = await heapBytes(devtools);
  await openIn(page, large, MILLION);
  await judged(page, breachesIn(MILLION));
  const after = await heapBytes(devtools);
  const used = await usedBytes(devtools);
  await holdObjects(page);
  const objects = (await usedBytes(devtools)) - used;
  await close();
  return figure({
    name: 'renderer-bytes-per-frame',
    value: (after - before) / (MILLION - FEW),
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

/** Bytes of objects, without array buffers. */
async function usedBytes(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  return (await devtools.send('Runtime.getHeapUsage')).usedSize;
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
