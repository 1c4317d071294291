// The window's parts, made once and put together; what main.tsx mounts and what a test drives.
import type { ShellBridge } from '../app/contract/shell';
import { createActions } from './actions';
import { bodies } from './bodies';
import { runCommand } from './commands';
import type { Stopgap } from './context';
import { Feed, type FeedEnvironment } from './feed';
import { inFlight } from './inFlight';
import { listenToKeys } from './keys';
import { layers } from './layers';
import { searching } from './searching';
import { persist } from './store/persist';
import { createState } from './store/state';
import { wire } from './store/wire';
import { timelineController } from './timeline/TimelineController';

export interface Composed {
  readonly stopgap: Stopgap;
  /** Lets go of the window, the shell and the store. */
  stop(): void;
}

export function compose(shell: ShellBridge, environment?: FeedEnvironment): Composed {
  const feed = new Feed(environment);
  const store = createState();
  const flight = inFlight();
  const stopgap: Stopgap = {
    feed,
    bodies: bodies(feed),
    searching: searching(feed),
    store,
    shell,
    layers: layers(),
    flight,
    actions: createActions(feed, store, shell, flight),
    timeline: timelineController(),
  };
  const offs = [
    wire(feed, store, shell),
    persist(store, feed),
    store.subscribe(({ filter }, before) => {
      if (filter !== before.filter) stopgap.searching.look(filter);
    }),
    shell.on('command', (id) => runCommand(id, stopgap)),
    listenToKeys(window, stopgap),
  ];
  return {
    stopgap,
    stop() {
      for (const off of offs) off();
    },
  };
}
