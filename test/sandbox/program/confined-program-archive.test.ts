import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { packFiles, unpackFiles } from '../../../sandbox/program/archive.ts';

const part = fc.stringMatching(/^[a-zA-Z0-9 _äé名-]{1,60}$/);
const file = fc.record({
  path: fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/')),
  content: fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
  isExecutable: fc.boolean(),
});
const files = fc.uniqueArray(file, { selector: ({ path }) => path, maxLength: 10 });

test('unpacking returns what was packed', () => {
  fc.assert(fc.property(files, (given) => expect(unpackFiles(packFiles(given))).toEqual({ files: given, notKept: [] })));
});

test('the command `tar` reads a packed archive, and an archive made by `tar` can be unpacked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-test-'));
  const given = [
    { path: `${'deep/'.repeat(40)}file`, content: Buffer.from('deep'), isExecutable: false },
    { path: 'run', content: Buffer.alloc(1000, 'x'), isExecutable: true },
  ];
  execFileSync('tar', ['-x', '-o', '-f', '-', '-C', folder], { input: packFiles(given) });
  for (const format of ['gnu', 'posix']) {
    const archive = execFileSync('tar', ['-c', `--format=${format}`, '-f', '-', '-C', folder, '.']);
    expect(unpackFiles(archive)?.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual(given);
  }
  rmSync(folder, { recursive: true });
});

test.each(['../out', '/etc/passwd', 'a/../../out', './../out', 'a//b', '', '.', 'a/.'])(
  'a file named %j cannot escape the folder',
  (path) => {
    expect(unpackFiles(packFiles([{ path, content: Buffer.from('x'), isExecutable: false }]))?.files ?? []).toEqual([]);
  },
);

test('unpacking any bytes does not throw, and an incomplete archive is refused', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => void unpackFiles(Buffer.from(bytes))));
  const whole = packFiles([{ path: 'a', content: Buffer.alloc(2000), isExecutable: false }]);
  for (const length of [0, 511, 512, 1500, 2560]) expect(unpackFiles(whole.subarray(0, length))).toBeUndefined();
  const huge = Buffer.from(whole);
  huge.write('77777777777', 124);
  expect(unpackFiles(huge)).toBeUndefined();
});
