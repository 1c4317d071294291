// `npm run bench -- [NAME…] [--json]`: builds the product and the bench, then runs the bench with the same words. It starts
// windows of its own, so where there is no display the whole of it runs under Xvfb.
import path from 'node:path';
import { endStragglers, forwardSignals, run, script } from './processes.mjs';
import { checkNode, ensureBuild, ensurePackages, ensureRunnableElectron, ROOT } from './setup.mjs';
import { withDisplay } from './system-libraries.mjs';

await script(async () => {
  forwardSignals();
  checkNode();
  await ensurePackages();
  await ensureRunnableElectron({ display: true });
  await ensureBuild('app');
  await ensureBuild('bench');
  const { command, args } = withDisplay(process.execPath, [path.join(ROOT, 'dist/bench/main.js'), ...process.argv.slice(2)]);
  const { code } = await run(command, args, { cwd: ROOT, stdout: 'inherit' });
  endStragglers();
  return code;
});
