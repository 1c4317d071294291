// Five thousand progress notifications: until the last one has been painted in the real window, against the SDK's client
// that only counts its callbacks. Both begin when the call is made; the server sends as fast as it can.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { type Figure, figure, inTurns } from './figures';
import { ROOT, server } from './servers';
import { open } from './window';

const COUNT = 5000;
const ROUNDS = 5;

export async function progress5000(): Promise<Figure> {
  const { command, args } = server('flood');
  const { page, close } = await open(ROOT, { lastServer: { kind: 'stdio', command, args, env: {}, watch: [] } });
  await page.getByRole('button', { name: /^Call flood/ }).waitFor({ timeout: 60_000 });

  const painted = (): Promise<number> =>
    page.evaluate(async (count) => {
      const canvas = document.querySelector<HTMLElement>('[data-painted]');
      const call = [...document.querySelectorAll('button')].find((button) => /^Call flood/.test(button.textContent ?? ''));
      if (!canvas || !call) throw new Error('expected the timeline and the Call button in the window');
      const before = Number(canvas.dataset['painted']);
      const since = performance.now();
      call.click();
      // The request, its act, the notifications and the reply.
      while (Number(canvas.dataset['painted']) < before + count + 2) await new Promise((resolve) => requestAnimationFrame(resolve));
      return performance.now() - since;
    }, COUNT);

  let lost = 0;
  const counted = async (): Promise<number> => {
    const client = new Client({ name: 'bench', version: '1' });
    await client.connect(new StdioClientTransport({ command, args }));
    await client.listTools();
    let seen = 0;
    let last = 0;
    const since = performance.now();
    const onprogress = (): void => {
      seen++;
      last = performance.now();
    };
    await client.callTool({ name: 'flood', arguments: { count: COUNT } }, undefined, { onprogress });
    lost = Math.max(lost, COUNT - seen);
    await client.close();
    return last - since;
  };

  await painted();
  const measured = await inTurns(ROUNDS, painted, counted);
  await close();
  return figure({
    name: 'progress-5000',
    ...measured,
    unit: 'ms',
    against: 'the bare SDK client counting its callbacks, without a window',
    goal: { atMost: 1.5 },
    remark: `the window painted all ${COUNT}; the client lost up to ${lost} of its callbacks`,
  });
}
