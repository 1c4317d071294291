// The window's entry: waits for the host's port, and mounts the app.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { PORT_MESSAGE } from '../app/contract/shell';
import { App } from './App';
import { bridge } from './bridge';
import { compose } from './compose';
import { StopgapContext } from './context';
import './theme/tokens.css';
import './app.css';

const { stopgap } = compose(bridge());

window.addEventListener('message', (event) => {
  const [port] = event.ports;
  if (event.source === window && event.data === PORT_MESSAGE && port) stopgap.feed.attach(port);
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <StopgapContext value={stopgap}>
      <App />
    </StopgapContext>
  </StrictMode>,
);
