import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openWebSite, page } from './web-site.ts';

let site: Awaited<ReturnType<typeof openWebSite>>;
beforeAll(async () => {
  site = await openWebSite({ '/bare': page('just text') });
});
afterAll(() => site.close());

const failure = (message: string | RegExp) => ({ code: 'ACTION_FAILED', message: expect.stringMatching(message) });

const hostile: Record<string, () => string> = {
  'nested 100,000 deep': () => '<div>'.repeat(100_000),
  'nested one level too deep': () => `${'<div>'.repeat(250)}x`,
  'of 700,000 elements': () => '<i></i>'.repeat(700_000),
  'of 600,000 attributes': () => `<p ${Array.from({ length: 600_000 }, (_, i) => `a${i.toString(36)}`).join(' ')}>x</p>`,
  'with a class of 5 MB': () => `<p class="${'a '.repeat(2_500_000)}">x</p>`.slice(0, 5_000_000),
};
test.each(Object.keys(hostile))(
  'a page %s is refused or read, and the next page is read',
  async (name) => {
    site.pages['/hostile'] = page(hostile[name]!());
    const outcome = await site.read('fetch_as_markdown', '/hostile').catch((error: unknown) => error);
    expect(outcome).toMatchObject(
      outcome instanceof Error ? failure(/^(The page |Reading the page took)/) : { url: `${site.base}/hostile` },
    );
    expect(await site.textOf('/bare')).toBe('just text');
  },
  120_000,
);

test.each(['(a+)+$', '((a?){300}){300}b', '*a*a*a*a*a*a*a*a*a*a*b'])(
  "the endless filter %s is stopped long before the page's time limit, and the next page is read",
  async (filterPattern) => {
    site.pages['/hostile'] = page(Array.from({ length: 100 }, (_, i) => `<a href="/${'a'.repeat(5000)}!${i}">x</a>`).join(''));
    await expect(site.read('extract_links', '/hostile', { filterPattern })).rejects.toMatchObject(
      failure('filterPattern took longer than 500 ms'),
    );
    expect(await site.textOf('/bare')).toBe('just text');
  },
);

test('250 nested elements are read, and 251 are refused', async () => {
  site.pages['/deep'] = page(`<html><body>${'<div>'.repeat(248)}x</body></html>`);
  expect(await site.textOf('/deep')).toBe('x');
  site.pages['/deep'] = page(`<html><body>${'<div>'.repeat(249)}x</body></html>`);
  await expect(site.textOf('/deep')).rejects.toMatchObject(failure('nested deeper than 250'));
});

test('a page of 5 MB is read, and a larger page is refused', async () => {
  const MB = 1024 * 1024;
  site.pages['/big'] = page('x'.repeat(5 * MB), 'text/plain');
  expect(await site.read('fetch_as_text', '/big')).toMatchObject({ truncated: true });
  site.pages['/big'] = page('x'.repeat(5 * MB + 1), 'text/plain');
  await expect(site.read('fetch_as_text', '/big')).rejects.toMatchObject(failure('larger than'));
});

test('scripts are not run, and resources of a page are not fetched', async () => {
  const head = '<script>globalThis.owned = 1; while (true) {}</script><script src="/x.js"></script><link rel="stylesheet" href="/x.css">';
  site.pages['/active'] = page(
    `<html><head>${head}</head><body onload="x()"><img src="/x.png"><iframe src="/x"></iframe>calm</body></html>`,
  );
  site.asked.length = 0;
  expect(await site.textOf('/active')).toBe('calm');
  expect([site.asked, 'owned' in globalThis]).toEqual([['/active'], false]);
});

test('a Content-Type with much white space is parsed quickly', async () => {
  /** The least processor time of five reads, in ms. */
  const quickest = async (type: string) => {
    site.pages['/typed'] = page('text', type);
    const times: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const before = process.threadCpuUsage();
      expect(await site.textOf('/typed')).toBe('text');
      const { user, system } = process.threadCpuUsage(before);
      times.push((user + system) / 1000);
    }
    return Math.min(...times);
  };
  const padding = ' '.repeat(15_000);
  const plain = await quickest(`text/html;x=${'y'.repeat(15_000)}`);
  for (const type of [`text/html;charset=${padding}!`, `text/html;charset${padding}!`, `text/html;${'charset= '.repeat(1600)}!`])
    expect(await quickest(type)).toBeLessThan(plain + 100);
});
