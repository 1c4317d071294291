// @vitest-environment happy-dom
// What a server asks of a person before it lets anybody in: shown where it can be seen, and what can be done about it.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { AuthStatus } from '../../../app/contract/server';
import { FAKE_STATUS } from '../../fakeHost.testing';
import { type FakeWindow, openWindow } from '../../window.testing';

// A simulated page has no canvas; what stands in for the timeline shows what it is given for an empty one.
vi.mock('../../timeline/Timeline', () => ({ Timeline: ({ empty }: { readonly empty?: unknown }) => empty ?? null }));
vi.mock('../../timeline/Legend', () => ({ Legend: () => null }));
vi.mock('../../timeline/Overview', () => ({ Overview: () => null }));

let open: FakeWindow | undefined;
afterEach(() => {
  open?.close();
  open = undefined;
});

const PAGE = 'https://login.example/authorize?client_id=stopgap&state=abc';

const start = async (auth: AuthStatus, state: 'failed' | 'connected' = 'failed'): Promise<FakeWindow> => {
  open = await openWindow((host) => {
    host.status = { ...FAKE_STATUS, title: 'notes', state, auth, why: 'Expected the server to let us in, but it answered 401.' };
  });
  return open;
};

test('asked for: said in the middle of the empty timeline with the reason, and begun by a press', async () => {
  const window = await start({ state: 'needed', says: 'This server asks for an authorization.', address: undefined });
  expect(await screen.findByRole('heading', { name: 'notes asks for an authorization' })).toBeTruthy();
  expect(screen.getByText(/it answered 401/)).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Authorization of notes' })).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Authorize' }));
  await waitFor(() => expect(window.asked('server.authorize')).toEqual([{ connection: FAKE_STATUS.connection }]));
});

test('waited for: the address is text that can be copied, and waiting can be given up', async () => {
  const window = await start({ state: 'waiting', says: 'Waiting for your answer in the browser, at login.example.', address: PAGE });
  expect((await screen.findByText(PAGE)).tagName).toBe('SPAN');
  expect(screen.queryByRole('link')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(window.asked('server.unauthorize')).toEqual([{ connection: FAKE_STATUS.connection, forget: false }]));
});

test('failed: the step in words, with another try', async () => {
  await start({ state: 'failed', says: 'The authorization was refused in the browser. Nothing was granted.', address: undefined });
  expect(await screen.findByRole('heading', { name: 'notes was not authorized' })).toBeTruthy();
  expect(screen.getByText(/refused in the browser/).className).toContain('why');
  expect(screen.getByRole('button', { name: 'Authorize again' })).toBeTruthy();
});

test('asked for in addition, while connected: said above the timeline', async () => {
  await start({ state: 'needed', says: 'The server asks for the rights “write” in addition.', address: undefined }, 'connected');
  const banner = await screen.findByRole('region', { name: 'Authorization of notes' });
  expect(within(banner).getByText(/the rights “write” in addition/)).toBeTruthy();
  expect(within(banner).getByRole('button', { name: 'Authorize' })).toBeTruthy();
});

test('granted: nothing is in the way, and the menu can have it forgotten', async () => {
  const window = await start({ state: 'granted', says: 'Authorized.', address: undefined }, 'connected');
  await waitFor(() => expect(document.getElementById('server-menu')).toBeTruthy());
  expect(screen.queryByText(/authorization/i)).toBeNull();
  fireEvent.click(document.getElementById('server-menu') as HTMLElement);
  fireEvent.click(await screen.findByText('Forget the authorization'));
  await waitFor(() => expect(window.asked('server.unauthorize')).toEqual([{ connection: FAKE_STATUS.connection, forget: true }]));
});
