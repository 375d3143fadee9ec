import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { replaceCredentials } from '../../../commands/connections/replace-credentials.ts';
import { toIntegration } from '../../../integrations/declarative/to-integration.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import type { ApiAnswer } from '../../support/caller.ts';
import { type Fake, openFake } from './provider-bed.ts';

let bed: ApiBed;
let fake: Fake;
let connectionId: string;

const account = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+s3cret', region: 'eu-central-1' };
const listing = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"></ListBucketResult>';

beforeAll(async () => {
  [bed, fake] = await Promise.all([openApiBed(), openFake('https://s3.eu-central-1.amazonaws.com')]);
  Object.assign(bed.gateway, { outbound: fake.outbound });
  const { connection } = await bed.api.must(201).post('/api/v1/connections', {
    ...{ integrationName: 'amazon-s3', externalId: 'files', workspaceId: bed.workspaceId, scope: 'WORKSPACE' },
    ...{ type: 'CUSTOM_AUTH', props: { ...account, bucket: 'prod-bucket' } },
  });
  connectionId = connection.id;
});
afterAll(() => Promise.all([bed?.close(), fake?.close()]));
beforeEach(async () => {
  const { policies } = await bed.api.must(200).get('/api/v1/approval-policies');
  for (const { id } of policies) await bed.api.must(200).delete(`/api/v1/approval-policies/${id}`);
  fake.answers({ headers: {}, body: listing });
});

const execute = (actionName: string, input: object) =>
  bed.api.post('/api/v1/actions/execute', { integrationName: 'amazon-s3', actionName, workspaceId: bed.workspaceId, input });
const aPolicy = (decision: string, prefix = 'prod-bucket/secret') =>
  bed.api.must(200).post('/api/v1/approval-policies', { name: 'Secrets', decision, rules: { storagePathPrefixes: [prefix] } });
const useBucket = (bucket: string) =>
  replaceCredentials(bed.gateway, {
    by: { type: 'system', id: null },
    ...{ orgId: bed.orgId, id: connectionId, expiresAt: null },
    credentials: { type: 'CUSTOM_AUTH', props: { ...account, bucket } },
  });

describe('a rule about a bucket', () => {
  const file = { key: 'secret/a' };
  const touching: [string, object][] = [
    ['delete_file', file],
    ['read_file', file],
    ['upload_file', { ...file, content: '' }],
    ['generate_presigned_url', file],
    ['list_files', { prefix: 'secret/' }],
  ];

  test.each(touching)('gates %s if the call or the account names the bucket', async (action, input) => {
    await aPolicy('block');
    for (const named of [{ bucket: 'prod-bucket' }, {}])
      expect(await execute(action, { ...input, ...named })).toMatchObject({ status: 403, body: { code: 'APPROVAL_POLICY_BLOCKED' } });
    expect(fake.seen).toEqual([]);
  });

  test.each(touching)('does not gate %s if the call names another bucket', async (action, input) => {
    await aPolicy('block');
    expect((await execute(action, { ...input, bucket: 'other-bucket' })).status).toBe(200);
  });
});

test("an approval shows the account's bucket and covers only this bucket", async () => {
  await aPolicy('require_approval');
  const remove = () => execute('delete_file', { key: 'secret/a' });
  const askedFor = async (answer: ApiAnswer) => {
    expect(answer.status).toBe(202);
    return (await bed.api.must(200).get(`/api/v1/approvals/${answer.body.approval.id}`)).approval;
  };
  const here = await askedFor(await remove());
  expect(here.inputPreview).toEqual({ bucket: 'prod-bucket', key: 'secret/a' });
  await bed.api.must(200).post(`/api/v1/approvals/${here.id}/approve`, {});
  expect(await remove()).toMatchObject({ status: 200, body: { output: { bucket: 'prod-bucket', deleted: true } } });
  expect(fake.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /prod-bucket/secret/a']);

  const unused = await askedFor(await execute('delete_file', { key: 'secret/b' }));
  await bed.api.must(200).post(`/api/v1/approvals/${unused.id}/approve`, {});
  await useBucket('backups');
  await aPolicy('require_approval', 'backups');
  const elsewhere = await askedFor(await execute('delete_file', { key: 'secret/b' }));
  expect(elsewhere.inputPreview).toEqual({ bucket: 'backups', key: 'secret/b' });
  expect(elsewhere.inputHash).not.toBe(unused.inputHash);
  expect(fake.seen).toHaveLength(1);
});

test('choices that depend on an input are offered if the account provides the input', async () => {
  const meta = await openFake('https://graph.facebook.com');
  meta.answers({ body: { data: [{ id: '1', name: 'hello_world' }] } });
  Object.assign(bed.gateway, { outbound: meta.outbound });
  const connect = (externalId: string, props: object) =>
    bed.api.must(201).post('/api/v1/connections', { integrationName: 'whatsapp', externalId, type: 'CUSTOM_AUTH', props });
  await connect('whole', { accessToken: 'EAAG-s3cret', phone_number_id: '1234567', waba_id: '7654321' });
  await connect('part', { accessToken: 'EAAG-s3cret', phone_number_id: '1234567' });
  const askFor = (connectionExternalId: string) =>
    bed.api.must(200).post('/api/v1/integrations/whatsapp/properties/options', {
      ...{ actionName: 'send_template_message', propertyName: 'name', input: {}, workspaceId: bed.workspaceId, connectionExternalId },
    });
  const answers = await Promise.all([askFor('whole'), askFor('part')]).finally(() => {
    Object.assign(bed.gateway, { outbound: fake.outbound });
    return meta.close();
  });
  expect(answers).toEqual([
    { options: [{ label: 'hello_world', value: 'hello_world' }], disabled: false },
    { options: [], disabled: true },
  ]);
  expect(meta.seen.map(({ url }) => url)).toEqual(['/v23.0/7654321/message_templates?limit=100&fields=name']);
});

/** An integration with one action, whose inputs are `project` and `key`. */
function declare(accountDefaults: string[], props: Record<string, object>) {
  return toIntegration('x', {
    ...{ format: 1, displayName: 'X', description: 'x', categories: ['AI'], baseUrl: 'https://x.example', authenticate: { headers: {} } },
    auth: Object.entries(props).map(([key, properties]) => ({ key, type: 'CUSTOM_AUTH', displayName: key, props: { properties } })),
    accountDefaults,
    actions: {
      look: {
        ...{ displayName: 'Look', description: 'x', category: 'read', request: { path: '/{project}' } },
        ...{ input: { properties: { project: { type: 'string' }, key: { type: 'string' } } }, output: {} },
      },
    },
  });
}

const text = { type: 'string' };

test('a secret of an account cannot be declared as a default input', () => {
  const key = { key: text, project: { ...text, public: true } };
  expect(() => declare(['key'], { key })).toThrow(/key is not a public prop/);
  expect(() => declare(['nothing'], { key })).toThrow(/nothing is not a public prop/);
  const { look } = declare(['project'], { key }).actions;
  expect(look!.completeInput!({}, { type: 'CUSTOM_AUTH', props: { key: 's', project: 'p' } })).toEqual({ project: 'p' });
});

test('default inputs follow the method of the account, not the first method of its type', () => {
  const { look } = declare(['project'], {
    number: { project: { type: 'integer', public: true } },
    text: { project: { ...text, public: true } },
    secret: { project: text },
  }).actions;
  const fill = (methodKey: string, project: unknown) => look!.completeInput!({}, { type: 'CUSTOM_AUTH', methodKey, props: { project } });
  expect([fill('text', 'p'), fill('number', 'p'), fill('secret', 'p')]).toEqual([{ project: 'p' }, {}, {}]);
});
