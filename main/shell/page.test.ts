import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fileOf, isInside, isTrusted, mediaType, PAGE } from './page';

const folder = path.resolve('/opt/stopgap/dist/renderer');

describe('fileOf', () => {
  test.each([
    ['app://stopgap/index.html', 'index.html'],
    ['app://stopgap/assets/index-1a2b.js?v=1#top', 'assets/index-1a2b.js'],
    ['app://stopgap/assets/a%20b.css', 'assets/a b.css'],
    ['app://stopgap/assets/../index.html', 'index.html'],
    // Above the root there is only the root, as in any address.
    ['app://stopgap/../../main/shell.js', 'main/shell.js'],
    ['app://stopgap/%2e%2e/%2e%2e/etc/passwd', 'etc/passwd'],
    ['app://stopgap/..%2f..%2fmain%2fshell.js', 'main/shell.js'],
  ])('%s is a file of the page', (address, file) => {
    expect(fileOf(address, folder)).toBe(path.join(folder, file));
  });

  test.each([
    'app://stopgap/',
    'app://stopgap',
    'app://elsewhere/index.html',
    'app://someone@stopgap/index.html',
    'app://stopgap:81/index.html',
    'https://stopgap/index.html',
    'file:///etc/passwd',
    'app://stopgap/assets/%00.js',
    'app://stopgap/..%5c..%5cmain%5cshell.js',
    'app://stopgap/%E0%A4%A',
    'not an address',
  ])('%s is none', (address) => {
    expect(fileOf(address, folder)).toBeUndefined();
  });

  test('whatever the address, the file lies below the folder', () => {
    const pieces = ['..', '.', '', '%2e%2e', '%2f', '..%2f', 'a', '%252e%252e'];
    for (const one of pieces)
      for (const two of pieces)
        for (const three of pieces) {
          const file = fileOf(`app://stopgap/${one}/${two}/${three}`, folder);
          if (file !== undefined) expect(file.startsWith(folder + path.sep)).toBe(true);
        }
  });
});

test('a folder with the same beginning is another folder', () => {
  expect(isInside('/data/traces-old/a.ndjson', '/data/traces')).toBe(false);
  expect(isInside('/data/traces/..a.ndjson', '/data/traces')).toBe(true);
  expect(isInside('/data/traces/../settings.json', '/data/traces')).toBe(false);
  expect(isInside('/data/traces', '/data/traces')).toBe(false);
});

test('scripts and styles have the types without which Chromium refuses them', () => {
  expect(['a.html', 'a.JS', 'a.css', 'a.woff2', 'a.unknown'].map(mediaType)).toEqual([
    'text/html; charset=utf-8',
    'text/javascript; charset=utf-8',
    'text/css; charset=utf-8',
    'font/woff2',
    'application/octet-stream',
  ]);
});

test('only the top frame with our page is trusted', () => {
  expect(isTrusted({ url: PAGE, top: true })).toBe(true);
  expect(isTrusted({ url: `${PAGE}#calls`, top: true })).toBe(true);
  expect(isTrusted({ url: PAGE, top: false })).toBe(false);
  expect(isTrusted({ url: 'app://stopgap/other.html', top: true })).toBe(false);
  expect(isTrusted({ url: 'app://stopgap.example/index.html', top: true })).toBe(false);
  expect(isTrusted({ url: 'https://stopgap/index.html', top: true })).toBe(false);
  expect(isTrusted({ url: '', top: true })).toBe(false);
  expect(isTrusted(undefined)).toBe(false);
});
