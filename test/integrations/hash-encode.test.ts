import { describe, expect, test } from '@jest/globals';
import { issuesOf, runAction } from './run-action.ts';

describe('hash', () => {
  test.each([
    ['sha256', 'hex', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha1', 'hex', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['sha256', 'base64', 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
    ['sha384', 'hex', 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7'],
    ['sha512', 'base64', '3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=='],
  ])('the hash of abc in %s as %s', async (algorithm, encoding, digest) =>
    expect(await runAction('hash-encode.hash', { text: 'abc', algorithm, encoding })).toEqual({ digest, algorithm, encoding }),
  );

  test('the default is sha256 of the UTF-8 bytes, in hex', async () => {
    expect(await runAction('hash-encode.hash', { text: 'é' })).toEqual({
      digest: '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
      algorithm: 'sha256',
      encoding: 'hex',
    });
  });

  test('md5, and more than 1 MB, are refused', () => {
    expect(issuesOf('hash-encode.hash', { text: '', algorithm: 'md5' })).toEqual([
      { path: 'algorithm', message: 'expects one of "sha256", "sha384", "sha512", "sha1"' },
    ]);
    expect(issuesOf('hash-encode.hash', { text: 'x'.repeat(1024 * 1024) })).toEqual([]);
    expect(issuesOf('hash-encode.hash', { text: 'x'.repeat(1024 * 1024 + 1) })).toEqual([
      { path: 'text', message: 'is too long: at most 1048576 characters' },
    ]);
  });
});

describe('encode, decode', () => {
  test.each([
    ['base64', 'a?>é', 'YT8+w6k='],
    ['base64url', 'a?>é', 'YT8-w6k'],
    ['url', 'a b&é', 'a%20b%26%C3%A9'],
    ['hex', 'é', 'c3a9'],
    ['base64', '', ''],
    ['base64', '\ufeffbom\u0000', '77u/Ym9tAA=='],
  ])('%s round trip: %j', async (encoding, text, encoded) => {
    expect(await runAction('hash-encode.encode', { text, encoding })).toEqual({ encoded, encoding });
    expect(await runAction('hash-encode.decode', { encoded, encoding })).toEqual({ text, encoding });
  });

  test.each([
    ['base64', 'YT8+w6k', 'a?>é'],
    ['base64', 'YT8+\n w6k=', 'a?>é'],
    ['base64url', 'YT8-w6k=', 'a?>é'],
    ['hex', 'C3A9', 'é'],
    ['url', 'a+b', 'a+b'],
  ])('decoding %s accepts the variant %j', async (encoding, encoded, text) =>
    expect(await runAction('hash-encode.decode', { encoded, encoding })).toMatchObject({ text }),
  );

  test.each([
    ['base64', 'a'],
    ['base64', 'a-_b'],
    ['base64', '=abc'],
    ['base64url', 'a+/b'],
    ['hex', 'abc'],
    ['hex', 'zz'],
    ['url', '%zz'],
    ['url', '%C3'],
    ['hex', 'ff'],
    ['base64', '/w=='],
    ['base64', '='],
  ])('decoding %s refuses the invalid text %j', (encoding, encoded) =>
    expect(issuesOf('hash-encode.decode', { encoded, encoding }).map(({ path }) => path)).toEqual(['encoded']),
  );

  test('an input that cannot be decoded is reported together with other issues', () => {
    expect(
      issuesOf('hash-encode.decode', { encoded: 'a', more: 1 })
        .map(({ path }) => path)
        .sort(),
    ).toEqual(['encoded', 'more']);
    expect(issuesOf('hash-encode.decode', { encoded: 'a', encoding: 'rot13' }).map(({ path }) => path)).toEqual(['encoding']);
  });

  test('a lone surrogate is refused as input', () => {
    expect(issuesOf('hash-encode.encode', { text: '\ud800', encoding: 'url' })).toMatchObject([
      { message: expect.stringContaining('half a surrogate pair') },
    ]);
  });

  test('a long invalid text is refused in linear time', () => {
    expect(issuesOf('hash-encode.decode', { encoded: `${'A'.repeat(1_000_001)}!`, encoding: 'base64' })).toEqual([
      { path: 'encoded', message: 'is not valid base64' },
    ]);
  });
});

describe('generate_uuid', () => {
  test('returns one UUID by default and up to a hundred, all different and well formed', async () => {
    expect((await runAction('hash-encode.generate_uuid', undefined)).uuids).toHaveLength(1);
    const { uuid, uuids } = (await runAction('hash-encode.generate_uuid', { count: 100 })) as { uuid: string; uuids: string[] };
    expect(new Set(uuids).size).toBe(100);
    expect(uuids[0]).toBe(uuid);
    for (const one of uuids) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test.each([0, 101, 1.5, '3', null])('a count of %j is refused', (count) =>
    expect(issuesOf('hash-encode.generate_uuid', { count })).toHaveLength(1),
  );
});
