// `npm run --silent stopgap -- <words>`: the command line from a checkout, built first when the build is stale.
import path from 'node:path';
import { forwardSignals, run, script } from './processes.mjs';
import { checkNode, ensureBuild, ensurePackages, ROOT } from './setup.mjs';

await script(async () => {
  forwardSignals();
  checkNode();
  await ensurePackages();
  await ensureBuild('app');
  const args = [path.join(ROOT, 'dist/main/cli.js'), ...process.argv.slice(2)];
  return (await run(process.execPath, args, { stdout: 'inherit', stdin: true, foreground: true })).code;
});
