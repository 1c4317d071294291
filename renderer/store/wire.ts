// Carries what the host tells into the store, and applies what follows from it: the theme, the tab that was open, the
// first race. One direction only; requests go out through the actions.
import { NO_SERVER, type ServerStatus, type View } from '../../app/contract/host';
import { serverKey } from '../../app/contract/server';
import type { ShellBridge } from '../../app/contract/shell';
import type { Feed } from '../feed';
import { setTheme } from '../theme/theme';
import { restore } from './persist';
import type { State, Store, Toast } from './state';

let nextToast = 1;

/** Shows a line for a while; the same words again take the place of the first. */
export function toast(store: Store, level: Toast['level'], text: string): void {
  store.setState(({ toasts }) => ({
    toasts: [...toasts.filter((shown) => shown.text !== text), { id: nextToast++, level, text }].slice(-4),
  }));
}

const RUNNING: ReadonlySet<ServerStatus['state']> = new Set(['starting', 'connected', 'closing']);

/** What follows from another picture of the servers. The server of the last time is the first in focus. */
export function aboutServers(state: State, servers: readonly ServerStatus[]): Partial<State> {
  const { focus, settings, status: before } = state;
  const last = settings.lastServer && serverKey(settings.lastServer);
  // Those of the last time come one after the other: the one that was in focus need not be the first.
  const unchosen = focus === NO_SERVER.connection || before.connection === NO_SERVER.connection;
  const status =
    servers.find(({ connection }) => connection === focus) ??
    (unchosen ? servers.find(({ key }) => key === last) : undefined) ??
    servers.find(({ connection }) => connection === before.connection) ??
    servers.at(-1) ??
    NO_SERVER;
  return { servers, ...aboutStatus(state, status) };
}

/** What follows from another picture of the server in focus, or from another server in focus. */
function aboutStatus(state: State, status: ServerStatus): Partial<State> {
  const other = status.connection !== state.status.connection;
  const { tool, drafts } = other ? (state.shelf[status.connection] ?? { tool: state.tool, drafts: {} }) : state;
  const known = status.tools.length === 0 || status.tools.some(({ name }) => name === tool);
  return {
    status,
    startingSince: status.state === 'starting' ? (state.startingSince ?? performance.now()) : undefined,
    tool: known ? tool : firstTool(status),
    drafts,
    // No server has nothing of its own to keep: it is passed through when one server takes the place of another.
    ...(other && state.status.connection !== NO_SERVER.connection
      ? { shelf: { ...state.shelf, [state.status.connection]: { tool: state.tool, drafts: state.drafts } } }
      : {}),
  };
}

/** The demo begins with the race that the product is about. */
const firstTool = (status: ServerStatus): string | undefined =>
  (status.tools.find((tool) => status.spec?.kind === 'demo' && tool.name === 'charge_card') ?? status.tools[0])?.name;

/** A host that is gone has taken its servers with it, as far as anybody here can know. */
const withoutHost = (state: State): Partial<State> =>
  aboutServers(
    state,
    state.servers.map((server) => (RUNNING.has(server.state) ? { ...server, state: 'ended', pid: undefined } : server)),
  );

const aboutView = (view: View): Partial<State> => ({
  view,
  reading: undefined,
  call: undefined,
  frame: undefined,
  verified: undefined,
  follow: view.source === 'live',
});

/** @returns stops */
export function wire(feed: Feed, store: Store, shell: ShellBridge): () => void {
  const running = (): void => {
    feed.running = store.getState().servers.some(({ state }) => RUNNING.has(state)) && feed.link.state === 'ready';
  };
  const offs = [
    feed.on('link', (link) => {
      store.setState((state) => ({ link, ...(link.state === 'gone' ? withoutHost(state) : {}) }));
      running();
    }),
    feed.on('hello', ({ settings, servers, version, check }) => {
      store.setState((state) => ({
        version,
        settings,
        check,
        settled: true,
        ...(state.settled ? {} : { ...restore(settings.window), welcome: !settings.welcomeDismissed }),
      }));
      store.setState((state) => aboutServers(state, servers));
      running();
    }),
    feed.on('view', (view) => store.setState(aboutView(view))),
    feed.on('reading', (reading) => store.setState({ reading })),
    feed.on('servers', (servers) => {
      store.setState((state) => aboutServers(state, servers));
      running();
    }),
    feed.on('settings', (settings) => store.setState({ settings })),
    feed.on('lab', (lab) => store.setState({ lab })),
    feed.on('check', (check) => store.setState({ check })),
    feed.on('notice', ({ level, text }) => toast(store, level, text)),
    shell.on('host.ended', ({ code, wanted }) => {
      if (!wanted) feed.lost(`The session host ended unexpectedly (exit code ${code}). Everything recorded so far is in the trace file.`);
    }),
    store.subscribe((state, before) => {
      if (state.settings.theme !== before.settings.theme || (state.settled && !before.settled)) applyTheme(state, shell);
      if (state.settings.density !== before.settings.density) document.documentElement.dataset['density'] = state.settings.density;
    }),
  ];
  const dark = darkSystem();
  const follow = (): void => {
    if (store.getState().settings.theme === 'system') setTheme(dark.matches ? 'dark' : 'light');
  };
  dark.addEventListener('change', follow);
  document.documentElement.dataset['density'] = store.getState().settings.density;
  return () => {
    dark.removeEventListener('change', follow);
    for (const off of offs) off();
  };
}

/** `system` is resolved here and again whenever the system changes its mind. */
function applyTheme({ settings }: State, shell: ShellBridge): void {
  const { theme } = settings;
  setTheme(theme === 'system' ? (darkSystem().matches ? 'dark' : 'light') : theme);
  void shell.request('theme.set', { theme });
}

const darkSystem = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');
