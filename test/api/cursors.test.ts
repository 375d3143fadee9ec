import { aTenant, type Tenant } from '../support/tenant.ts';
import { aWorkspace, checkedTenant, withWorkspaceKey } from './checked-caller.ts';

const REFUSED = { status: 400, body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'cursor' }] } } };

async function aFilledTenant(): Promise<Tenant> {
  const tenant = await checkedTenant();
  const { api, workspaceId } = tenant;
  await api.must(200).post('/api/v1/approval-policies', { name: 'All', workspaceId, riskMode: 'always' });
  const { server } = await api.must(201).post('/api/v1/mcp/servers', { name: 'Code', workspaceId, mode: 'CODE' });
  for (const text of ['a', 'b', 'c']) {
    const call = { integrationName: 'hash-encode', actionName: 'hash', workspaceId, input: { text } };
    await api.must(202).post('/api/v1/actions/execute', call);
    await api.must(200).post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: `return '${text}'` });
  }
  return tenant;
}

const LISTS = ['/api/v1/approvals', '/api/v1/activity', '/api/v1/code-runs'];

let tenant: Tenant;
let cursors: Record<string, string>;
beforeAll(async () => {
  tenant = await aFilledTenant();
  cursors = {};
  for (const list of LISTS) cursors[list] = (await tenant.api.must(200).get(`${list}?limit=1`)).nextCursor;
});

describe.each(LISTS)('a cursor of the list %s', (list) => {
  const at = (cursor: string, query = '') => `${list}?cursor=${encodeURIComponent(cursor)}${query}`;

  test('works with any page size', async () => {
    for (const limit of [1, 2, 100]) expect((await tenant.api.get(at(cursors[list]!, `&limit=${limit}`))).status).toBe(200);
  });

  test('is invalid in another organization', async () => {
    const stranger = await aTenant();
    expect(await stranger.api.get(at(cursors[list]!))).toMatchObject(REFUSED);
  });

  test('is invalid in another list', async () => {
    for (const other of LISTS.filter((one) => one !== list))
      expect(await tenant.api.get(`${other}?cursor=${encodeURIComponent(cursors[list]!)}`)).toMatchObject(REFUSED);
  });

  test('is invalid in the same list with other filters', async () => {
    expect(await tenant.api.get(at(cursors[list]!, `&workspaceId=${tenant.workspaceId}`))).toMatchObject(REFUSED);
    const { nextCursor } = await tenant.api.must(200).get(`${list}?limit=1&workspaceId=${tenant.workspaceId}`);
    expect((await tenant.api.get(at(nextCursor, `&workspaceId=${tenant.workspaceId}`))).status).toBe(200);
    expect(await tenant.api.get(at(nextCursor))).toMatchObject(REFUSED);
    const other = await aWorkspace(tenant, `other-${list.split('/').at(-1)}`);
    expect(await tenant.api.get(at(nextCursor, `&workspaceId=${other}`))).toMatchObject(REFUSED);
  });

  test('shows a key of another workspace no entries of this workspace', async () => {
    const other = await aWorkspace(tenant, `apart-${list.split('/').at(-1)}`);
    const neighbour = await withWorkspaceKey(tenant, [other]);
    const { body } = await neighbour.get(at(cursors[list]!));
    expect(body[{ approvals: 'approvals', activity: 'activity', 'code-runs': 'codeRuns' }[list.split('/').at(-1)!]!]).toEqual([]);
  });

  test('is refused if any part is changed, cut, forged or repeated', async () => {
    const cursor = cursors[list]!;
    const [payload, mac] = cursor.split('.') as [string, string];
    const place = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...place, createdAt: '2020-01-01T00:00:00.000000Z' })).toString('base64url');
    const wrong = [
      payload,
      `${payload}.`,
      `.${mac}`,
      `${forged}.${mac}`,
      forged,
      `${cursor}.`,
      `${cursor}=`,
      ` ${cursor}`,
      cursor.slice(0, -1),
      `${payload}.${mac.toLowerCase()}`,
      `${cursor}${cursor}`,
      'null',
      '',
    ];
    for (const text of wrong.filter((one) => one !== cursor)) expect([text, await tenant.api.get(at(text))]).toMatchObject([text, REFUSED]);
    expect(await tenant.api.get(at(cursor, `&cursor=${cursor}`))).toMatchObject(REFUSED);
  });
});
