import { openApiBed } from '../api-bed.ts';

test('hosted pages have the dashboard’s icon, and their security policies allow it', async () => {
  const bed = await openApiBed();
  const read = async (path: string) => {
    const answer = await fetch(bed.apiUrl + path, { headers: { Accept: 'text/html' } });
    const [, icon] = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml">/.exec(await answer.text()) ?? [];
    return { icon, policy: answer.headers.get('content-security-policy') };
  };
  const { icon } = await read('/app/sign-in');
  const dashboard = await (await fetch(bed.apiUrl + icon)).text();
  expect(dashboard).toContain('<svg');
  for (const path of [
    ...['/approve', '/approve/code-run', '/connect', '/connect/portal', '/sign-in', '/account'],
    ...['/oauth/authorize', '/oauth/interaction/none', '/oauth/device'],
  ]) {
    const hosted = await read(path);
    expect([path, hosted.icon && (await (await fetch(hosted.icon)).text())]).toEqual([path, dashboard]);
    expect([path, hosted.policy]).toEqual([path, expect.stringContaining('img-src data:')]);
  }
  await bed.close();
});
