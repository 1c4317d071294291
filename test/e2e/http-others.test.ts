// Servers over HTTP that others wrote, in the real window: the reference server over the older transport, and the SDK's own
// examples, each with what the same Stop is worth on it.
import { afterEach, expect, test } from 'vitest';
import type { Headline } from '../../app/verdict/verdict';
import { everythingOverHttp, type RunningServer, type SdkExample, sdkExample } from '../real/servers';
import { cleanUp, launch, PATIENT } from './app';
import { cancels } from './trace';
import { driver } from './window';

const servers: RunningServer[] = [];
afterEach(async () => {
  await cleanUp();
  for (const server of servers.splice(0)) await server.close();
});

async function started(server: Promise<RunningServer>): Promise<RunningServer> {
  servers.push(await server);
  return server;
}

const SHORT = { settings: { welcomeDismissed: true, settleMs: 800 } };

test('server-everything over HTTP+SSE, found by falling back: the cancel is posted, the progress goes on', async () => {
  const server = await started(everythingOverHttp('sse'));
  const app = await launch(SHORT);
  const window = driver(app);
  await window.connected();
  await window.connectTo(server.url);
  await window.choose('trigger-long-running-operation');
  await window.fill({ duration: 4, steps: 40 });
  await window.stopAfter(600);
  await window.call();
  await window.verdict('still-working');
  expect([await window.state('stop'), await window.state('reply')]).toEqual(['sent', 'none']);
  expect(cancels(app.frames())).toHaveLength(1);
  expect(await window.details.textContent()).toMatch(/POST #\d+/);
  await app.close();
});

interface Example {
  readonly name: SdkExample;
  readonly reply: 'none' | 'late-result';
  readonly verdict: Headline;
}

const EXAMPLES: readonly Example[] = [
  { name: 'simpleStreamableHttp', reply: 'none', verdict: 'still-working' },
  { name: 'simpleStatelessStreamableHttp', reply: 'late-result', verdict: 'late-result-write' },
  { name: 'simpleSseServer', reply: 'none', verdict: 'still-working' },
];

test('the SDK’s examples: they go on with their notifications, and the one without sessions answers late', async () => {
  const app = await launch(SHORT);
  const window = driver(app);
  await window.connected();
  for (const [index, { name, reply, verdict }] of EXAMPLES.entries()) {
    const server = await started(sdkExample(name));
    await window.connectTo(server.url);
    await window.choose('start-notification-stream');
    await window.fill({ interval: 50, count: 30 });
    await window.stopAfter(400);
    await window.call();
    await expect.poll(() => cancels(app.frames()).length, PATIENT).toBe(index + 1);
    await window.verdict(verdict);
    await expect.poll(() => window.state('reply'), PATIENT).toBe(reply);
    expect(await window.state('stop')).toBe('sent');
  }
  await app.close();
});
