import { callerOf } from '../support/caller.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '3' });
});
afterAll(() => bed.close());

test('what is left is said in every authenticated answer; beyond it is 429 with the time to wait', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => bed.api.get('/api/v1/workspaces')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(1);
  for (const { status, body, headers } of answers) {
    expect(headers.get('x-ratelimit-limit')).toBe('3');
    expect(Number(headers.get('x-ratelimit-remaining'))).toBeLessThan(3);
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(1_600_000_000);
    if (status === 429) expect([body.code, headers.get('retry-after')]).toEqual(['RATE_LIMITED', '1']);
  }
});

test('an unknown key uses up nothing and learns nothing', async () => {
  const { status, headers } = await callerOf(bed.apiUrl, 'svc_nobody').get('/api/v1/workspaces');
  expect([status, headers.get('x-ratelimit-limit')]).toEqual([401, null]);
});
