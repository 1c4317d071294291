// Several servers in the real window: each is a group of its own on the timeline, has its own tools, probes and verdicts, and
// is stopped whichever is in focus.
import { afterEach, expect, test } from 'vitest';
import { cleanUp, launch, PATIENT } from './app';
import { calls, cancels } from './trace';
import { driver } from './window';

afterEach(cleanUp);

const CHARGE = { amount: 4200, currency: 'EUR', commit_ms: 0, write_ms: 6000 } as const;

test('two servers, a breach on each; the one that is not in focus is stopped without a change of focus', async () => {
  const app = await launch();
  const { page } = app;
  const window = driver(app);
  await window.connected();
  await window.serverItem('Connect beside Demo server', 'Demo server over HTTP', /^Demo server over HTTP *With sessions/);
  const whose = page.getByRole('group', { name: 'Server whose tools are shown' });
  const focused = whose.locator('[aria-pressed=true]');
  await expect.poll(() => focused.textContent(), PATIENT).toBe('Demo server over HTTP');
  await whose.getByRole('img', { name: 'connected' }).nth(1).waitFor();

  await window.choose('charge_card');
  await window.fill(CHARGE);
  await window.call();
  await whose.getByRole('button', { name: /Demo server$/ }).click();
  await window.choose('charge_card');
  await window.fill(CHARGE);
  await window.call();

  // The newest is in front; the other one, of the server that is not in focus, stands below it with its server's name.
  await window.flight.getByRole('button', { name: /^Stop charge_card .* Demo server over HTTP: send cancel$/ }).click();
  await expect.poll(() => cancels(app.frames()).map(({ frame }) => frame.session), PATIENT).toEqual([2]);
  await window.stop();
  await expect.poll(() => cancels(app.frames()).length, PATIENT).toBe(2);
  expect(await focused.textContent()).toBe('Demo server');
  await window.verdict('write-after-cancel');
  expect(await window.certainty()).toBe('proved');

  await expect.poll(() => window.timeline.getAttribute('aria-label'), PATIENT).toMatch(/2 calls: 2 breach/);
  expect(calls(app.frames()).map(({ frame, params }) => [frame.session, params?.['name']])).toEqual([
    [2, 'charge_card'],
    [1, 'charge_card'],
  ]);
  expect(await window.timeline.getAttribute('aria-label')).toContain('Servers: Demo server; Demo server over HTTP.');
  await app.close();
});
