import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDownload } from '../../commands/agent-state/read-download.ts';
import { openCatalog } from '../../integrations/catalog.ts';
import { parseInput } from '../../integrations/parse-input.ts';
import { issuesOf } from './run-action.ts';
import { openStateBed } from './state-bed.ts';

let bed: Awaited<ReturnType<typeof openStateBed>>;
beforeAll(async () => {
  bed = await openStateBed();
});
afterAll(() => bed.close());

const MB = 1024 * 1024;

describe('write_file, read_file, delete_file', () => {
  test("text is stored and returned unchanged, with the file's metadata", async () => {
    const info = {
      path: 'notes/a.txt',
      contentType: 'text/plain; charset=utf-8',
      sizeBytes: 7,
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    };
    expect(await bed.run('storage.write_file', { path: 'notes/a.txt', content: 'héllo\u0000' })).toEqual(info);
    expect(await bed.run('storage.read_file', { path: 'notes/a.txt' })).toEqual({ ...info, content: 'héllo\u0000', encoding: 'utf8' });
    expect(await bed.run('storage.read_file', { path: 'notes/a.txt', outputEncoding: 'base64' })).toMatchObject({
      content: Buffer.from('héllo\u0000').toString('base64'),
    });
  });

  test('bytes are stored and returned as base64 without conversion to text', async () => {
    const content = Buffer.from([0, 255, 254, 10]).toString('base64');
    expect(await bed.run('storage.write_file', { path: 'b.bin', content, contentEncoding: 'base64' })).toMatchObject({
      contentType: 'application/octet-stream',
      sizeBytes: 4,
    });
    expect(await bed.run('storage.read_file', { path: 'b.bin', outputEncoding: 'base64' })).toMatchObject({ content, encoding: 'base64' });
    await expect(bed.run('storage.read_file', { path: 'b.bin' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: expect.stringContaining('base64'),
    });
  });

  test('a second write replaces content and type, and delete says whether there was a file', async () => {
    await bed.run('storage.write_file', { path: 'c', content: 'one' });
    await bed.run('storage.write_file', { path: 'c', content: '', contentType: 'text/csv; charset=utf-8' });
    expect(await bed.run('storage.read_file', { path: 'c' })).toMatchObject({
      content: '',
      sizeBytes: 0,
      contentType: 'text/csv; charset=utf-8',
    });
    expect(await bed.run('storage.delete_file', { path: 'c' })).toEqual({ path: 'c', deleted: true });
    expect(await bed.run('storage.delete_file', { path: 'c' })).toEqual({ path: 'c', deleted: false });
    await expect(bed.run('storage.read_file', { path: 'c' })).rejects.toMatchObject({
      code: 'ACTION_FAILED',
      message: 'There is no file at "c".',
      details: { reason: 'not_found' },
    });
  });

  test('1 MB is accepted and one byte more is refused, in both encodings', async () => {
    for (const contentEncoding of ['utf8', 'base64'] as const) {
      const content = (size: number) => Buffer.alloc(size, 'x').toString(contentEncoding);
      expect(await bed.run('storage.write_file', { path: 'large', content: content(MB), contentEncoding })).toMatchObject({
        sizeBytes: MB,
      });
      expect(issuesOf('storage.write_file', { path: 'large', content: content(MB + 1), contentEncoding })).toEqual([
        { path: 'content', message: expect.stringContaining('1048576') },
      ]);
    }
  });

  test.each(['a', 'ab=c', '====', 'no base64!'])('%j is refused as base64 and accepted as text', (content) => {
    expect(issuesOf('storage.write_file', { path: 'x', content, contentEncoding: 'base64' })).toEqual([
      { path: 'content', message: 'is not valid base64' },
    ]);
    expect(issuesOf('storage.write_file', { path: 'x', content, contentEncoding: 'utf8' })).toEqual([]);
  });
});

describe('paths', () => {
  const { paths } = openCatalog().getAction('storage', 'read_file');

  test.each([
    ['/a/b', 'a/b'],
    ['./a//b/', 'a/b'],
    ['a/./b/../c', 'a/c'],
    ['../../a', 'a'],
    ['a/../../../b', 'b'],
    ['..\\a\\.\\b', 'a/b'],
    ['...', '...'],
    [' a ', ' a '],
    ['%2e%2e/a', '%2e%2e/a'],
    ['__proto__', '__proto__'],
  ])('%j is normalized to %j, for the file, for policies and for reviewers', async (written, path) => {
    await bed.run('storage.write_file', { path: written, content: written });
    expect(await bed.run('storage.read_file', { path })).toMatchObject({ path, content: written });
    const parsed = parseInput(openCatalog().getAction('storage', 'read_file'), { path: written });
    expect(parsed).toMatchObject({ ok: true, input: { path } });
    expect(paths!((parsed as { input: Record<string, unknown> }).input)).toEqual([path]);
  });

  test.each([[''], ['/'], ['.'], ['..'], ['a/..'], ['a\u0000b'], ['a\nb'], ['p'.repeat(1025)], ['é'.repeat(513)], [7]])(
    '%j is refused',
    (path) => {
      for (const action of ['read_file', 'delete_file', 'get_download_url'] as const)
        expect(issuesOf(`storage.${action}`, { path }).map((issue) => issue.path)).toContain('path');
    },
  );

  test('a path of 1024 bytes is accepted', async () => {
    expect(await bed.run('storage.write_file', { path: 'é'.repeat(512), content: '' })).toMatchObject({ sizeBytes: 0 });
  });

  test.each(['text', 'text/', 'text/html\r\nX: y', 'text/html; a', `text/${'x'.repeat(200)}`])(
    'the content type %j is refused',
    (contentType) =>
      expect(issuesOf('storage.write_file', { path: 'a', content: '', contentType }).map(({ path }) => path)).toContain('contentType'),
  );
});

describe('list_files', () => {
  const user = { endUserId: 'lister' };
  const list = async (input: object) =>
    ((await bed.run('storage.list_files', input, user)).files as { path: string }[]).map(({ path }) => path);

  test('lists by path; a prefix that ends in a slash is a folder', async () => {
    for (const path of ['b.txt', 'a/2.txt', 'a/10.txt', 'ab.txt', 'A.txt', 'a_%.txt'])
      await bed.run('storage.write_file', { path, content: path }, user);
    expect(await list({})).toEqual(['A.txt', 'a/10.txt', 'a/2.txt', 'a_%.txt', 'ab.txt', 'b.txt']);
    expect(await list({ prefix: 'a' })).toEqual(['a/10.txt', 'a/2.txt', 'a_%.txt', 'ab.txt']);
    expect(await list({ prefix: '/x/../a/' })).toEqual(['a/10.txt', 'a/2.txt']);
    expect(await list({ prefix: 'a_' })).toEqual(['a_%.txt']);
    expect(await list({ prefix: '%' })).toEqual([]);
    expect(await list({ prefix: '/' })).toHaveLength(6);
    expect((await bed.run('storage.list_files', { prefix: 'b' }, user)).files).toEqual([
      { path: 'b.txt', contentType: 'text/plain; charset=utf-8', sizeBytes: 5, updatedAt: expect.any(String) },
    ]);
  });

  test('says if there are more files than it lists', async () => {
    const row = {
      org_id: bed.ours.orgId,
      workspace_id: bed.ours.workspaceId,
      scope: 'end_user',
      scope_key: 'many',
      content: Buffer.alloc(0),
      content_type: 'text/plain',
    };
    await bed.host.db.batchInsert(
      'stored_files',
      Array.from({ length: 1001 }, (_, i) => ({ ...row, path: `${i}`.padStart(4, '0') })),
    );
    const { files, truncated } = await bed.run('storage.list_files', {}, { endUserId: 'many' });
    expect([(files as unknown[]).length, truncated]).toEqual([1000, true]);
    await bed.run('storage.delete_file', { path: '0000' }, { endUserId: 'many' });
    expect(await bed.run('storage.list_files', {}, { endUserId: 'many' })).toMatchObject({ truncated: false });
  });
});

describe('get_download_url', () => {
  const download = async (path: string, expiresInSeconds?: number) => {
    const { url, expiresAt } = (await bed.run('storage.get_download_url', { path, expiresInSeconds })) as {
      url: string;
      expiresAt: string;
    };
    return { url, expiresAt: new Date(expiresAt), token: url.slice(url.lastIndexOf('/') + 1) };
  };

  test('returns a link to the current file, which works until it expires', async () => {
    await bed.run('storage.write_file', { path: 'out/r.csv', content: 'a,b', contentType: 'text/csv' });
    const { url, expiresAt, token } = await download('out/r.csv', 60);
    expect(url).toMatch(/^https:\/\/gateway\.example\/files\/[\w.-]+$/);
    expect(await readDownload(bed.host, token)).toEqual({ fileName: 'r.csv', contentType: 'text/csv', content: Buffer.from('a,b') });
    await bed.run('storage.write_file', { path: 'out/r.csv', content: 'changed' });
    expect(await readDownload(bed.host, token, new Date(expiresAt.getTime() - 1))).toMatchObject({ content: Buffer.from('changed') });
    await expect(readDownload(bed.host, token, expiresAt)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bed.run('storage.delete_file', { path: 'out/r.csv' });
    await expect(readDownload(bed.host, token)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('a changed link, or a link from another installation, is refused', async () => {
    await bed.run('storage.write_file', { path: 'mine', content: 'mine' });
    await bed.run('storage.write_file', { path: 'yours', content: 'yours' }, { endUserId: 'user-2' });
    const { token } = await download('mine');
    const [payload = '', signature = ''] = token.split('.');
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace('user-1', 'user-2').replace('mine', 'yours')).toString(
      'base64url',
    );
    const flipped = `${signature.slice(0, -2)}${signature.at(-2) === 'A' ? 'B' : 'A'}${signature.at(-1)}`;
    for (const bad of [
      '',
      '.',
      'x',
      payload,
      `${payload}.`,
      `${forged}.${signature}`,
      `${payload}.${flipped}`,
      `${token}.x`,
      `.${signature}`,
      '%',
      'é'.repeat(10_000),
    ]) {
      await expect(readDownload(bed.host, bad)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'There is no such file, or the link is invalid or has expired.',
      });
    }
    await expect(readDownload({ ...bed.host, tokens: { key: () => Buffer.alloc(32) } }, token)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('a missing file has no link', () =>
    expect(download('never')).rejects.toMatchObject({ code: 'ACTION_FAILED', message: 'There is no file at "never".' }));

  test('links are valid for 60 to 3600 seconds, by default 3600', async () => {
    await bed.run('storage.write_file', { path: 'mine', content: 'mine' });
    const before = Date.now();
    const { expiresAt } = await download('mine');
    expect(expiresAt.getTime()).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000);
    for (const fine of [60, 3600]) expect(issuesOf('storage.get_download_url', { path: 'a', expiresInSeconds: fine })).toEqual([]);
    for (const bad of [59, 3601, 60.5, '60', null])
      expect(issuesOf('storage.get_download_url', { path: 'a', expiresInSeconds: bad })).toHaveLength(1);
  });
});
