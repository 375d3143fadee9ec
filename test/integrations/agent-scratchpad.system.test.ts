import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issuesOf } from './run-action.ts';
import { openStateBed } from './state-bed.ts';

let bed: Awaited<ReturnType<typeof openStateBed>>;
let endUserId: string;
let users = 0;
beforeAll(async () => {
  bed = await openStateBed();
});
beforeEach(() => {
  users += 1;
  endUserId = `user-${users}`;
});
afterAll(() => bed.close());

const MB = 1024 * 1024;
const run = (action: string, input: object = {}) => bed.run(`agent-scratchpad.${action}`, input, { endUserId });
const write = (pageName: string, content: string) => run('write_page', { pageName, content });
const append = (pageName: string, content: string) => run('append_page', { pageName, content });
const contentOf = async (pageName: string) => (await run('read_page', { pageName })).content;
const failure = (message: string) => ({ code: 'ACTION_FAILED', message: expect.stringContaining(message) });

async function fill(count: number, sizeBytes: number) {
  await bed.host.db.raw(
    `insert into scratchpad_pages (org_id, workspace_id, scope, scope_key, name, content)
     select ?, ?, 'end_user', ?, 'filler ' || n, repeat('x', ?) from generate_series(1, ?::int) as n`,
    [bed.ours.orgId, bed.ours.workspaceId, endUserId, sizeBytes, count],
  );
}

describe('pages', () => {
  test.each(['plain', '', '  spaces \n\n', "'; drop table scratchpad_pages; --", '\u0001\t\r\n', 'ünï 🙂', '{"json":[1]}'])(
    'the text %j is returned unchanged',
    async (content) => {
      const sizeBytes = Buffer.byteLength(content);
      expect(await write('page', content)).toEqual({
        ...{ pageName: 'page', sizeBytes, created: true },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      });
      expect(await run('read_page', { pageName: 'page' })).toEqual({
        ...{ pageName: 'page', found: true, content, sizeBytes, updatedAt: expect.any(String) },
      });
    },
  );

  test('a second write replaces the text, and an append adds exactly its text', async () => {
    await write('p', 'one');
    expect(await write('p', 'two')).toMatchObject({ created: false, sizeBytes: 3 });
    expect(await append('p', '\nthree')).toMatchObject({ created: false, sizeBytes: 9 });
    expect(await append('new', 'x')).toMatchObject({ created: true, sizeBytes: 1 });
    expect([await contentOf('p'), await contentOf('new')]).toEqual(['two\nthree', 'x']);
  });

  test('the content of a missing page is null, and deleting a missing page succeeds', async () => {
    expect(await run('read_page', { pageName: 'none' })).toEqual({
      ...{ pageName: 'none', found: false, content: null, sizeBytes: 0, updatedAt: null },
    });
    await write('p', 'x');
    expect(await run('delete_page', { pageName: 'p' })).toEqual({ pageName: 'p', deleted: true });
    expect(await run('delete_page', { pageName: 'p' })).toEqual({ pageName: 'p', deleted: false });
  });

  test('pages are listed by name without their content, and clear_all deletes all pages', async () => {
    for (const name of ['b', 'a', 'A']) await write(name, 'text');
    const { pages, total } = await run('list_pages');
    expect((pages as { pageName: string }[]).map(({ pageName }) => pageName)).toEqual(['A', 'a', 'b']);
    expect(total).toBe(3);
    expect((pages as object[])[0]).toEqual({ pageName: 'A', sizeBytes: 4, createdAt: expect.any(String), updatedAt: expect.any(String) });
    expect(await run('clear_all')).toEqual({ deletedPages: 3 });
    expect(await run('clear_all')).toEqual({ deletedPages: 0 });
    expect(await run('list_pages')).toEqual({ pages: [], total: 0 });
  });

  test('fifty concurrent appends are all kept, even if the page did not exist', async () => {
    const lines = Array.from({ length: 50 }, (_, i) => `line ${i}\n`);
    const answers = await Promise.all(lines.map((line) => append('log', line)));
    expect(
      String(await contentOf('log'))
        .match(/.+\n/g)
        ?.toSorted(),
    ).toEqual(lines.toSorted());
    expect(answers.filter(({ created }) => created)).toHaveLength(1);
  });
});

describe('search', () => {
  const found = async (query: string) =>
    ((await run('search_pages', { query })).pages as { pageName: string }[]).map(({ pageName }) => pageName);

  test.each([
    ['tea', ['Shopping list']],
    ['SHOPPING', ['Shopping list']],
    ['milk list', ['Shopping list']],
    ['über', ['Plan']],
    ['50%', ['Plan']],
    ['_', []],
    ['milk plan', []],
  ])('a search for %j finds %j: all its words must occur in name or content, in any letter case', async (query, names) => {
    await write('Plan', 'Fly ÜBER the clouds, at 50% speed');
    await write('Shopping list', 'Tea, Milk');
    expect(await found(query)).toEqual(names);
  });

  test('a search returns the most recently changed page first, with the text around the word', async () => {
    const content = `${'a'.repeat(5000)} Needle ${'b'.repeat(5000)}`;
    for (const name of ['first', 'second']) await write(name, content);
    await append('first', '!');
    const { pages, truncated } = (await run('search_pages', { query: 'needle' })) as {
      pages: Record<string, unknown>[];
      truncated: boolean;
    };
    expect([pages.map(({ pageName }) => pageName), truncated]).toEqual([['first', 'second'], false]);
    expect(pages[0]).toMatchObject({ sizeBytes: content.length + 1, excerpt: expect.stringMatching(/^a{98,} Needle b{150,}$/) });
    expect(pages[0]?.excerpt).toHaveLength(300);
  });

  test('a search returns at most 20 pages, and says if there are more', async () => {
    await fill(20, 10);
    expect(await run('search_pages', { query: 'filler' })).toMatchObject({ truncated: false });
    await write('filler too', '');
    const answer = await run('search_pages', { query: 'filler' });
    expect([(answer.pages as unknown[]).length, answer.truncated]).toEqual([20, true]);
  });
});

describe('limits', () => {
  test('a page has at most 1 MB, and an append to a full page is refused', async () => {
    await write('full', 'x'.repeat(MB - 2));
    await append('full', 'é');
    await expect(append('full', 'x')).rejects.toMatchObject(failure('1048576 bytes'));
    expect(await contentOf('full')).toHaveLength(MB - 1);
    expect(await write('whole', 'x'.repeat(MB))).toMatchObject({ sizeBytes: MB });
    await expect(write('wide', 'é'.repeat(MB / 2 + 1))).rejects.toMatchObject(failure('1048576 bytes'));
    expect(await run('read_page', { pageName: 'wide' })).toMatchObject({ found: false });
  });

  test('with 1,000 pages, a new page is refused, and existing pages can be changed', async () => {
    await fill(999, 1);
    await write('last', 'x');
    await expect(write('more', 'x')).rejects.toMatchObject(failure('1000 pages'));
    await expect(append('more', 'x')).rejects.toMatchObject(failure('1000 pages'));
    expect(await write('last', 'changed')).toMatchObject({ created: false });
  });

  test('all pages together have at most 8 MB', async () => {
    await fill(8, MB);
    await expect(write('more', 'x')).rejects.toMatchObject(failure('8388608 bytes'));
    await write('filler 1', 'x'.repeat(MB - 1));
    expect(await write('more', 'x')).toMatchObject({ created: true });
  });

  test.each([
    ['write_page', 'an empty name', { pageName: '', content: 'x' }, 'pageName'],
    ['write_page', 'a name of 513 bytes', { pageName: 'x'.repeat(513), content: 'x' }, 'pageName'],
    ['write_page', 'a name of two lines', { pageName: 'a\nb', content: 'x' }, 'pageName'],
    ['write_page', 'no content', { pageName: 'x' }, 'content'],
    ['append_page', 'NUL', { pageName: 'x', content: 'a\u0000b' }, 'content'],
    ['append_page', 'more than 1 MB', { pageName: 'x', content: 'x'.repeat(MB + 1) }, 'content'],
    ['search_pages', 'no word', { query: ' ' }, 'query'],
    ['clear_all', 'an unknown key', { sure: true }, 'sure'],
  ])('%s refuses %s', (action, _, input, path) =>
    expect(issuesOf(`agent-scratchpad.${action}`, input).map((issue) => issue.path)).toEqual([path]),
  );
  test('a name of 512 bytes is accepted', () =>
    expect(issuesOf('agent-scratchpad.write_page', { pageName: 'é'.repeat(256), content: '' })).toEqual([]));
});
