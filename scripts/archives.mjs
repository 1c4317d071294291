// Just enough of tar, zip, asar and Electron's fuse wire to unpack one pinned archive with nothing but Node: the
// set-up runs where neither `unzip` nor any package can be counted on. The archive's bytes are checked against a
// pinned SHA-512 before they come here, so these readers guard against surprises in the format, not against malice.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';

const TAR_BLOCK = 512;

/**
 * The body of the first member of an (unpacked) tar archive whose name matches.
 * @param {Buffer} tar
 * @param {RegExp} wanted
 * @returns {Buffer} a view into `tar`, not a copy
 * @throws {Error} when there is no such member, or when it is cut short
 */
export function tarMember(tar, wanted) {
  for (let at = 0; at + TAR_BLOCK <= tar.length; ) {
    const name = text(tar, at, 100);
    if (name === '') break;
    const size = Number.parseInt(text(tar, at + 124, 12).trim(), 8);
    if (!Number.isSafeInteger(size)) throw new Error(`The tar archive gives no readable size for ${name}.`);
    const body = at + TAR_BLOCK;
    if (wanted.test(name)) {
      if (body + size > tar.length) throw new Error(`The tar archive ends in the middle of ${name}.`);
      return tar.subarray(body, body + size);
    }
    at = body + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  throw new Error(`The tar archive holds nothing that matches ${wanted}.`);
}

/** @param {Buffer} bytes @param {number} at @param {number} length */
function text(bytes, at, length) {
  const end = bytes.indexOf(0, at);
  return bytes.toString('utf8', at, end >= 0 && end < at + length ? end : at + length);
}

/**
 * @typedef {object} ZipMember
 * @property {string} name as stored; folders end in `/`
 * @property {number} mode permission bits, 0 when the archive was not made on Unix
 * @property {() => Buffer} read unpacks the member and checks its CRC
 */

/**
 * The members of a zip archive, in the order of its central directory. Stored and deflated members, no ZIP64.
 * @param {Buffer} zip
 * @returns {ZipMember[]}
 * @throws {Error} when this is not such an archive
 */
export function zipMembers(zip) {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0 || end + 22 > zip.length) throw new Error('Expected a zip archive, found no central directory in it.');
  const count = zip.readUInt16LE(end + 10);
  let at = zip.readUInt32LE(end + 16);
  /** @type {ZipMember[]} */
  const members = [];
  for (let i = 0; i < count; i++) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`The zip archive's directory is broken at entry ${i}.`);
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const entry = {
      name,
      method: zip.readUInt16LE(at + 10),
      crc: zip.readUInt32LE(at + 16),
      packed: zip.readUInt32LE(at + 20),
      header: zip.readUInt32LE(at + 42),
    };
    members.push({ name, mode: zip.readUInt16LE(at + 40) & 0o777, read: () => unpack(zip, entry) });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return members;
}

/** @param {Buffer} zip @param {{ name: string, method: number, crc: number, packed: number, header: number }} entry */
function unpack(zip, { name, method, crc, packed, header }) {
  const from = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
  const raw = zip.subarray(from, from + packed);
  if (method !== 0 && method !== 8) throw new Error(`${name} is packed by method ${method}; expected 0 (stored) or 8 (deflated).`);
  const data = method === 0 ? raw : zlib.inflateRawSync(raw, { maxOutputLength: 2 ** 30 });
  if (zlib.crc32(data) !== crc) throw new Error(`${name} does not match its CRC in the zip archive.`);
  return data;
}

/**
 * Writes the members under `prefix` (which is cut off) into a folder, leaving out what `skip` matches.
 * @param {Buffer} zip
 * @param {string} folder
 * @param {{ prefix: string, skip: RegExp }} options `skip` is matched against the name without its prefix
 * @throws {Error} when a name would land outside the folder
 */
export function unzip(zip, folder, { prefix, skip }) {
  for (const member of zipMembers(zip)) {
    if (!member.name.startsWith(prefix) || member.name.endsWith('/')) continue;
    const name = member.name.slice(prefix.length);
    if (skip.test(name)) continue;
    const target = path.join(folder, name);
    if (!target.startsWith(folder + path.sep)) throw new Error(`The zip archive would write outside its folder: ${member.name}.`);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, member.read(), { mode: member.mode || 0o644 });
  }
}

/**
 * An asar archive of a flat list of files: a pickled JSON header, then the bodies one after another.
 * @param {Readonly<Record<string, Buffer>>} files
 * @returns {Buffer}
 */
export function asar(files) {
  /** @type {Record<string, { size: number, offset: string }>} */
  const entries = {};
  let offset = 0;
  for (const [name, body] of Object.entries(files)) {
    entries[name] = { size: body.length, offset: String(offset) };
    offset += body.length;
  }
  const json = Buffer.from(JSON.stringify({ files: entries }));
  const padded = Math.ceil(json.length / 4) * 4;
  const head = Buffer.alloc(16 + padded);
  head.writeUInt32LE(4, 0);
  head.writeUInt32LE(padded + 8, 4);
  head.writeUInt32LE(padded + 4, 8);
  head.writeUInt32LE(json.length, 12);
  json.copy(head, 16);
  return Buffer.concat([head, ...Object.values(files)]);
}

const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

/**
 * Sets fuses in the bytes of an Electron binary: after a sentinel come a version, a count, and one ASCII `0` or `1` each.
 * @param {Buffer} binary changed in place
 * @param {Readonly<Record<number, boolean>>} wanted by the fuse's number (`FuseV1Options` of @electron/fuses)
 * @throws {Error} when there is no fuse wire of version 1, or a fuse is not on it
 */
export function setFuses(binary, wanted) {
  const at = binary.indexOf(FUSE_SENTINEL);
  const wire = at + FUSE_SENTINEL.length;
  if (at < 0 || binary[wire] !== 1) throw new Error('The Electron binary has no fuse wire of version 1.');
  const count = binary[wire + 1] ?? 0;
  for (const [fuse, on] of Object.entries(wanted)) {
    if (Number(fuse) >= count) throw new Error(`The Electron binary has ${count} fuses; there is no fuse ${fuse}.`);
    binary[wire + 2 + Number(fuse)] = (on ? '1' : '0').charCodeAt(0);
  }
}
