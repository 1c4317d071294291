// From the start of the process to a window that can be used, against a window with nothing in it but React.
import path from 'node:path';
import { type Figure, figure, inTurns } from './figures';
import { ROOT } from './servers';
import { open } from './window';

const ROUNDS = 5;

export async function start(): Promise<Figure> {
  const measure = (what: string) => async (): Promise<number> => {
    const opened = await open(what);
    await opened.close();
    return opened.usableMs;
  };
  const product = measure(ROOT);
  const empty = measure(path.join(ROOT, 'dist/bench/emptyWindow.js'));
  await product();
  await empty();
  const measured = await inTurns(ROUNDS, product, empty);
  return figure({ name: 'start', ...measured, unit: 'ms', against: 'an empty Electron window with React', goal: { atMost: 1.2 } });
}
