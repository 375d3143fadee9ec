import { createOrg } from '../../../commands/access/create-org.ts';
import { recordActivity } from '../../../commands/audit/record-activity.ts';
import { hashActivity, sealActivity } from '../../../commands/audit/seal-activity.ts';
import type { NewActivity } from '../../../domain/activity.ts';
import type { Tenant } from '../../support/tenant.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aWorkspace, checkedCaller, withKey, withWorkspaceKey } from '../checked-caller.ts';
import { anActivity } from './activity-bed.ts';

const ACTIVITY = '/api/v1/activity';
const APPROVAL = 'apr_0000000000000000000001';
const POLICY = '11111111-1111-4111-8111-111111111111';
const RUN = 'crun_1';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed.close());

async function anOrg(): Promise<Tenant & { write(...entries: Partial<NewActivity>[]): Promise<void> }> {
  const org = await createOrg(bed.gateway, 'Another');
  const { orgId, workspaceId } = org;
  const write = (...entries: Partial<NewActivity>[]) =>
    recordActivity(bed.gateway.db, ...entries.map((entry) => anActivity(orgId, { workspaceId, ...entry })));
  return { ...org, apiUrl: bed.apiUrl, api: checkedCaller(bed.apiUrl, org.plainKey), write };
}

const namesOf = ({ activity }: { activity: { details: { name: string } }[] }) => activity.map(({ details }) => details.name);
const named = (name: string, fields: Partial<NewActivity> = {}) => ({ details: { name }, ...fields });

test('the activity log lists rows newest first, with every field and without a total', async () => {
  const { api, orgId, workspaceId, write } = await anOrg();
  await write(
    named('first'),
    named('second', {
      ...{
        type: 'approval.consumed',
        actor: { type: 'mcp_token', id: 'a token' },
        approvalId: APPROVAL,
        policyId: POLICY,
        policyVersion: 3,
      },
      ...{ callId: POLICY, codeRunId: RUN, deliveryId: POLICY, integrationName: 'http', actionName: 'send_request' },
    }),
  );
  const answer = await api.must(200).get(ACTIVITY);
  expect(Object.keys(answer)).toEqual(['activity', 'nextCursor']);
  expect(namesOf(answer)).toEqual(['second', 'first']);
  expect(answer.activity[0]).toEqual({
    ...{ id: expect.any(Number), orgId, workspaceId, type: 'approval.consumed', actorType: 'mcp_token', actorId: 'a token' },
    ...{ approvalId: APPROVAL, policyId: POLICY, policyVersion: 3, callId: POLICY, codeRunId: RUN, deliveryId: POLICY },
    ...{ integrationName: 'http', actionName: 'send_request', details: { name: 'second' }, position: null, hash: null },
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
  });
});

test('a caller can recompute the hash chain of sealed rows from the answers alone', async () => {
  const { api, write } = await anOrg();
  await write(named('first'), named('second', { workspaceId: null }), named('third'));
  await sealActivity(bed.gateway.db);
  const { activity } = await api.must(200).get(ACTIVITY);
  let previous: string | null = null;
  for (const { position, hash, details, ...row } of activity.reverse()) {
    previous = hashActivity(previous, position, { ...row, details: JSON.stringify(details) });
    expect(hash).toBe(previous);
  }
  expect(activity.map(({ position }: { position: number }) => position)).toEqual([1, 2, 3]);
});

test('each filter narrows the list; combined filters narrow the list further', async () => {
  const tenant = await anOrg();
  const { api, write, workspaceId } = tenant;
  const elsewhere = await aWorkspace(tenant, 'elsewhere');
  await write(
    named('plain'),
    named('typed', { type: 'policy.deleted' }),
    named('of an approval', { approvalId: APPROVAL }),
    named('of a policy', { policyId: POLICY }),
    named('of a run', { codeRunId: RUN }),
    named('of both', { approvalId: APPROVAL, codeRunId: RUN }),
    named('elsewhere', { workspaceId: elsewhere, approvalId: APPROVAL }),
    named('of all', { workspaceId: null }),
  );
  const list = async (query: string) => namesOf(await api.must(200).get(`${ACTIVITY}?${query}`)).sort();
  expect(await list('type=policy.deleted')).toEqual(['typed']);
  expect(await list(`approvalId=${APPROVAL}`)).toEqual(['elsewhere', 'of an approval', 'of both']);
  expect(await list(`policyId=${POLICY}`)).toEqual(['of a policy']);
  expect(await list(`codeRunId=${RUN}`)).toEqual(['of a run', 'of both']);
  expect(await list(`codeRunId=${RUN}&approvalId=${APPROVAL}`)).toEqual(['of both']);
  // One of the two rows records the workspace's creation.
  expect(await list(`workspaceId=${elsewhere}`)).toEqual(['elsewhere', 'elsewhere']);
  expect(await list(`workspaceId=${workspaceId}&approvalId=${APPROVAL}`)).toEqual(['of an approval', 'of both']);
  expect(await list('type=webhook.delivered')).toEqual([]);
});

test('`from` is inclusive and `to` is exclusive, with a precision of microseconds', async () => {
  const { api, write } = await anOrg();
  for (const name of ['first', 'second', 'third']) await write(named(name));
  const times = (await api.must(200).get(ACTIVITY)).activity.map(({ createdAt }: { createdAt: string }) => createdAt);
  const [third, second, first] = times;
  const list = async (query: string) => namesOf(await api.must(200).get(`${ACTIVITY}?${query}`));
  expect(await list(`from=${second}`)).toEqual(['third', 'second']);
  expect(await list(`to=${second}`)).toEqual(['first']);
  expect(await list(`from=${first}&to=${third}`)).toEqual(['second', 'first']);
  expect(await list('from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.999999999999Z')).toHaveLength(3);
});

test('a page continues after the previous page, even if rows were added meanwhile', async () => {
  const { api, write } = await anOrg();
  await write(...Array.from({ length: 7 }, (_, index) => named(String(index))));
  const first = await api.must(200).get(`${ACTIVITY}?limit=3`);
  await write(named('late'));
  const second = await api.must(200).get(`${ACTIVITY}?limit=3&cursor=${first.nextCursor}`);
  const third = await api.must(200).get(`${ACTIVITY}?limit=3&cursor=${second.nextCursor}`);
  expect([first, second, third].map(namesOf)).toEqual([['6', '5', '4'], ['3', '2', '1'], ['0']]);
  expect(third.nextCursor).toBeNull();
});

test('a workspace key sees only rows of its workspaces', async () => {
  const tenant = await anOrg();
  const { api, write, workspaceId } = tenant;
  const [second, third] = [await aWorkspace(tenant, 'second'), await aWorkspace(tenant, 'third')];
  await write(
    named('a', { workspaceId }),
    named('b', { workspaceId: second }),
    named('c', { workspaceId: third }),
    named('d', { workspaceId: null }),
    named('e', { workspaceId }),
    named('f', { workspaceId: second }),
  );
  const both = await withWorkspaceKey(tenant, [workspaceId, second]);
  const page = await both.must(200).get(`${ACTIVITY}?limit=3`);
  expect(namesOf(page)).toEqual(['f', 'e', 'b']);
  expect(namesOf(await both.must(200).get(`${ACTIVITY}?limit=3&cursor=${page.nextCursor}`))).toEqual(['a', 'second']);
  expect(namesOf(await both.must(200).get(`${ACTIVITY}?workspaceId=${second}`))).toEqual(['f', 'b', 'second']);
  expect((await both.get(`${ACTIVITY}?workspaceId=${third}`)).body.code).toBe('SCOPE_DENIED');
  expect(namesOf(await (await withWorkspaceKey(tenant, [])).must(200).get(ACTIVITY))).toEqual([]);
  const keys = Array(3).fill('Another key');
  expect(namesOf(await (await withKey(tenant, {})).must(200).get(ACTIVITY))).toEqual([
    ...keys,
    'f',
    'e',
    'd',
    'c',
    'b',
    'a',
    'third',
    'second',
  ]);
  expect(namesOf(await api.must(200).get(`${ACTIVITY}?workspaceId=${bed.workspaceId}`))).toEqual([]);
});

test('rows of another organization are not shown, with or without a filter', async () => {
  const [mine, theirs] = [await anOrg(), await anOrg()];
  await theirs.write(named('theirs', { approvalId: APPROVAL, policyId: POLICY, codeRunId: RUN }));
  for (const query of ['', `approvalId=${APPROVAL}`, `policyId=${POLICY}`, `codeRunId=${RUN}`, `workspaceId=${theirs.workspaceId}`])
    expect(namesOf(await mine.api.must(200).get(`${ACTIVITY}?${query}`))).toEqual([]);
});

test.each([
  ['type', 'approval.forgotten'],
  ['approvalId', 'apr_1'],
  ['policyId', 'x'],
  ['workspaceId', 'x'],
  ['from', 'yesterday'],
  ['from', '2026-02-30T00:00:00Z'],
  ['to', '0000-01-01T00:00:00Z'],
  ['to', `2026-01-01T00:00:00.${'0'.repeat(200)}Z`],
  ['cursor', 'x'],
  ['cursor', Buffer.from('{"createdAt":"2026-01-01T00:00:00.000000Z","id":"7"}').toString('base64url')],
  ['cursor', Buffer.from('{"createdAt":"2026-01-01T00:00:00.000000Z","id":1e30}').toString('base64url')],
  ['codeRunId', 'a%00b'],
])('%s=%s is refused', async (name, value) => {
  const { status, body } = await bed.api.get(`${ACTIVITY}?${name}=${value}`);
  expect([status, body.code, body.details.issues[0].path]).toEqual([400, 'VALIDATION_ERROR', name]);
});

test('an invalid parameter is reported before a missing scope', async () => {
  const tenant = await anOrg();
  const nowhere = await withWorkspaceKey(tenant, []);
  const { body } = await nowhere.get(`${ACTIVITY}?workspaceId=${tenant.workspaceId}&cursor=x`);
  expect(body.code).toBe('VALIDATION_ERROR');
});
