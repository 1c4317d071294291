// The least that an Electron program with a React page can be: the baseline for how long ours takes to start.
import path from 'node:path';
import { app, BrowserWindow } from 'electron';

void app.whenReady().then(async () => {
  const window = new BrowserWindow({ width: 1280, height: 800 });
  await window.loadFile(path.join(import.meta.dirname, 'page/index.html'));
});
app.on('window-all-closed', () => app.quit());
