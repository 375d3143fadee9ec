import { checkedTenant } from '../checked-caller.ts';

type Checked = Awaited<ReturnType<typeof checkedTenant>>;
const APPROVALS = '/api/v1/approvals';

async function aPending(tenant: Checked, policy: object = {}, input: object = {}) {
  await tenant.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', ...policy });
  return again(tenant, input);
}

async function again({ api, workspaceId }: Checked, input: object = {}) {
  const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'x', ...input } };
  return { call, gated: await api.must(202).post('/api/v1/actions/execute', call) };
}

describe('the list', () => {
  test('is sorted newest first; approvals added meanwhile do not shift the later pages', async () => {
    const tenant = await checkedTenant();
    await aPending(tenant, {}, { text: '0' });
    for (const text of ['1', '2', '3', '4']) await again(tenant, { text });
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const page: { approvals: { inputPreview: { text: string } }[]; nextCursor: string | null } = await tenant.api
        .must(200)
        .get(`${APPROVALS}?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.approvals.map(({ inputPreview }) => inputPreview.text));
      cursor = page.nextCursor;
      await again(tenant, { text: `later ${seen.length}` });
    } while (cursor !== null);
    expect(seen).toEqual(['4', '3', '2', '1', '0']);
    expect((await tenant.api.must(200).get(APPROVALS)).total).toBe(8);
  });

  test('can be filtered by workspace, status, source, integration and action', async () => {
    const tenant = await checkedTenant();
    const { api, workspaceId } = tenant;
    const { gated } = await aPending(tenant);
    await api
      .must(202)
      .post(
        '/api/v1/actions/execute',
        { workspaceId, integrationName: 'datetime', actionName: 'is_business_hours' },
        { 'x-svc-source': 'sdk' },
      );
    await api.must(200).post(`${APPROVALS}/${gated.approval.id}/reject`);
    const count = async (query: string) => (await api.must(200).get(`${APPROVALS}?${query}`)).total;
    expect(await count(`workspaceId=${workspaceId}`)).toBe(2);
    expect(await count('workspaceId=11111111-1111-1111-1111-111111111111')).toBe(0);
    expect(await count('status=rejected')).toBe(1);
    expect(await count('status=consumed')).toBe(0);
    expect(await count('source=sdk')).toBe(1);
    expect(await count('integrationName=datetime')).toBe(1);
    expect(await count('actionName=hash&integrationName=hash-encode&status=rejected&source=rest')).toBe(1);
    expect(await count('actionName=hash&integrationName=datetime')).toBe(0);
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    'limit=0',
    'limit=101',
    'status=perhaps',
    'source=fax',
    'workspaceId=x',
    'cursor=',
    'cursor=x',
    `cursor=${encode({})}`,
    `cursor=${encode({ createdAt: '2026-02-31T00:00:00.000000Z', id: 'apr_0000000000000000000000' })}`,
    `cursor=${encode({ createdAt: '0000-01-01T00:00:00.000000Z', id: 'apr_0000000000000000000000' })}`,
    `cursor=${encode({ createdAt: '2026-02-01T00:00:00.000000Z', id: 'x' })}`,
    `cursor=${encode('text')}`,
  ])('a list with the query %s is refused', async (query) => {
    const { api } = await checkedTenant();
    expect(await api.get(`${APPROVALS}?${query}`)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });
});
