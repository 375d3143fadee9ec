import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createOrg } from '../../../commands/access/create-org.ts';
import { openActionSandbox } from '../../../commands/programs/action-sandbox.ts';
import { COMPUTATION_SECONDS, CONCURRENCY } from '../../../domain/limits.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { openWebSite, page } from '../../integrations/web-site.ts';
import { callerOf } from '../../support/caller.ts';

let bed: ApiBed;
let site: Awaited<ReturnType<typeof openWebSite>>;
beforeAll(async () => {
  bed = await openApiBed();
  site = await openWebSite({});
});
afterAll(async () => {
  await site.close();
  await bed.close();
});

function compute(orgId: string, code: string, timeoutSeconds: number, signal = AbortSignal.timeout(60_000)) {
  const call = { orgId, workspaceId: bed.workspaceId, workspaceIntegrationId: null, endUserId: null, settings: undefined, signal };
  return openActionSandbox(bed.gateway, call).compute({ code, inputs: {}, timeoutSeconds });
}

const WAIT = 'await new Promise((resolve) => setTimeout(resolve, 25_000))';

test.each([
  ['long', 300, 'short', COMPUTATION_SECONDS],
  ['long', 300, 'long', 300],
  ['short', COMPUTATION_SECONDS, 'short', COMPUTATION_SECONDS],
])(
  'two organizations that flood the %s scheduler (%d s) do not delay %s code of a third',
  async (_, theirSeconds, __, ourSeconds) => {
    const end = new AbortController();
    let ended = 0;
    const theirs = ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'a', 'b'].map((orgId) =>
      compute(orgId, WAIT, theirSeconds, end.signal).finally(() => {
        ended += 1;
      }),
    );
    const settled = Promise.allSettled(theirs);
    expect(await compute('c', 'return 1', ourSeconds)).toMatchObject({ ok: true, result: 1 });
    expect(ended).toBe(0);
    end.abort(new Error('the test is over'));
    await settled;
  },
  120_000,
);

test('three organizations together may use more slots for long code than exist', () =>
  expect(CONCURRENCY.longCode.maxConcurrent).toBeLessThan(3 * CONCURRENCY.longCode.maxPerTenant));

test('an organization can read a page while another organization reads eight slow pages', async () => {
  const bad = page(Array.from({ length: 20 }, (_, i) => `<a href="/${'a'.repeat(5000)}!${i}">x</a>`).join(''));
  let asked = 0;
  let allAsked = () => {};
  const asking = new Promise<void>((resolve) => {
    allAsked = resolve;
  });
  site.pages['/bad'] = (request, response) => {
    asked += 1;
    if (asked === 8) response.on('close', allAsked);
    bad(request, response);
  };
  site.pages['/quick'] = async (request, response) => {
    await asking;
    page('<p>quick</p>')(request, response);
  };
  const other = await createOrg(bed.gateway, 'Other');
  const run = ({ workspaceId, plainKey }: typeof other, actionName: string, input: object) =>
    callerOf(bed.apiUrl, plainKey).post('/api/v1/actions/execute', { workspaceId, integrationName: 'web-reader', actionName, input });

  const done: string[] = [];
  const slow = Array.from({ length: 8 }, async () => {
    const answer = await run(bed, 'extract_links', { url: `${site.base}/bad`, filterPattern: '(a+)+$' });
    done.push('slow');
    return answer;
  });
  const quick = await run(other, 'fetch_as_text', { url: `${site.base}/quick` });
  done.push('quick');
  expect(quick).toMatchObject({ status: 200, body: { output: { content: 'quick' } } });
  for (const { status, body } of await Promise.all(slow))
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'ACTION_FAILED', error: expect.stringContaining('filterPattern took') });
  expect(done.indexOf('quick')).toBeLessThan(4);
});
