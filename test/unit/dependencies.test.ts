// Every package has its line in docs/dependencies.md and an exact version: what came in is known, and why.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const manifest: { dependencies: Record<string, string>; devDependencies: Record<string, string> } = JSON.parse(read('package.json'));

test('docs/dependencies.md has one line for each package, in order', () => {
  const documented = [...read('docs/dependencies.md').matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1]);
  expect(documented).toEqual([...Object.keys(manifest.dependencies).sort(), ...Object.keys(manifest.devDependencies).sort()]);
});

test('versions are exact', () => {
  const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))).toEqual([]);
});
