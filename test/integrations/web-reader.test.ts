import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { issuesOf } from './run-action.ts';
import { pages } from './web-reader-pages.ts';
import { openWebSite } from './web-site.ts';

let site: Awaited<ReturnType<typeof openWebSite>>;
let base: string;
beforeAll(async () => {
  site = await openWebSite(pages);
  base = site.base;
});
afterAll(() => site.close());

const read = (action: string, path: string, input: object = {}) => site.read(action, path, input);
const run = (action: string, input: object) => site.run(action, input);
const textOf = (path: string) => site.textOf(path);
const failure = (message: string | RegExp) => ({ code: 'ACTION_FAILED', message: expect.stringMatching(message) });

describe('Markdown', () => {
  test('contains the title and the main part of the page, without menus and scripts', async () => {
    const answer = await read('fetch_as_markdown', '/article');
    expect(answer).toMatchObject({ url: `${base}/article`, title: 'Foxes & dogs', byline: 'Ada', language: 'en', truncated: false });
    expect(answer).toMatchObject({ siteName: 'Fox News Letter', excerpt: 'All about foxes' });
    const content = answer.content as string;
    expect(content.startsWith('# Foxes & dogs\n\nThe quick brown fox')).toBe(true);
    expect(content).toContain('## Their _habits_');
    expect(content).toContain(`They [sleep](${base}/sleep.html?a=1&b=2) and **run**.`);
    expect(content).toMatch(/-\s+first\n-\s+second/);
    expect(content).toContain('```\nlet x = 1;\n  let y = 2;\n```');
    expect(content).toContain('| Name | Age |\n| --- | --- |\n| Rex | 3 |\n|  | 4 |');
    for (const absent of ['Home', 'never', 'color', 'javascript', '![']) expect(content).not.toContain(absent);
  });

  test('includes images and omits links if the caller asks for that', async () => {
    const { content } = await read('fetch_as_markdown', '/article', { includeLinks: false, includeImages: true });
    expect(content).toContain('They sleep and **run**.');
    expect(content).toContain(`![A fox](${base}/fox.png)`);
  });
});

describe('the title', () => {
  test.each([
    ['/titled', 'The title'],
    ['/titled-otherwise', 'Foxes | The Site'],
    ['/untitled', 'A heading'],
    ['/article', 'Foxes & dogs'],
    ['/bare', ''],
  ])('of %s is %j in every answer with a title', async (path, title) => {
    for (const action of ['fetch_as_markdown', 'fetch_as_text', 'extract_structured_data'])
      expect(await read(action, path)).toMatchObject({ title });
    const { results } = await run('fetch_multiple', { urls: [base + path] });
    expect(results).toMatchObject([{ page: { title } }]);
  });

  test.each([
    ['/titled', /^# The title\n\nThe quick/, 1],
    ['/titled-otherwise', /^# Foxes \| The Site\n\n## Foxes of the world\n\nThe quick/, 2],
    ['/untitled', /^# A heading\n\nThe quick/, 1],
    ['/short', /^# Short\n\nbefore\n\n/, 1],
    ['/code', /^# Notes\n\nfirst\n\n/, 1],
    ['/article', /^# Foxes & dogs\n\nThe quick/, 2],
  ])('the title is the first heading in the Markdown of %s, without an equal second heading', async (path, beginning, headings) => {
    const content = (await read('fetch_as_markdown', path)).content as string;
    expect(content).toMatch(beginning);
    expect(content.replace(/^\\?# no heading$/gm, '').match(/^#+ /gm)).toHaveLength(headings);
  });
});

describe('text', () => {
  test('is the visible text, with separated blocks and unchanged preformatted text', async () => {
    const { content, title } = await read('fetch_as_text', '/article');
    expect(title).toBe('Foxes & dogs');
    expect(content).toContain('\n\nTheir habits\n\nThey sleep and run. The quick');
    expect(content).toContain('first\nsecond');
    expect(content).toContain('let x = 1;\n  let y = 2;');
    expect(content).toContain('Rex\t3');
  });

  test.each([
    ['/latin', 'café'],
    ['/meta', 'Привет'],
    ['/bom', 'grüß'],
    ['/unsaid', 'grüß 🙂'],
    ['/unsaid-latin', 'grüß'],
    ['/klingon', 'grüß'],
    ['/untyped', 'no type'],
    ['/gzip', expect.stringContaining('They sleep')],
  ])('the text of %s is decoded: %s', async (path, text) => expect(await textOf(path)).toEqual(text));

  test.each([
    ['/bare', 'just text'],
    ['/no-body', 'in no body\n\ntwo'],
    ['/head-only', 'in a body'],
    ['/empty', ''],
    ['/late', 'one\n\ntwo'],
    ['/comment', 'after a comment'],
    ['/plain', 'line one\n  line two'],
    ['/json', '{"a":1}'],
  ])('the text of %s is %j', async (path, text) => expect(await textOf(path)).toBe(text));

  test('text is cut at 200,000 UTF-16 units, and the answer says so', async () => {
    expect(await read('fetch_as_text', '/long')).toMatchObject({ content: '🙂'.repeat(100_000), truncated: true });
  });
});

describe('links', () => {
  const found = async (filterPattern?: string) =>
    ((await read('extract_links', '/links', { filterPattern })).links as { url: string }[]).map(({ url }) => url);

  test('are absolute and without duplicates, with their text', async () => {
    expect(await read('extract_links', '/links')).toEqual({
      url: `${base}/links`,
      links: [
        { url: `${base}/docs/a.html`, text: 'A first', isExternal: false },
        { url: `${base}/b.PDF`, text: 'The PDF', isExternal: false },
        { url: 'https://other.example/x?y=1#z', text: 'other', isExternal: true },
        { url: `${base}/docs/#here`, text: 'here', isExternal: false },
        { url: `${base}/map`, text: 'Map', isExternal: false },
      ],
      ...{ total: 5, truncated: false },
    });
  });

  test.each([
    ['other', ['https://other.example/x?y=1#z']],
    ['\\.(pdf|html)$', ['/docs/a.html', '/b.PDF']],
    ['*.pdf', ['/b.PDF']],
    ['*/docs/*', ['/docs/a.html', '/docs/#here']],
    ['*y=1*', ['https://other.example/x?y=1#z']],
    ['nothing', []],
  ])('the links that match the pattern %s are %j', async (pattern, urls) =>
    expect(await found(pattern)).toEqual(urls.map((url) => new URL(url, base).href)),
  );

  test('an invalid pattern is refused', () => expect(found('(')).rejects.toMatchObject(failure('neither a regular expression nor a glob')));

  test('at most 1,000 links are returned, with the total number', async () => {
    const answer = await read('extract_links', '/many-links');
    expect([(answer.links as unknown[]).length, answer.total, answer.truncated]).toEqual([1000, 1001, true]);
  });
});

describe('structured data', () => {
  test("contains the page's metadata, and counts invalid JSON-LD", async () => {
    const answer = await read('extract_structured_data', '/structured');
    expect(answer).toEqual({
      ...{ url: `${base}/structured`, title: 'A title', description: 'What it is', canonicalUrl: `${base}/canon?x=1`, language: 'de' },
      meta: { description: 'What it is', keywords: 'a, b', refresh: '5' },
      openGraph: { 'og:title': 'OG', 'og:image': ['/1.png', '/2.png'], 'article:author': 'Ada' },
      twitter: { 'twitter:card': 'summary' },
      jsonLd: [{ '@type': 'Article', headline: 'H', nested: [{ a: null }], bad: '\ufffd' }, [1]],
      ...{ malformedJsonLd: 2, truncated: false },
    });
  });

  test('of a page without metadata is empty', async () => {
    expect(await read('extract_structured_data', '/bare')).toEqual({
      ...{ url: `${base}/bare`, title: '', description: null, canonicalUrl: null, language: null },
      ...{ meta: {}, openGraph: {}, twitter: {}, jsonLd: [], malformedJsonLd: 0, truncated: false },
    });
  });
});

describe('several pages', () => {
  test('are returned in order, even if some cannot be read', async () => {
    const urls = ['/article', '/nowhere', '/long', '/image', '/article'].map((path) => base + path).concat('nonsense');
    const { results, succeeded, failed } = (await run('fetch_multiple', { urls })) as {
      results: { requestedUrl: string; ok: boolean; page?: { content: string; truncated: boolean }; error?: string }[];
      succeeded: number;
      failed: number;
    };
    expect([succeeded, failed]).toEqual([3, 3]);
    expect(results.map(({ requestedUrl }) => requestedUrl)).toEqual(urls);
    expect(results.map(({ ok }) => ok)).toEqual([true, false, true, false, true, false]);
    expect(results[0]?.page?.content).toContain('[sleep](');
    expect(results[1]).toEqual({ requestedUrl: urls[1], ok: false, error: expect.stringContaining('404 Not Found'), said: 'not here' });
    expect(results[5]).toEqual({ requestedUrl: 'nonsense', ok: false, error: expect.stringContaining('absolute') });
    expect(results[2]?.page).toMatchObject({ content: expect.stringMatching(/^.{0,30000}$/s), truncated: true });
  });

  test('are returned as text if requested', async () => {
    const { results } = await run('fetch_multiple', { urls: [`${base}/article`], format: 'text' });
    expect((results as { page: { content: string } }[])[0]?.page.content).toContain('They sleep and run.');
  });
});

describe('pages that cannot be read', () => {
  test('more than five redirects, and a redirect to a private address, are refused', async () => {
    expect(await read('fetch_as_text', '/moved')).toMatchObject({ url: `${base}/article`, title: 'Foxes & dogs' });
    await expect(read('fetch_as_text', '/loop')).rejects.toMatchObject(failure('more than 5 times'));
    await expect(read('fetch_as_text', '/inside')).rejects.toMatchObject(failure('not a public address'));
  });

  test.each([
    ['/error', 'fetch_as_text', '503 Service Unavailable'],
    ['/image', 'fetch_as_markdown', 'image/png, which is not a page of text'],
    ['/json', 'extract_links', 'application/json, which is not HTML'],
    ['/plain', 'extract_structured_data', 'text/plain, which is not HTML'],
  ])('%s by %s: %s', async (path, action, message) => expect(read(action, path)).rejects.toMatchObject(failure(message)));

  test.each([
    ['/error', 'fetch_as_text', 503, 'later'],
    ['/error', 'extract_links', 503, 'later'],
    ['/error-page', 'fetch_as_markdown', 404, 'No such page\n\nIt was moved.'],
    ['/error-json', 'fetch_as_text', 429, '{"error":"slow down"}'],
    ['/error-echo?token=s3cret-token', 'fetch_as_text', 400, '/error-echo?token=[redacted]'],
  ])('%s by %s fails with status %i and the text of the error page', async (path, action, status, body) =>
    expect(read(action, path)).rejects.toMatchObject({ code: 'ACTION_FAILED', details: { status, body } }),
  );

  test('an error keeps only the beginning of a large error page, and nothing of an image', async () => {
    const { details } = await read('fetch_as_text', '/error-huge').catch((error) => error);
    expect(details).toEqual({ status: 500, body: expect.stringMatching(/^(x ){500}$/) });
    await expect(read('fetch_as_text', '/error-image')).rejects.toMatchObject({ details: { status: 500 } });
    expect((await read('fetch_as_text', '/error-image').catch((error) => error)).details).toEqual({ status: 500 });
  });

  const url = 'https://example.com';
  test.each([
    ['fetch_as_markdown', 'no address', { url: '' }, 'url'],
    ['fetch_as_text', 'an invalid address', { url: 'example.com' }, 'url'],
    ['fetch_as_markdown', 'a string for a boolean', { url, includeLinks: 'yes' }, 'includeLinks'],
    ['fetch_as_text', 'an unknown key', { url, deep: true }, 'deep'],
    ['extract_links', 'an empty pattern', { url, filterPattern: '' }, 'filterPattern'],
    ['extract_links', 'a pattern of 501 characters', { url, filterPattern: 'x'.repeat(501) }, 'filterPattern'],
    ['fetch_multiple', 'no address', { urls: [] }, 'urls'],
    ['fetch_multiple', 'eleven addresses', { urls: Array(11).fill(url) }, 'urls'],
    ['fetch_multiple', 'another format', { urls: [url], format: 'html' }, 'format'],
  ])('%s refuses %s', (action, _, input, path) =>
    expect(issuesOf(`web-reader.${action}`, input).map((issue) => issue.path)).toEqual([path]),
  );
  test('ten addresses are accepted', () => expect(issuesOf('web-reader.fetch_multiple', { urls: Array(10).fill(url) })).toEqual([]));
});
