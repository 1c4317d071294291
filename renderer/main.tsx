// The window's composition root: makes the feed, the store and the actions, waits for the host's port, and mounts the app.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { PORT_MESSAGE } from '../app/contract/shell';
import { App } from './App';
import { createActions } from './actions';
import { bodies } from './bodies';
import { bridge } from './bridge';
import { runCommand } from './commands';
import { type Stopgap, StopgapContext } from './context';
import { Feed } from './feed';
import { inFlight } from './inFlight';
import { listenToKeys } from './keys';
import { layers } from './layers';
import { persist } from './store/persist';
import { createState } from './store/state';
import { wire } from './store/wire';
import { timelineController } from './timeline/TimelineController';
import './theme/tokens.css';
import './app.css';

const shell = bridge();
const feed = new Feed();
const store = createState();
const flight = inFlight();
const stopgap: Stopgap = {
  feed,
  bodies: bodies(feed),
  store,
  shell,
  layers: layers(),
  flight,
  actions: createActions(feed, store, shell, flight),
  timeline: timelineController(),
};

window.addEventListener('message', (event) => {
  const [port] = event.ports;
  if (event.source === window && event.data === PORT_MESSAGE && port) feed.attach(port);
});
wire(feed, store, shell);
persist(store, feed);
shell.on('command', (id) => runCommand(id, stopgap));
listenToKeys(window, stopgap);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <StopgapContext value={stopgap}>
      <App />
    </StopgapContext>
  </StrictMode>,
);
