import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { asar, setFuses, tarMember, unzip, zipMembers } from './archives.mjs';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'stopgap-archives-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

/** A tar archive of small files, as far as the reader looks at it. */
function tar(files: Readonly<Record<string, string>>): Buffer {
  const blocks = Object.entries(files).flatMap(([name, body]) => {
    const head = Buffer.alloc(512);
    head.write(name, 0);
    head.write(`${Buffer.byteLength(body).toString(8).padStart(11, '0')}\0`, 124);
    const padded = Buffer.alloc(Math.ceil(Buffer.byteLength(body) / 512) * 512);
    padded.write(body);
    return [head, padded];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

interface Packed {
  readonly name: string;
  readonly body: string;
  readonly method: 0 | 8;
  readonly mode?: number;
}

/** A zip archive, as far as the reader looks at it. */
function zip(files: readonly Packed[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, body, method, mode = 0o644 } of files) {
    const data = method === 8 ? zlib.deflateRawSync(body) : Buffer.from(body);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(zlib.crc32(body), 16);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(mode, 40);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, Buffer.from(name), data);
    directory.push(entry, Buffer.from(name));
    offset += local.length + name.length + data.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, ...directory, end]);
}

test('a member of a tar archive is found behind others, whole', () => {
  const archive = tar({ 'package/package.json': '{}', 'package/app.zip': 'x'.repeat(700), 'package/z': '' });
  expect(tarMember(archive, /\.zip$/).toString()).toBe('x'.repeat(700));
  expect(() => tarMember(archive, /\.exe$/)).toThrow('nothing that matches');
  expect(() => tarMember(archive.subarray(0, 1600), /\.zip$/)).toThrow('in the middle of package/app.zip');
});

test('a zip archive is unpacked below its prefix, with modes, without what is skipped', () => {
  const archive = zip([
    { name: 'Top/', body: '', method: 0 },
    { name: 'Top/run', body: 'stored', method: 0, mode: 0o755 },
    { name: 'Top/deep/er.txt', body: 'deflated '.repeat(100), method: 8 },
    { name: 'Top/resources/app.asar', body: 'theirs', method: 0 },
    { name: 'Elsewhere/file', body: 'no', method: 0 },
  ]);
  unzip(archive, folder, { prefix: 'Top/', skip: /^resources\// });
  expect(fs.readdirSync(folder, { recursive: true }).sort()).toEqual(['deep', path.join('deep', 'er.txt'), 'run']);
  expect(fs.readFileSync(path.join(folder, 'deep/er.txt'), 'utf8')).toBe('deflated '.repeat(100));
  expect(fs.statSync(path.join(folder, 'run')).mode & 0o100).toBe(process.platform === 'win32' ? 0 : 0o100);
});

test('a zip archive that lies is refused', () => {
  expect(() => unzip(zip([{ name: 'T/../../out', body: '', method: 0 }]), folder, { prefix: 'T/', skip: /^$/ })).toThrow(
    'outside its folder',
  );
  expect(() => zipMembers(Buffer.from('not a zip at all'))).toThrow('no central directory');
  const broken = zip([{ name: 'a', body: 'body', method: 0 }]);
  broken.write('BODY', broken.indexOf('body'));
  expect(() => zipMembers(broken)[0]?.read()).toThrow('does not match its CRC');
});

test('an asar archive starts with the sizes of its pickled header, and offsets count from its end', () => {
  const archive = asar({ 'a.txt': Buffer.from('first'), 'b.txt': Buffer.from('second') });
  const header = JSON.parse(archive.toString('utf8', 16, 16 + archive.readUInt32LE(12)));
  const base = 8 + archive.readUInt32LE(4);
  expect(header).toEqual({ files: { 'a.txt': { size: 5, offset: '0' }, 'b.txt': { size: 6, offset: '5' } } });
  expect(archive.subarray(base).toString()).toBe('firstsecond');
});

test('fuses are set by number, and one that is not there is an error', () => {
  const binary = Buffer.from('…dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\x01\x040000…', 'latin1');
  setFuses(binary, { 1: true, 3: true });
  expect(binary.toString('latin1')).toContain('\x01\x040101');
  expect(() => setFuses(binary, { 4: true })).toThrow('there is no fuse 4');
  expect(() => setFuses(Buffer.from('no wire'), {})).toThrow('no fuse wire');
});
