// The races of the demo server in the real window: what left on the wire, what came back, and the sentence that is made of it.
import { afterEach, expect, test } from 'vitest';
import { cleanUp, launch, PATIENT } from './app';
import { calls, cancels, replies } from './trace';
import { driver, textOf } from './window';

afterEach(cleanUp);

const CHARGE = { amount: 4200, currency: 'EUR' } as const;
/** How long create_ticket takes when nobody stops it, as its server says. */
const TICKET_MS = 1200;

test('charge_card, stopped by the form between its commit point and its write, is charged all the same', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('charge_card');
  await window.fill({ ...CHARGE, commit_ms: 200, write_ms: 4000 });
  await window.stopAfter(1000);
  await window.call();
  await window.verdict('write-after-cancel');

  const [call, ...others] = calls(app.frames());
  const [cancel, ...more] = cancels(app.frames());
  expect([others, more]).toEqual([[], []]);
  expect(cancel?.params).toEqual({ requestId: call?.id, reason: 'user pressed stop' });
  expect(replies(app.frames(), call?.id)).toEqual([]);

  expect(await window.certainty()).toBe('proved');
  expect(await window.sentence()).toMatch(/landed [\d.]+ m?s after your cancel.*ledger/);
  expect([await window.state('stop'), await window.state('reply'), await window.state('effect')]).toEqual(['sent', 'none', 'after']);

  // Drawn: the line of the cancel, and right of it the mark of the write in the breach's colour.
  await expect.poll(async () => (await window.drawn('cancel')).tallest, PATIENT).toBeGreaterThan(20);
  const { x } = await window.drawn('cancel');
  await expect.poll(async () => (await window.drawn('breach', x + 6)).pixels, PATIENT).toBeGreaterThan(40);
  await expect.poll(() => window.timeline.getAttribute('aria-label'), PATIENT).toMatch(/1 call: 1 breach/);
  // Walked by keyboard: the call's marks in their order, each shown in the wire log.
  const marks = await window.walkMarks();
  const cancelled = marks.findIndex((mark) => mark.includes('notifications/cancelled'));
  expect(cancelled).toBeGreaterThanOrEqual(0);
  expect(marks.findIndex((mark) => mark.includes('◆') && mark.includes('ledger'))).toBeGreaterThan(cancelled);
  await app.close();
});

test.each(['button', 'Escape'] as const)(
  'charge_card, stopped by hand with the %s: one cancel, with the reason that was given',
  async (by) => {
    const app = await launch();
    const window = driver(app);
    await window.connected();
    await window.choose('charge_card');
    await window.fill({ ...CHARGE, commit_ms: 0, write_ms: 10_000 });
    await window.call();
    await window.reason('changed my mind');
    await window.stop(by);
    await window.verdict('write-after-cancel');

    const [call] = calls(app.frames());
    expect(cancels(app.frames()).map(({ params }) => params)).toEqual([{ requestId: call?.id, reason: 'changed my mind' }]);
    expect(await window.sentence()).toMatch(/after your cancel/);
    await app.close();
  },
);

test('create_ticket, stopped early, is not called stopped before its normal duration is over', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('create_ticket');
  await window.stopAfter(200);
  await window.call();
  await window.verdict('stopped');

  const [cancel] = cancels(app.frames());
  const history = await window.history();
  const stopped = history.at(-1);
  const verdicts = history.map(({ verdict }) => verdict);
  expect(verdicts.filter((verdict) => !['waiting', 'settling', 'quiet', 'stopped'].includes(verdict))).toEqual([]);
  expect(verdicts).toContain('settling');
  expect((stopped?.at ?? 0) - (cancel?.frame.t ?? 0) / 1e6).toBeGreaterThan(TICKET_MS - 200);
  expect(await window.sentence()).toContain('tickets');
  expect(await window.certainty()).toBe('inferred');
  expect(await window.state('effect')).toBe('not-seen');
  await app.close();
});

test('huge_search answers late, and the answer is kept and shown', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('huge_search');
  await window.stopAfter(500);
  await window.call();
  await window.verdict('late-result');

  const [call] = calls(app.frames());
  expect(cancels(app.frames())).toHaveLength(1);
  expect(replies(app.frames(), call?.id)).toHaveLength(1);
  expect(await window.state('reply')).toBe('late-result');
  expect(await window.sentence()).toMatch(/after your cancel/);
  await expect.poll(() => textOf(window.details), PATIENT).toContain('50: invoice');
  await app.close();
});

test('Stop after the reply sends nothing, and says so', async () => {
  const app = await launch();
  const window = driver(app);
  await window.connected();
  await window.choose('search_orders');
  // Waiting already: the button says "too late" for a moment only.
  const pressed = window.stopTooLate();
  await window.call();
  await pressed;
  await window.verdict('finished-first');
  expect(await window.state('stop')).toBe('too-late');
  expect(await window.sentence()).toMatch(/nothing was sent/i);
  await app.page
    .getByText(/nothing was sent/i)
    .first()
    .waitFor();
  expect(cancels(app.frames())).toEqual([]);
  await app.close();
});
