// What the window shows of a stop over HTTP: what Stop will do, the exchanges of the call and of its cancel, the stream that
// the server leaves open, and every exchange in the wire log.
import { afterEach, expect, test } from 'vitest';
import { cleanUp, launch, PATIENT } from './app';
import { driver, textOf } from './window';

afterEach(cleanUp);

test('a cancel by POST: its status stands beside the call, and the stream that stays open ages', async () => {
  const app = await launch({ settings: { welcomeDismissed: true, lastServer: { kind: 'demo', over: 'http' } } });
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill({ amount: 4200, currency: 'EUR', commit_ms: 0, write_ms: 20_000 });
  await window.call();

  // What Stop will do here, and what else there is: no process to kill.
  await expect.poll(() => textOf(app.page.locator('#stop-button small')), PATIENT).toBe('Send cancel (POST)');
  await window.flight.getByRole('button', { name: 'Other ways to stop' }).click();
  const ways = await app.page.getByRole('menuitem').allTextContents();
  expect(ways.some((way) => way.startsWith('Drop the connection') && way.includes('A disconnect is not a cancel here'))).toBe(true);
  expect(ways.filter((way) => way.includes('Kill'))).toEqual([]);
  await app.page.keyboard.press('Escape');
  await window.stop();

  const http = window.details.getByRole('region', { name: 'HTTP' });
  await expect.poll(() => textOf(http), PATIENT).toMatch(/POST #\d+ the request: 200 .*stream open for .* so far/);
  await expect.poll(() => textOf(http), PATIENT).toMatch(/POST #\d+ the cancel: 202 after/);
  expect(await textOf(http)).toContain('202 says that something received the cancel.');

  await window.show('Findings');
  const finding = window.findings.getByRole('listitem').filter({ hasText: 'was left open after the cancel' });
  await finding.waitFor();
  const age = async () => /([\d.]+ s) so far/.exec(await textOf(finding))?.[1];
  const first = await age();
  expect(first).toBeDefined();
  await expect.poll(age, PATIENT).not.toBe(first);

  await window.show('Wire');
  await expect.poll(() => textOf(window.wire), PATIENT).toMatch(/⇠\s*POST #\d+: 202/);
  await app.close();
});
