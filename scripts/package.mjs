// `npm run package [-- electron-builder's options]`: makes what people install, into release/. Without options it makes an
// unpacked folder, a tar.gz and a zip on Linux, which need no download; elsewhere what electron-builder.yml names.
import path from 'node:path';
import { electronVersion, obtainElectron } from './electron-runtime.mjs';
import { forwardSignals, run, SetupError, say, script } from './processes.mjs';
import { checkNode, ensureBuild, ensurePackages, ROOT } from './setup.mjs';
import { ensureSystem, whereIs } from './system-libraries.mjs';

const TRIAL = '--allow-test-runtime';

/** @param {import('./electron-runtime.mjs').Runtime} electron @param {boolean} trial */
function checkShippable(electron, trial) {
  if (electron.source !== 'npm-fallback') return;
  if (!trial) {
    throw new SetupError(
      `Only an official Electron is shipped, and there is only the one for tests. Set ELECTRON_MIRROR or ELECTRON_OVERRIDE_DIST_PATH, or add ${TRIAL} to try the packaging itself.`,
    );
  }
  say('packaging the runtime for tests, to try the packaging out: do not hand the result to anybody');
}

/** electron-builder would fetch a 7-Zip of its own; on Linux the system's does. */
const archiver = () => (process.platform === 'linux' ? { ELECTRON_BUILDER_7ZIP_PATH: whereIs('7za') } : {});

const DEFAULT_TARGETS = process.platform === 'linux' ? ['--linux', 'dir', 'tar.gz', 'zip'] : [];

await script(async () => {
  forwardSignals();
  checkNode();
  const words = process.argv.slice(2).filter((word) => word !== TRIAL);
  await ensurePackages();
  const electron = await obtainElectron();
  checkShippable(electron, process.argv.includes(TRIAL));
  await ensureSystem({ programs: ['7za'] });
  await ensureBuild('app');
  const runtime = [`-c.electronDist=${electron.dist}`, `-c.electronVersion=${electronVersion(electron.dist)}`];
  const builder = path.join(ROOT, 'node_modules/electron-builder/cli.js');
  const args = [builder, ...(words.length > 0 ? words : DEFAULT_TARGETS), ...runtime, '--publish', 'never'];
  const { code } = await run(process.execPath, args, { cwd: ROOT, env: archiver() });
  if (code !== 0) throw new SetupError(`electron-builder failed with code ${code}; what it says stands above.`);
  say(`done: see ${path.join(ROOT, 'release')}`);
  return 0;
});
