import { expect, test } from 'vitest';
import { placeBeside } from './Welcome';

const WINDOW = { width: 1280, height: 800 };

test('a step stands beside its control and inside the window', () => {
  const stop = placeBeside('bottom', { left: 680, right: 900, top: 90, bottom: 130 }, WINDOW);
  expect([stop.left, stop.top]).toEqual([630, 142]);
  const call = placeBeside('right', { left: 12, right: 220, top: 690, bottom: 720 }, WINDOW);
  expect([call.left, call.top <= WINDOW.height - 158]).toEqual([232, true]);
  const details = placeBeside('left', { left: 100, right: 400, top: 40, bottom: 780 }, { width: 400, height: 300 });
  expect([details.left, details.top >= 8]).toEqual([8, true]);
});
