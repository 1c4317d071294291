// The whole window over a fake host and a fake shell, for tests in a simulated page. Canvas and layout are not simulated:
// lists draw no rows; what is tested here is words, roles, keys and what is asked of the host.
import { cleanup, configure, render } from '@testing-library/react';
import { createElement } from 'react';
import type { ShellBridge, ShellRequest, ShellResults } from '../app/contract/shell';
import { App } from './App';
import { type Composed, compose } from './compose';
import { StopgapContext } from './context';
import { FakeHost, until } from './fakeHost.testing';

// A busy machine renders a dialog in seconds; only a failing test waits so long.
configure({ asyncUtilTimeout: 30_000 });

export interface FakeShell extends ShellBridge {
  readonly asked: { readonly request: ShellRequest; readonly params: unknown }[];
  /** What a test wants answered; nothing is, else. */
  readonly answers: Partial<ShellResults>;
  emit(event: string, payload: unknown): void;
}

export function fakeShell(): FakeShell {
  const asked: FakeShell['asked'] = [];
  const answers: Partial<ShellResults> = {};
  const listeners = new Map<string, Set<(payload: never) => void>>();
  return {
    platform: 'linux',
    pathOf: (file) => `/dropped/${(file as File).name}`,
    asked,
    answers,
    request: async (request, params) => {
      asked.push({ request, params });
      return answers[request] as never;
    },
    on(event, listener) {
      const set = listeners.get(event) ?? new Set();
      listeners.set(event, set);
      set.add(listener);
      return () => set.delete(listener);
    },
    emit(event, payload) {
      for (const listener of listeners.get(event) ?? []) listener(payload as never);
    },
  };
}

export interface FakeWindow extends Composed {
  readonly host: FakeHost;
  readonly shell: FakeShell;
  /** Requests of one kind that reached the host. */
  asked(request: string): readonly unknown[];
  close(): void;
}

/** Opens the window and waits until the host's hello is here. */
export async function openWindow(prepare: (host: FakeHost) => void = () => undefined): Promise<FakeWindow> {
  const host = new FakeHost();
  prepare(host);
  const shell = fakeShell();
  const composed = compose(shell, { frame: (callback) => setTimeout(callback, 0), clock: () => performance.now() });
  composed.stopgap.feed.attach(host.port);
  render(createElement(StopgapContext, { value: composed.stopgap }, createElement(App)));
  await until(() => composed.stopgap.store.getState().settled, 'the hello');
  return {
    ...composed,
    host,
    shell,
    asked: (request) => host.asked.filter((entry) => entry.request === request).map(({ params }) => params),
    close() {
      cleanup();
      composed.stop();
      composed.stopgap.feed.lost('the test is over');
      host.close();
    },
  };
}
