// One build for every process of the product: the page, the Electron shell with the host, the demo server and the
// command line (Node), and the preload script (the sandbox takes CommonJS only).
import { builtinModules } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const root = path.dirname(fileURLToPath(import.meta.url));
const at = (p: string) => path.resolve(root, p);
// The oldest runtime that the tests use (Electron 33: Chrome 130, Node 20.18); newer ones run the same output.
export const NODE = 'node20.18';
export const CHROME = 'chrome130';

/** The policy goes into built pages only: Vite's dev server needs inline scripts for React Refresh. */
const csp: Plugin = {
  name: 'csp',
  apply: 'build',
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: {
        'http-equiv': 'Content-Security-Policy',
        content:
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'",
      },
      injectTo: 'head-prepend',
    },
  ],
};

/** Packages with a binary of each platform: they stay in node_modules, and electron-builder.yml lets them through. */
export const WITH_BINARIES = /^libsql(?:\/|$)/;

/**
 * A build of code that runs in Node or in the preload sandbox: everything bundled but `electron`, Node's own modules and
 * packages with binaries. Whether a package is imported or required decides by itself which of its files is taken.
 */
export const node = (outDir: string, input: Record<string, string>, format: 'es' | 'cjs', target: string) => ({
  consumer: 'server' as const,
  resolve: { noExternal: true as const, conditions: ['node'] },
  build: {
    outDir: at(outDir),
    emptyOutDir: true,
    target,
    minify: false,
    sourcemap: true,
    copyPublicDir: false,
    rolldownOptions: {
      input,
      external: ['electron', /^node:/, ...builtinModules, WITH_BINARIES],
      output: { format, entryFileNames: format === 'cjs' ? '[name].cjs' : '[name].js' },
    },
  },
});

const main = {
  shell: at('main/shell/main.ts'),
  host: at('main/host/utility.ts'),
  demo: at('main/demo/server.ts'),
  cli: at('main/cli/main.ts'),
};

/**
 * Real processes and a real window on a machine that others use as well: what fails is tried again, and is told even
 * when it passes then. What is about verdicts (unit tests, the truth set) gets no second chance.
 */
const MORE_TRIES = 2;

export default defineConfig({
  root: at('renderer'),
  base: './',
  publicDir: false,
  plugins: [react(), csp],
  // Under Vitest these environments would make it bundle node_modules.
  environments: process.env['VITEST']
    ? {}
    : {
        // No warning about size: the page is read from the disk, not from a network.
        // Nothing inlined: the policy takes fonts from the page's own origin only.
        client: {
          build: {
            outDir: at('dist/renderer'),
            emptyOutDir: true,
            target: CHROME,
            sourcemap: true,
            chunkSizeWarningLimit: 4096,
            assetsInlineLimit: 0,
          },
        },
        main: node('dist/main', main, 'es', NODE),
        preload: node('dist/preload', { preload: at('main/shell/preload.ts') }, 'cjs', CHROME),
      },
  builder: {
    async buildApp(builder) {
      for (const environment of Object.values(builder.environments)) if (environment.name !== 'ssr') await builder.build(environment);
    },
  },
  server: { port: 5199, strictPort: true },
  test: {
    root,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          root,
          include: ['{app,main,renderer,scripts}/**/*.test.{ts,tsx}', 'test/unit/**/*.test.ts'],
          // A busy machine takes many times as long over a property as a quiet one.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'real',
          root,
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          retry: MORE_TRIES,
          // These wait more than they work.
          maxWorkers: 3,
        },
      },
      {
        extends: true,
        test: { name: 'truth', root, include: ['test/truth/**/*.test.ts'], testTimeout: 600_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          root,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 300_000,
          // Two windows at once: a person's hand and a server's work leave most of a processor idle.
          maxWorkers: 2,
          retry: MORE_TRIES,
        },
      },
    ],
  },
});
