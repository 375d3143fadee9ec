import { EXECUTE, type MailBed, openMailBed } from './mail-bed.ts';

let bed: MailBed;
let workspaceId: string;
let instance: string;
beforeAll(async () => {
  bed = await openMailBed();
});
afterAll(() => bed.close());
beforeEach(async () => {
  workspaceId = await bed.enter();
  instance = await bed.configure({ connectionId: await bed.connect('a') });
});

async function aPartial(name: string, values: object, fields: object = {}): Promise<string> {
  const body = { workspaceId, integrationName: 'mail', name, values, ...fields };
  return (await bed.api.must(201).post('/api/v1/partials', body)).partial.id;
}

const call = (input: object, partialIds?: string[]) => ({
  ...{ workspaceId, integrationName: 'mail', actionName: 'send', input },
  ...(partialIds && { partialIds }),
});
const sent = async (input: object, partialIds?: string[]) => {
  const { to, subject } = (await bed.api.must(200).post(EXECUTE, call(input, partialIds))).output;
  return { to, subject };
};

test('merge order: the input overrides partial values; enforced keys override the input (contract decisions 2, Partials)', async () => {
  const id = await aPartial('team', { to: 'team', subject: 'default' }, { enforcedKeys: ['to'] });
  expect(await sent({}, [id])).toEqual({ to: 'team', subject: 'default' });
  expect(await sent({ to: 'elsewhere', subject: 'mine' }, [id])).toEqual({ to: 'team', subject: 'mine' });
});

test('a request names partials by id or name; later partials override earlier ones', async () => {
  await aPartial('first', { to: 'first', subject: 'first' });
  const second = await aPartial('second', { subject: 'second' });
  expect(await sent({}, ['first', second])).toEqual({ to: 'first', subject: 'second' });
  expect(await sent({}, [second, 'first'])).toEqual({ to: 'first', subject: 'first' });
});

test('default partials apply unless the request sends a list of partials', async () => {
  await aPartial('whole', { to: 'whole', subject: 'whole' }, { isDefault: true });
  await aPartial('of the action', { subject: 'action' }, { isDefault: true, actionName: 'send' });
  await aPartial('not a default', { subject: 'never' });
  expect(await sent({})).toEqual({ to: 'whole', subject: 'action' });
  expect(await sent({ to: 'x' }, [])).toEqual({ to: 'x', subject: undefined });
  expect(await bed.api.post(EXECUTE, call({}, []))).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
});

test('keys that the action lacks are ignored in a partial, but refused in the input', async () => {
  const id = await aPartial('wide', { to: 'x', channel: 'general' });
  expect(await sent({}, [id])).toMatchObject({ to: 'x' });
  expect(await bed.api.post(EXECUTE, call({ channel: 'general' }, [id]))).toMatchObject({
    status: 400,
    body: { code: 'VALIDATION_ERROR' },
  });
});

test('the error for an unknown or mismatched partial names the partial', async () => {
  const other = (
    await bed.api.must(201).post('/api/v1/partials', { workspaceId, integrationName: 'kv-store', name: 'kv', values: { key: 'k' } })
  ).partial.id;
  expect(await bed.api.post(EXECUTE, call({ to: 'x' }, ['no such']))).toMatchObject({
    status: 404,
    body: { code: 'PARTIAL_NOT_FOUND', details: { partialIds: ['no such'] } },
  });
  expect(await bed.api.post(EXECUTE, call({ to: 'x' }, [other]))).toMatchObject({
    status: 409,
    body: { code: 'PARTIAL_MISMATCH', details: { partialIds: [other] } },
  });
});

test('a partial for one instance applies only to that instance', async () => {
  const id = await aPartial('here', { subject: 'here' }, { workspaceIntegrationId: instance });
  expect(await sent({ to: 'x' }, [id])).toEqual({ to: 'x', subject: 'here' });
  const { integrations } = await bed.api.must(200).get(`/api/v1/workspaces/${workspaceId}/integrations`);
  const another = { integrationName: 'mail', alias: 'other', connectionId: integrations[0].connectionId };
  await bed.api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, another);
  expect(await bed.api.post(EXECUTE, { ...call({ to: 'x' }, [id]), integrationAlias: 'other' })).toMatchObject({
    status: 409,
    body: { code: 'PARTIAL_MISMATCH' },
  });
});

test('an approval does not show an enforced value; a call with another enforced value needs a new approval', async () => {
  const id = await aPartial('hidden', { to: 'ceo', subject: 'shown' }, { enforcedKeys: ['to'] });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask', workspaceId });
  const { approval } = await bed.api.must(202).post(EXECUTE, call({}, [id]));
  const { approval: detail } = await bed.api.must(200).get(`/api/v1/approvals/${approval.id}`);
  expect(JSON.stringify(detail)).not.toContain('ceo');
  expect(detail.redactedPaths).toEqual(['to']);
  const page = await (
    await fetch(`${bed.apiUrl}${new URL(detail.hostedApprovalUrl).pathname}${new URL(detail.hostedApprovalUrl).search}`)
  ).text();
  expect(page.replace(/\s+/g, ' ')).toContain(
    'Your organization has preset these values. The call uses them, but this page does not show them.</p> <ul class="chips"> <li><code>to</code>',
  );
  expect(page).not.toContain('These values are secret, or contain a preset value.');
  expect(detail.inputPreview.subject).toBe('shown');
  await bed.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);

  await bed.api.must(200).patch(`/api/v1/partials/${id}`, { values: { to: 'someone else', subject: 'shown' } });
  const retried = { ...call({}, [id]) };
  const anew = await bed.api.must(202).post(EXECUTE, retried);
  expect(anew.approval.id).not.toBe(approval.id);
});
