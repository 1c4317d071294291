// Builds the bench apart from the product, which ships none of it: every TypeScript file directly in this folder becomes
// a script in dist/bench (main.ts is the one that `npm run bench` runs; baselines that need a process or an Electron of
// their own lie beside it), and page/index.html, where there is one, the page of the baseline window in dist/bench/page.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { CHROME, NODE, node } from '../../vite.config';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(here, '../../dist/bench');
const page = path.join(here, 'page');
const scripts = readdirSync(here).filter((name) => name.endsWith('.ts') && !/(^vite\.config|\.test|\.testing)\.ts$/.test(name));
// What drives the windows stays a package: it finds its own files beside itself.
const scriptBuild = node(out, {}, 'es', NODE);
const input = Object.fromEntries(scripts.map((name) => [path.basename(name, '.ts'), path.join(here, name)]));

/** The set-up's scripts are not bundled: they find Electron and their own files from where they lie. */
const setUpInPlace: Plugin = {
  name: 'set-up-in-place',
  enforce: 'pre',
  resolveId: (source, importer) =>
    importer !== undefined && /\/scripts\/[\w-]+\.mjs$/.test(source)
      ? { id: pathToFileURL(path.resolve(path.dirname(importer), source)).href, external: true }
      : undefined,
};

export default defineConfig({
  root: existsSync(page) ? page : here,
  base: './',
  publicDir: false,
  plugins: [react(), setUpInPlace],
  environments: {
    client: { build: { outDir: path.join(out, 'page'), emptyOutDir: true, target: CHROME } },
    bench: {
      ...scriptBuild,
      build: {
        ...scriptBuild.build,
        rolldownOptions: {
          ...scriptBuild.build.rolldownOptions,
          input,
          external: [...scriptBuild.build.rolldownOptions.external, 'playwright-core'],
        },
      },
    },
  },
  builder: {
    async buildApp(builder) {
      // The scripts first: their folder is emptied, and the page lies inside it.
      const { bench, client } = builder.environments;
      if (bench) await builder.build(bench);
      if (client && existsSync(page)) await builder.build(client);
    },
  },
});
