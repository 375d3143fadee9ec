import { replaceCredentials } from '../../../commands/connections/replace-credentials.ts';
import { EXECUTE, type MailBed, openMailBed } from './mail-bed.ts';

let bed: MailBed;
let workspaceId: string;
beforeAll(async () => {
  bed = await openMailBed();
});
afterAll(() => bed.close());
beforeEach(async () => {
  workspaceId = await bed.enter();
});

const connect = (account: string) => bed.connect(account);
const configure = (fields: object) => bed.configure(fields);
const send = (fields?: object) => bed.send(fields);
const change = (id: string, fields: object) => bed.api.must(200).patch(`/api/v1/workspaces/${workspaceId}/integrations/${id}`, fields);
const ask = (rules: object = {}) => bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask', workspaceId, rules });
const approve = (id: string) => bed.api.must(200).post(`/api/v1/approvals/${id}/approve`);

test('after an account is reconnected, an approved call needs a new approval', async () => {
  const id = await connect('first');
  await configure({ connectionId: id });
  await ask();
  const { approval } = await bed.api.must(202).post(EXECUTE, send());
  await approve(approval.id);
  await replaceCredentials(bed.gateway, {
    by: { type: 'system', id: null },
    orgId: bed.orgId,
    id,
    credentials: { type: 'SECRET_TEXT', secretText: 'second' },
  });
  const anew = await bed.api.must(202).post(EXECUTE, send());
  expect(anew.approval.id).not.toBe(approval.id);
  await approve(anew.approval.id);
  expect((await bed.api.must(200).post(EXECUTE, send())).output.account).toBe('second');
});

test('a repeated idempotency key returns the stored outcome, even if the configuration has changed', async () => {
  const [first, second] = [await connect('first'), await connect('second')];
  const instance = await configure({ connectionId: first });
  const request = send({ idempotencyKey: 'once' });
  const { output } = await bed.api.must(200).post(EXECUTE, request);
  for (const changed of [{ connectionId: second }, { connectionStrategy: 'per_user' }, { enabledActions: [] }]) {
    await change(instance, changed);
    expect((await bed.api.must(200).post(EXECUTE, request)).output).toEqual(output);
  }
  const other = { ...request, input: { to: 'another' } };
  await change(instance, { connectionStrategy: 'fixed', connectionId: second, enabledActions: null });
  expect(await bed.api.post(EXECUTE, other)).toMatchObject({ status: 409, body: { code: 'IDEMPOTENCY_CONFLICT' } });
});

test("after the configured connection changes, a retry with an approval's idempotency key needs a new approval", async () => {
  const [first, second] = [await connect('first'), await connect('second')];
  const instance = await configure({ connectionId: first });
  await ask();
  const { approval } = await bed.api.must(202).post(EXECUTE, send());
  const retry = send({ idempotencyKey: approval.retry.idempotencyKey });
  await approve(approval.id);
  await change(instance, { connectionId: second });
  const anew = await bed.api.must(202).post(EXECUTE, retry);
  await approve(anew.approval.id);
  const done = await bed.api.must(200).post(EXECUTE, retry);
  expect(done.output.account).toBe('second');
  expect(await bed.api.must(200).post(EXECUTE, retry)).toEqual(done);
});

test('the risk reasons name the rules that apply, but not the value that a partial enforces', async () => {
  await configure({ connectionId: await connect('first') });
  const values = { to: 'boss@secret.example', subject: 'https://open.example/x' };
  const body = { workspaceId, integrationName: 'mail', name: 'p', values, enforcedKeys: ['to'], isDefault: true };
  await bed.api.must(201).post('/api/v1/partials', body);
  await ask({ domainDenylist: ['secret.example'], recipientDenylist: ['boss@secret.example'], domainAllowlist: ['secret.example'] });
  const { approval } = await bed.api.must(202).post(EXECUTE, send({ input: {} }));
  const { riskReasons } = (await bed.api.must(200).get(`/api/v1/approvals/${approval.id}`)).approval;
  expect(riskReasons).toEqual([
    'recipientDenylist: because of a value that is not shown',
    'domainAllowlist: a domain is outside the allowlist',
    'domainDenylist: because of a value that is not shown',
  ]);
});

test('a call that lacks the required end user requests no approval and consumes no idempotency key', async () => {
  await ask();
  const put = { workspaceId, integrationName: 'kv-store', actionName: 'put', input: { key: 'k', value: 1 }, idempotencyKey: 'k' };
  expect(await bed.api.post(EXECUTE, put)).toMatchObject({ status: 400, body: { code: 'END_USER_REQUIRED' } });
  const { total } = await bed.api.must(200).get(`/api/v1/approvals?workspaceId=${workspaceId}`);
  expect(total).toBe(0);
  await bed.api.must(202).post(EXECUTE, { ...put, endUserId: 'ada' });
});
