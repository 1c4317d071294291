// A subscription that could not even be asked for: a server that ends right after it was connected must take nothing with it.
import { expect, test } from 'vitest';
import type { Wire } from '../transports/wire';
import { News } from './news';
import type { Tap } from './tap';

/** Nothing can be written any more. */
const tap = {
  asSpoken: <M>(message: M): M => message,
  sendTogether: () => Promise.reject(new Error('the pipe is closed')),
} as unknown as Tap;

test('that it could not be asked for is told, and nobody is left with a failure', async () => {
  const ended = new Promise<string>((onEnd) => new News({ tap, wire: {} as Wire, tools: true, onEnd }));
  expect(await ended).toContain('the pipe is closed');
});

test('a resource that could not be asked for is not followed, and can be asked for again', async () => {
  const news = new News({ tap, wire: {} as Wire, tools: false, onEnd: () => undefined });
  await expect(news.follow('file:///a')).rejects.toThrow('the pipe is closed');
  await expect(news.follow('file:///a')).rejects.toThrow('the pipe is closed');
});
