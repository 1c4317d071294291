import { expect, it, onTestFinished, vi } from 'vitest';
import { startClock } from '../host/clock';
import { watchTurns } from './turns';

it('knows a moment that lies further and further on, and never ahead', async () => {
  const clock = startClock();
  const begun = clock.now();
  const turns = watchTurns(clock);
  onTestFinished(() => turns.stop());
  expect(turns.drained()).toBeGreaterThanOrEqual(begun);
  const later = clock.now();
  await vi.waitFor(() => expect(turns.drained()).toBeGreaterThan(later), { timeout: 25_000, interval: 5 });
  expect(turns.drained()).toBeLessThanOrEqual(clock.now());
});

it('has drained all that was there when it was asked to', async () => {
  const clock = startClock();
  const turns = watchTurns(clock);
  onTestFinished(() => turns.stop());
  const asked = clock.now();
  await turns.drain();
  expect(turns.drained()).toBeGreaterThanOrEqual(asked);
});

it('takes no marks that it was not asked for once it has stopped', async () => {
  const clock = startClock();
  const turns = watchTurns(clock);
  turns.stop();
  await turns.drain();
  const last = turns.drained();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(turns.drained()).toBe(last);
});
