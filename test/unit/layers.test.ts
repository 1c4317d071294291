// The shape of the house, held by walking every import of the sources: the mind (app/) depends on nothing but itself,
// downwards; the host (main/) and the window (renderer/) know the mind and never each other; Electron stays in main/shell.
// The compiler's project references hold some of this too, but they say nothing of layers inside app/, nor of packages.
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** The layers of app/, lowest first: each may import itself and what stands before it. */
const LAYERS = ['base', 'wire', 'trace', 'evidence', 'verdict', 'layout', 'scenario', 'report', 'contract'];
/** The only packages that the mind may use: schemas are part of its contracts, and scenario files are YAML. */
const APP_PACKAGES = ['yaml', 'zod'];

interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** Every module that a source names: imports, re-exports, dynamic imports, `import('…')` types and `require('…')`. */
function importsOf(file: string, source: string): Import[] {
  const { program, errors } = parseSync(file, source);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const found: Import[] = [];
  visit(program, (node) => {
    const named = node['type'] === 'CallExpression' ? requiredBy(node) : node['source'];
    if (!isNode(named) || typeof named['value'] !== 'string' || typeof named['start'] !== 'number') return;
    found.push({ specifier: named['value'], line: source.slice(0, named['start']).split('\n').length });
  });
  return found;
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

function requiredBy(call: Node): unknown {
  const { callee, arguments: args } = call;
  return isNode(callee) && callee['name'] === 'require' && Array.isArray(args) ? args[0] : undefined;
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (isNode(value)) {
    see(value);
    for (const child of Object.values(value)) visit(child, see);
  }
}

/** What the rules hold against a file's imports, one line each: where, what, and which rule. */
function offences(file: string, source: string): string[] {
  return importsOf(file, source).flatMap(({ specifier, line }) => {
    const rule = specifier.startsWith('.') ? againstFile(file, inside(file, specifier)) : againstPackage(file, specifier);
    return rule === undefined ? [] : [`${file}:${line}: '${specifier}': ${rule}`];
  });
}

const inside = (file: string, specifier: string): string => path.posix.join(path.posix.dirname(file), specifier);

const under = (file: string, folder: string): boolean => file.startsWith(`${folder}/`);

/** The rule that forbids one file of ours to import another. */
function againstFile(file: string, target: string): string | undefined {
  if (/\.[cm]?[jt]sx?$/.test(target)) return 'relative imports carry no file extension';
  if (under(file, 'app')) return under(target, 'app') ? againstLayer(file, target) : 'app/ imports nothing but itself';
  if (under(file, 'main') && !under(target, 'main') && !under(target, 'app')) return 'main/ imports itself and app/ only';
  if (under(file, 'renderer') && !['renderer', 'app', 'assets'].some((folder) => under(target, folder)))
    return 'renderer/ imports itself, app/ and assets/ only';
  if (under(target, 'main/shell') && !under(file, 'main/shell')) return 'main/shell is the outermost part of main/: nothing imports it';
  if (/^renderer\/timeline\/painter\b/.test(file) && under(target, 'app/trace')) return 'the painter never sees the trace';
  return undefined;
}

function againstLayer(file: string, target: string): string | undefined {
  const [from = '', to = ''] = [file, target].map((at) => at.split('/')[1]);
  if (!LAYERS.includes(from)) return `app/${from} is none of the layers ${LAYERS.join(', ')}`;
  if (!LAYERS.includes(to)) return `app/${to} is none of the layers ${LAYERS.join(', ')}`;
  if (LAYERS.indexOf(to) > LAYERS.indexOf(from)) return `imports inside app/ go downwards only: ${LAYERS.join(' <- ')}`;
  return undefined;
}

/** The rule that forbids a file of ours to import a package or one of Node's own modules. */
function againstPackage(file: string, specifier: string): string | undefined {
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (name === 'electron') return under(file, 'main/shell') ? undefined : 'electron appears in main/shell only';
  if (under(file, 'app'))
    return APP_PACKAGES.includes(name) ? undefined : `app/ uses no package but ${APP_PACKAGES.join(', ')}, and nothing of Node`;
  if (under(file, 'renderer')) return isBuiltin(specifier) ? 'renderer/ has no Node' : undefined;
  if (/^(react|react-dom|zustand)$/.test(name)) return 'React and its store belong to renderer/';
  return undefined;
}

/** The product's own sources; tests and their helpers may reach further, and are not shipped. */
function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const at = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return sources(at);
    return /\.tsx?$/.test(entry.name) && !/\.(test|testing)\.tsx?$/.test(entry.name) ? [at] : [];
  });
}

const shipped = ['app', 'main', 'renderer'].flatMap(sources);

test('every import of the sources keeps to the layers', () => {
  expect(shipped.length).toBeGreaterThan(0);
  expect(shipped.flatMap((file) => offences(file, readFileSync(path.join(root, file), 'utf8')))).toEqual([]);
});

test.each([
  ['app/wire/frame.ts', "import '../base/time';", undefined],
  ['app/wire/frame.ts', "import { z } from 'zod';", undefined],
  ['app/wire/frame.ts', "import type { Trace } from '../trace/trace';", 'downwards only'],
  ['app/wire/frame.ts', "export * from '../trace/trace';", 'downwards only'],
  ['app/wire/frame.ts', "type T = import('../trace/trace').Trace;", 'downwards only'],
  ['app/verdict/rules/lost.ts', "import '../../evidence/probe';", undefined],
  ['app/wire/frame.ts', "import '../tools/a';", 'none of the layers'],
  ['app/base/time.ts', "import fs from 'node:fs';", 'nothing of Node'],
  ['app/base/time.ts', "import 'react';", 'no package but'],
  ['app/contract/host.ts', "import '../../main/host/session';", 'nothing but itself'],
  ['main/host/session.ts', "import '../../app/trace/trace';", undefined],
  ['main/host/session.ts', "import '../../renderer/feed';", 'itself and app/ only'],
  ['main/host/session.ts', "await import('electron');", 'main/shell only'],
  ['main/host/session.ts', "const e = require('electron/main');", 'main/shell only'],
  ['main/host/session.ts', "import '../shell/main';", 'nothing imports it'],
  ['main/shell/main.ts', "import { app } from 'electron';", undefined],
  ['main/cli/main.ts', "import 'react';", 'belong to renderer/'],
  ['renderer/feed.ts', "import '../app/trace/trace.js';", 'no file extension'],
  ['renderer/feed.ts', "import '../main/host/session';", 'itself, app/ and assets/ only'],
  ['renderer/feed.ts', "import 'node:path';", 'has no Node'],
  ['renderer/feed.ts', "import './theme/tokens.css';", undefined],
  ['renderer/timeline/painter.ts', "import '../../app/trace/trace';", 'never sees the trace'],
])('%s: %s', (file, source, rule) => {
  const found = offences(file, `// a first line\n${source}`);
  expect(found).toEqual(rule === undefined ? [] : [expect.stringContaining(rule)]);
  if (rule !== undefined) expect(found[0]).toContain(`${file}:2: `);
});
