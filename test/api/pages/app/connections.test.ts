import { type ApiBed, openApiBed } from '../../api-bed.ts';
import { submit } from '../../connect/connect-bed.ts';
import { type AppMember, aMember } from './app-bed.ts';
import { type ConnectedRecords, connectedRecords } from './connected-records.ts';

let bed: ApiBed;
let admin: AppMember;
let viewer: AppMember;
let ids: ConnectedRecords;
beforeAll(async () => {
  bed = await openApiBed();
  [admin, viewer] = [await aMember(bed, 'admin'), await aMember(bed, 'viewer')];
});
afterAll(() => bed.close());

async function connectAt(html: string, secretText: string): Promise<number> {
  const { pathname, search } = new URL(/readonly value="([^"]+)"/.exec(html)![1]!);
  return (await submit(bed.apiUrl + pathname + search, { method: 'token', 'field.secretText': secretText })).status;
}

test('without connections, the list explains what a connection is', async () => {
  expect((await admin.get('/connections')).text).toMatch(/No connections yet\. A connection is an account.*/);
});

test('a connect link is shown once; its account is listed and can be disconnected', async () => {
  const typed = { integrationName: 'mail', workspaceId: bed.workspaceId, scope: 'ORGANIZATION', connectionName: 'Team mail' };
  const made = await admin.post('/connections/new', typed);
  expect([made.status, made.text]).toEqual([200, expect.stringMatching(/Connect an account.*Copy it now.*once, within an hour/)]);
  expect(await connectAt(made.html, 'a secret of the team')).toBe(303);

  const list = await admin.get('/connections');
  expect(list.text).toMatch(/Team mail The whole organization Mail Works Not in 7 days/);
  const id = /\/app\/connections\/([0-9a-f-]{36})/.exec(list.html)![1]!;
  const page = await admin.get(`/connections/${id}`);
  expect(page.text).toMatch(/Team mail Status Works Whose The whole organization/);
  expect(page.html + list.html).not.toContain('a secret of the team');

  expect((await admin.get(`/connections/${id}/disconnect`)).text).toMatch(
    /Disconnect Team mail\?.*No call used this account in the last 7 days\..*Disconnect Keep it/,
  );
  expect((await admin.post(`/connections/${id}/disconnect`)).location).toMatch(/\/app\/connections$/);
  expect((await bed.api.must(200).get('/api/v1/connections')).total).toBe(0);
});

test('an account with an error shows the reason, and works again after it is reconnected', async () => {
  ids = await connectedRecords(bed);
  const { connectionId } = ids;
  await bed.gateway.db('connections').where({ id: connectionId }).update({ status: 'ERROR', status_reason: 'token <revoked>' });
  const broken = await viewer.get(`/connections/${connectionId}`);
  expect(broken.text).toMatch(/The third party refuses the credentials: token <revoked>\. Reconnect the account\./);
  expect(broken.text).not.toMatch(/Disconnect|Reconnect Used/);
  await bed.gateway.db('connections').where({ id: connectionId }).update({ status_reason: 'Its grant is gone.' });
  expect((await viewer.get(`/connections/${connectionId}`)).text).toContain('credentials: Its grant is gone. Reconnect the account.');
  await bed.gateway.db('connections').where({ id: connectionId }).update({ status_reason: null });
  expect((await viewer.get(`/connections/${connectionId}`)).text).toContain('The access has ended. Reconnect the account.');

  const made = await admin.post(`/connections/${connectionId}/reconnect`);
  expect(made.text).toMatch(/Reconnect Mail of Ada.*Copy it now.*Nothing else changes/);
  expect(await connectAt(made.html, 'new')).toBe(303);
  const { connection } = await bed.api.must(200).get(`/api/v1/connections?id=${connectionId}`);
  expect(connection).toMatchObject({ id: connectionId, status: 'ACTIVE', scope: 'USER' });
});

test('the list can be filtered by status, owner and integration, and shows each account’s last use', async () => {
  const { connectionId, sharedConnectionId } = ids;
  await bed.gateway.db('connections').where({ id: sharedConnectionId }).update({ status: 'REVOKED' });
  await bed.gateway.db('calls').insert({
    ...{ org_id: bed.orgId, workspace_id: bed.workspaceId, source: 'rest', integration_name: 'mail', action_name: 'send' },
    ...{ connection_id: connectionId, requested_by_type: 'api_key', input_hash: 'x', status: 'succeeded' },
  });
  const shown = async (query: string) => {
    const { text } = await viewer.get(`/connections?${query}`);
    return ['Mail of Ada', 'Mail for all of Ada'].filter((name) => text.includes(`${name} `));
  };
  expect(await shown('status=ACTIVE')).toEqual(['Mail of Ada']);
  expect(await shown('status=REVOKED')).toEqual(['Mail for all of Ada']);
  expect(await shown('status=EXPIRING')).toEqual([]);
  expect(await shown('whose=USER')).toEqual(['Mail of Ada']);
  expect(await shown(`whose=WORKSPACE&integration=mail&workspace=${bed.workspaceId}`)).toEqual(['Mail for all of Ada']);
  expect(await shown('integration=nothing&status=x&whose=y&page=x')).toHaveLength(2);
  expect((await viewer.get('/connections')).html).toMatch(/data-label="Last use">\s*<time/);
  expect((await viewer.get('/connections?status=EXPIRING')).text).toContain('Nothing matches these filters.');
});

test.each([
  ['without an integration', { integrationName: '' }, 'Integration is missing'],
  ['with an integration that needs no account', { integrationName: 'http' }, 'Integration http needs no account'],
  ['with an unknown integration', { integrationName: 'nothing' }, 'Integration is not in the catalogue'],
  ['for one person, but without the person', { scope: 'USER' }, 'Person is missing'],
  ['for everybody and also for a person', { scope: 'WORKSPACE', endUserId: 'ada' }, 'Person fits only'],
  ['in an unknown workspace', { workspaceId: '00000000-0000-4000-8000-000000000000' }, 'Workspace is not one of your workspaces'],
])('%s, no link is created and the form keeps its values', async (_, wrong, problem) => {
  const typed = { integrationName: 'mail', workspaceId: bed.workspaceId, scope: 'ORGANIZATION', connectionName: 'Typed', ...wrong };
  const { status, text, html } = await admin.post('/connections/new', typed);
  expect([status, text]).toEqual([400, expect.stringMatching(new RegExp(`Nothing was saved\\..*${problem}`))]);
  expect(html).toContain('value="Typed"');
  expect(text).not.toContain('Copy it now');
});
