// `npm start`: from a fresh clone to the window, connected to the demo server. Where there is no display, the demo race
// is run without a window and told as text.
import path from 'node:path';
import { electronArgs } from './electron-runtime.mjs';
import { forwardSignals, run, say, script } from './processes.mjs';
import { checkNode, ensureBuild, ensurePackages, ensureRunnableElectron, ROOT } from './setup.mjs';
import { hasDisplay } from './system-libraries.mjs';

/** @param {readonly string[]} args for the app */
async function startWindow(args) {
  const electron = await ensureRunnableElectron({ display: false });
  await ensureBuild('app');
  const switches = electronArgs();
  if (switches.includes('--no-sandbox')) say("starting without Chromium's sandbox, because root cannot use it");
  say('opening the window');
  const { code } = await run(electron.path, [...switches, ROOT, ...args], { stdout: 'inherit', stdin: true, foreground: true });
  return code;
}

async function raceAsText() {
  await ensureBuild('app');
  say('there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): running the demo race without a window');
  const cli = path.join(ROOT, 'dist/main/cli.js');
  const { code } = await run(process.execPath, [cli, 'demo-race'], { stdout: 'inherit', stdin: true, foreground: true });
  say('for the window, run `npm start` where there is a display, or `xvfb-run -a npm start` (needs the packages xvfb and xauth)');
  return code;
}

await script(async () => {
  forwardSignals();
  checkNode();
  await ensurePackages();
  return hasDisplay() ? startWindow(process.argv.slice(2)) : raceAsText();
});
