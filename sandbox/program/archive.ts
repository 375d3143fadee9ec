import type { ProgramFile } from './program.ts';

/** `notKept`: names of entries that are not plain files or have no plain path. */
export interface Unpacked {
  files: ProgramFile[];
  notKept: string[];
}

const BLOCK = 512;
const NAME_MAX_BYTES = 100;
const LONG_NAME = '././@LongLink';

/** Packs files, and folders with short names, into an archive in the format of GNU `tar`. */
export function packFiles(files: readonly ProgramFile[], folders: readonly string[] = []): Buffer {
  const made = folders.flatMap((path) => entry('5', Buffer.from(`${path}/`), Buffer.alloc(0), 0o755));
  const blocks = files.flatMap(({ path, content, isExecutable }) => {
    const name = Buffer.from(path);
    const long = name.length > NAME_MAX_BYTES ? entry('L', Buffer.from(LONG_NAME), Buffer.concat([name, Buffer.alloc(1)]), 0o644) : [];
    return [...long, ...entry('0', name.subarray(0, NAME_MAX_BYTES), content, isExecutable ? 0o755 : 0o644)];
  });
  return Buffer.concat([...made, ...blocks, Buffer.alloc(2 * BLOCK)]);
}

/**
 * Reads the plain files of an untrusted tar archive. A hard link becomes a copy. Undefined if the
 * archive is invalid or incomplete.
 */
export function unpackFiles(archive: Buffer): Unpacked | undefined {
  const files = new Map<string, ProgramFile>();
  const notKept: string[] = [];
  let longName: Buffer | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header[0] === 0) return { files: [...files.values()], notKept };
    const size = readOctal(header, 124, 12);
    const end = at + BLOCK + size;
    if (!(size >= 0) || readOctal(header, 148, 8) !== checksumOf(header) || end > archive.length) return undefined;
    const body = archive.subarray(at + BLOCK, end);
    at = end + paddingOf(size);

    const type = String.fromCharCode(header[156]!);
    if (type === 'L' || type === 'x') {
      longName = type === 'L' ? untilNul(body) : (paxPath(body) ?? longName);
      continue;
    }
    const name = longName ?? shortName(header);
    longName = undefined;
    if (type === '5' || type === 'g') continue;
    const path = plainPath(name);
    const linked = type === '1' ? files.get(plainPath(untilNul(header.subarray(157, 257))) ?? '') : undefined;
    if (linked && path !== undefined) files.set(path, { ...linked, path });
    else if ((type === '0' || type === '\0') && path !== undefined)
      files.set(path, { path, content: body, isExecutable: (readOctal(header, 100, 8) & 0o100) !== 0 });
    else notKept.push(name.toString().replace(/^\.\//, ''));
  }
  return undefined;
}

function entry(type: string, name: Buffer, content: Buffer, mode: number): Buffer[] {
  const header = Buffer.alloc(BLOCK);
  name.copy(header);
  header.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0${octal(content.length, 11)}\0${octal(0, 11)}\0`, 100);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar  \0', 257);
  header.write(`${octal(checksumOf(header), 6)}\0 `, 148);
  return [header, content, Buffer.alloc(paddingOf(content.length))];
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function readOctal(header: Buffer, start: number, length: number): number {
  const text = untilNul(header.subarray(start, start + length))
    .toString('latin1')
    .trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
}

/** The checksum field counts as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK; index++) if (index < 148 || index >= 156) sum += header[index]!;
  return sum;
}

function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

function untilNul(bytes: Buffer): Buffer {
  const end = bytes.indexOf(0);
  return end < 0 ? bytes : bytes.subarray(0, end);
}

function shortName(header: Buffer): Buffer {
  const name = untilNul(header.subarray(0, NAME_MAX_BYTES));
  const isPosix = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? untilNul(header.subarray(345, 500)) : Buffer.alloc(0);
  return prefix.length > 0 ? Buffer.concat([prefix, Buffer.from('/'), name]) : name;
}

/** The path in the record `<length> path=<name>`, if there is one. */
function paxPath(records: Buffer): Buffer | undefined {
  const text = records.toString('latin1');
  for (let at = 0; at < text.length; ) {
    const length = Number.parseInt(text.slice(at, at + 20), 10);
    if (!(length > 0)) return undefined;
    const record = text.slice(at, at + length);
    const value = /^\d+ path=(.*)\n$/s.exec(record)?.[1];
    if (value !== undefined) return Buffer.from(value, 'latin1');
    at += length;
  }
  return undefined;
}

/** Undefined if a part of the path is empty, `.` or `..`, or not valid text. */
function plainPath(name: Buffer): string | undefined {
  const text = name.toString().replace(/^\.\//, '');
  const isText = Buffer.from(text).equals(name.subarray(name.length - Buffer.byteLength(text)));
  const leadsOut = text.split('/').some((part) => part === '' || part === '.' || part === '..');
  return isText && !leadsOut ? text : undefined;
}
