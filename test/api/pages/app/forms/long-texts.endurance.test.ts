import { openProbedApi, type ProbedApi } from '../../../../support/loop-probe.ts';

let probed: ProbedApi;
beforeAll(async () => {
  probed = await openProbedApi();
});
afterAll(() => probed.close());

test.each([
  ['spaces', '+'],
  ['escapes', '%2541'],
  ['hidden characters', '%e2%80%8b'],
  ['markup', '%3Cb'],
  ['line ends', '%0d%0a'],
  ['names of fields', 'a&'],
  ['fields', '&'],
])('half a megabyte of %s in a form blocks no other request', async (_, part) => {
  const body = `email=${part.repeat(Math.floor((512 * 1024 - 6) / part.length))}`;
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Sec-Fetch-Site': 'same-origin' };
  for (const path of ['/sign-in', '/keys/new']) {
    await probed.expectShort(async () => (await fetch(`${probed.apiUrl}/app${path}`, { method: 'POST', body, headers })).text());
  }
});
