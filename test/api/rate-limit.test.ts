import { createOrg } from '../../commands/access/create-org.ts';
import { callerOf } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

const WORKSPACES = '/api/v1/workspaces';
const told = (headers: Headers) => ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

describe('a small budget', () => {
  let bed: ApiBed;
  beforeAll(async () => {
    bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' });
  });
  afterAll(() => bed.close());

  test('is shown in all authenticated answers; requests beyond the budget get 429', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => bed.api.get(WORKSPACES)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const { status, body, headers } of answers) {
      const [limit, remaining, reset] = told(headers);
      expect(limit).toBe(3);
      expect(remaining).toBeLessThan(3);
      expect(reset).toBeGreaterThan(1_600_000_000);
      if (status === 429) expect([body.code, headers.get('retry-after')]).toEqual(['RATE_LIMITED', '1']);
    }
  });

  test('belongs to an organization: other organizations are unaffected', async () => {
    await Promise.all(Array.from({ length: 4 }, () => bed.api.get(WORKSPACES)));
    const other = await createOrg(bed.gateway, 'Other');
    expect((await callerOf(bed.apiUrl, other.plainKey).get(WORKSPACES)).status).toBe(200);
  });

  test('is hidden from a request with an unknown key', async () => {
    const { status, headers } = await callerOf(bed.apiUrl, 'svc_nobody').get(WORKSPACES);
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([401, null]);
  });

  test('does not apply to the catalogue without a key', async () => {
    const { status, headers } = await callerOf(bed.apiUrl).get('/api/v1/integrations?summary=true');
    expect([status, headers.get('x-ratelimit-limit')]).toEqual([200, null]);
  });
});

test('the budget is shown in the headers of errors', async () => {
  const bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '100', RATE_LIMIT_BURST: '50' });
  const json = { 'content-type': 'application/json' };
  const answers = [
    await bed.api.post(WORKSPACES, {}),
    await bed.api.post(WORKSPACES, '{', json),
    await bed.api.post(WORKSPACES, 'x', { 'content-type': 'text/plain' }),
    await bed.api.get(`${WORKSPACES}/x`),
    await bed.api.get('/api/v1/integrations?name=nothing'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 415, 404, 404]);
  for (const { headers } of answers) {
    const [limit, remaining, reset] = told(headers);
    expect([limit, remaining! < 50, reset! > 1_600_000_000]).toEqual([50, true, true]);
  }
  await bed.close();
});

test('a rate of 0 disables the limit and its headers', async () => {
  const bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => bed.api.get(WORKSPACES)));
  expect(answers.every(({ status, headers }) => status === 200 && headers.get('x-ratelimit-limit') === null)).toBe(true);
  await bed.close();
});
