// Makes `electron <folder>` work for the npm-hosted runtime, which comes without Electron's own default_app.asar. It is
// packed into that runtime by electron-runtime.mjs and runs inside Electron, never in Node.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { app } from 'electron';

const argv = process.argv.slice(1);
if (argv.some((word) => word === '--version' || word === '-v')) {
  console.log(`v${process.versions['electron']}`);
  process.exit(0);
}

/** @type {string[]} */
const preloaded = []; // Playwright starts Electron with `-r <its loader>` before the folder.
let target = '';
for (let i = 0; i < argv.length && target === ''; i++) {
  const word = argv[i] ?? '';
  if (word === '-r' || word === '--require') preloaded.push(argv[++i] ?? '');
  else if (word.startsWith('--app=')) target = word.slice('--app='.length);
  else if (!word.startsWith('-')) target = word;
}
if (target === '') {
  console.error('Expected a folder to run: electron <folder>');
  process.exit(1);
}

Object.defineProperty(process, 'defaultApp', { value: true, enumerable: true });
const folder = path.resolve(target);
const require = createRequire(path.join(folder, 'package.json'));
for (const module of preloaded) require(path.resolve(module));

// Electron's own default app calls these two; its public types leave them out.
const internals = /** @type {Electron.App & { setVersion(version: string): void, setAppPath(folder: string): void }} */ (app);
const manifestFile = path.join(folder, 'package.json');
if (fs.existsSync(manifestFile)) {
  const manifest = JSON.parse(fs.readFileSync(manifestFile, 'utf8'));
  if (manifest.version) internals.setVersion(manifest.version);
  app.setName(manifest.productName ?? manifest.name);
  internals.setAppPath(folder);
} else internals.setAppPath(path.dirname(folder));
await import(pathToFileURL(require.resolve(folder)).href);
