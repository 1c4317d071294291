import { expect, test } from 'vitest';
import { PAGE } from './page';
import { answer, type Handlers } from './requests';

const ours = { url: PAGE, top: true };

/** Handlers that note what reached them. */
function recording(): { readonly handlers: Handlers; readonly reached: unknown[] } {
  const reached: unknown[] = [];
  const handlers: Handlers = {
    'dialog.folder': async (params) => {
      reached.push(params);
      return '/srv/shop';
    },
    'dialog.trace': () => undefined,
    'dialog.config': () => undefined,
    'dialog.file': () => undefined,
    'show.trace': () => {
      throw new Error('Expected a file in the traces folder.');
    },
    'theme.set': (params) => {
      reached.push(params);
      return undefined;
    },
    'host.restart': () => undefined,
  };
  return { handlers, reached };
}

test('a request of our page is answered by its handler', async () => {
  const { handlers, reached } = recording();
  expect(await answer(handlers, ours, 'dialog.folder', { title: 'Folder to watch' })).toEqual({ ok: true, result: '/srv/shop' });
  expect(await answer(handlers, ours, 'theme.set', { theme: 'dark' })).toEqual({ ok: true, result: undefined });
  expect(reached).toEqual([{ title: 'Folder to watch' }, { theme: 'dark' }]);
});

test.each([
  ['another page', { url: 'https://example.com/', top: true }],
  ['a frame in our page', { url: PAGE, top: false }],
  ['a frame that is gone', undefined],
])('%s is refused before anything is looked at', async (_, sender) => {
  const { handlers, reached } = recording();
  const refused = await answer(handlers, sender, 'theme.set', { theme: 'dark' });
  expect(refused).toMatchObject({ ok: false, error: expect.stringContaining("Stopgap's own page") });
  expect(reached).toEqual([]);
});

test.each([['quit'], ['toString'], ['__proto__'], [undefined], [{ name: 'theme.set' }]])('%j is not a request', async (name) => {
  const refused = await answer(recording().handlers, ours, name, {});
  expect(refused).toMatchObject({ ok: false, error: expect.stringContaining('Expected one of dialog.folder, dialog.trace') });
});

test('parameters that do not fit are refused with their place and never reach the handler', async () => {
  const { handlers, reached } = recording();
  const refused = await answer(handlers, ours, 'theme.set', { theme: 'pink' });
  expect(refused).toMatchObject({ ok: false, error: expect.stringMatching(/^The parameters of theme\.set were not as expected: theme: /) });
  expect(await answer(handlers, ours, 'dialog.folder', undefined)).toMatchObject({ ok: false });
  expect(reached).toEqual([]);
});

test('what a handler throws is answered in its words', async () => {
  const refused = await answer(recording().handlers, ours, 'show.trace', { path: '/etc/passwd' });
  expect(refused).toEqual({ ok: false, error: 'Expected a file in the traces folder.' });
});
