import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aWorkspace, withWorkspaceKey } from '../checked-caller.ts';
import { aConnection, anEndUser, aStranger, END_USERS } from './end-user-bed.ts';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ RATE_LIMIT_PER_SECOND: '0' });
});
afterAll(() => bed?.close());

test('an end user can be created, read, changed and deleted', async () => {
  const { api, workspaceId } = bed;
  const fields = { externalId: 'ada', displayName: 'Ada', email: 'ada@example.com', metadata: { plan: 'pro', seats: [1, { a: null }] } };
  const { endUser } = await api.must(201).post(END_USERS, { workspaceId, ...fields });
  expect(endUser).toMatchObject({ ...fields, workspaceId, type: 'external', connectionCount: 0 });
  const path = `${END_USERS}/${endUser.id}`;
  expect(await api.must(200).get(path)).toEqual({ endUser, connections: [] });
  const changed = (await api.must(200).patch(path, { displayName: 'Ada L.' })).endUser;
  expect(changed).toEqual({ ...endUser, displayName: 'Ada L.', updatedAt: changed.updatedAt });
  expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(endUser.updatedAt));
  expect(await api.must(200).delete(path)).toEqual({ deleted: true, id: endUser.id, connectionsDeleted: 0 });
  for (const answer of [await api.get(path), await api.delete(path), await api.patch(path, { displayName: 'x' })]) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
});

test('workspaceId and externalId are enough; other fields are null, and metadata is empty', async () => {
  expect(await anEndUser(bed, { externalId: 'bare' })).toMatchObject({ displayName: null, email: null, metadata: {} });
});

describe('creating', () => {
  test.each([
    ['externalId', 'x', 201],
    ['externalId', '', 400],
    ['externalId', 'x'.repeat(200), 201],
    ['externalId', 'x'.repeat(201), 400],
    ['externalId', 'a\0b', 400],
    ['externalId', '\ud800', 400],
    ['externalId', 7, 400],
    ['externalId', null, 400],
    ['displayName', 'x', 201],
    ['displayName', '', 400],
    ['displayName', 'x'.repeat(200), 201],
    ['displayName', 'x'.repeat(201), 400],
    ['displayName', null, 400],
    ['email', 'a@b.co', 201],
    ['email', `${'x'.repeat(242)}@example.com`, 201],
    ['email', `${'x'.repeat(243)}@example.com`, 400],
    ['email', 'no address', 400],
    ['email', 'a@b.co\r\nBcc: c@d.co', 400],
    ['email', 'a@b.co,c@d.co', 400],
    ['email', '', 400],
    ['email', null, 400],
    ['metadata', {}, 201],
    ['metadata', [], 400],
    ['metadata', 'text', 400],
    ['metadata', null, 400],
    ['workspaceId', 'no-uuid', 400],
    ['type', 'external', 400],
    ['unknown', 1, 400],
  ])('creating an end user with %s %j answers status %i', async (field, value, status) => {
    const body = { workspaceId: bed.workspaceId, externalId: `${field} ${JSON.stringify(value)}`.slice(0, 200), [field]: value };
    const answer = await bed.api.post(END_USERS, body);
    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body).toMatchObject({ code: 'VALIDATION_ERROR', details: { issues: [{ path: expect.stringContaining(field) }] } });
  });

  test('the error for an empty body names both missing fields', async () => {
    const { status, body } = await bed.api.post(END_USERS, {});
    expect([status, body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.details.issues.map(({ path }: { path: string }) => path)).toEqual(['workspaceId', 'externalId']);
    expect(await bed.api.post(END_USERS)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
  });

  test('metadata is stored exactly as sent, including characters that a text column cannot hold', async () => {
    const metadata = { z: 1, a: { deep: [[{ 'k\0': 'v\0' }]] }, '': 'no name', half: '\ud800', big: 1e300, emoji: '👩🏽‍🚀' };
    const { id, metadata: answered } = await anEndUser(bed, { metadata });
    const { endUser } = await bed.api.must(200).get(`${END_USERS}/${id}`);
    for (const kept of [answered, endUser.metadata]) expect(JSON.stringify(kept)).toBe(JSON.stringify(metadata));
  });

  test('metadata can have at most 64 KiB of JSON', async () => {
    const bodyOf = (length: number) => {
      const text = 'x'.repeat(length - '{"text":""}'.length);
      return { workspaceId: bed.workspaceId, externalId: `big-${length}`, metadata: { text } };
    };
    expect((await bed.api.post(END_USERS, bodyOf(65_536))).status).toBe(201);
    const refused = { status: 400, body: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'metadata' }] } } };
    expect(await bed.api.post(END_USERS, bodyOf(65_537))).toMatchObject(refused);
  });

  test('a repeated externalId answers DUPLICATE; another workspace can use the same externalId', async () => {
    const other = await aWorkspace(bed, 'free-names');
    await anEndUser(bed, { externalId: 'taken' });
    const body = { workspaceId: bed.workspaceId, externalId: 'taken' };
    expect(await bed.api.post(END_USERS, body)).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
    expect((await bed.api.post(END_USERS, { ...body, workspaceId: other })).status).toBe(201);
    expect((await bed.api.post(END_USERS, { ...body, externalId: 'Taken' })).status).toBe(201);
  });

  test('of twenty concurrent requests, one creates the end user and nineteen get DUPLICATE', async () => {
    const body = { workspaceId: bed.workspaceId, externalId: 'wanted' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => bed.api.post(END_USERS, body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, body }) => status === 409 && body.code === 'DUPLICATE')).toHaveLength(19);
  });
});

describe('changing', () => {
  test('null clears the name and the e-mail address; absent fields stay unchanged', async () => {
    const { id } = await anEndUser(bed, { displayName: 'Bo', email: 'bo@example.com', metadata: { a: 1 } });
    const change = async (changes: object) => (await bed.api.must(200).patch(`${END_USERS}/${id}`, changes)).endUser;
    expect(await change({ displayName: null })).toMatchObject({ displayName: null, email: 'bo@example.com', metadata: { a: 1 } });
    expect(await change({ email: null })).toMatchObject({ displayName: null, email: null, metadata: { a: 1 } });
    expect(await change({ metadata: { b: 2 } })).toMatchObject({ metadata: { b: 2 } });
    expect(await change({ displayName: 'Bo', email: 'b@example.com', metadata: {} })).toMatchObject({
      displayName: 'Bo',
      email: 'b@example.com',
      metadata: {},
    });
  });

  test.each([
    {},
    undefined,
    { metadata: null },
    { metadata: [] },
    { displayName: '' },
    { displayName: 'x'.repeat(201) },
    { email: 'no address' },
    { externalId: 'other' },
    { workspaceId: UNKNOWN },
    { displayName: 'x', unknown: 1 },
  ])('changing an end user to %j answers VALIDATION_ERROR', async (changes) => {
    const endUser = await anEndUser(bed);
    expect(await bed.api.patch(`${END_USERS}/${endUser.id}`, changes)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect((await bed.api.must(200).get(`${END_USERS}/${endUser.id}`)).endUser).toEqual(endUser);
  });
});

test('every answer counts the connections, and reading one end user also lists them', async () => {
  const workspaceId = await aWorkspace(bed, 'counted');
  const place = { db: bed.gateway.db, orgId: bed.orgId };
  const [many, one] = [await anEndUser(bed, { workspaceId }), await anEndUser(bed, { workspaceId })];
  const first = await aConnection(place, many, { external_id: 'mine', type: 'PLATFORM_OAUTH2' });
  const second = await aConnection(place, many, { status: 'ERROR' });
  await aConnection(place, one);

  const { endUser, connections } = await bed.api.must(200).get(`${END_USERS}/${many.id}`);
  expect(endUser.connectionCount).toBe(2);
  expect(connections).toEqual([
    {
      id: first,
      externalId: 'mine',
      displayName: 'Account',
      integrationName: 'mail',
      type: 'PLATFORM_OAUTH2',
      status: 'ACTIVE',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
    expect.objectContaining({ id: second, status: 'ERROR' }),
  ]);
  const listed = await bed.api.must(200).get(`${END_USERS}?workspaceId=${workspaceId}`);
  expect(listed.endUsers.map((item: { connectionCount: number }) => item.connectionCount)).toEqual([2, 1]);
  expect((await bed.api.must(200).patch(`${END_USERS}/${many.id}`, { displayName: 'x' })).endUser.connectionCount).toBe(2);
});

describe('keys and organizations', () => {
  test('a key of another organization finds nothing, and cannot learn whether an externalId exists', async () => {
    const endUser = await anEndUser(bed, { externalId: 'secretly here' });
    const { api } = await aStranger(bed);
    const path = `${END_USERS}/${endUser.id}`;
    for (const answer of [
      await api.get(path),
      await api.patch(path, { displayName: 'x' }),
      await api.delete(path),
      await api.post(`${path}/connect-token`),
      await api.post(`${path}/invite`, { email: 'a@example.com' }),
      await api.get(`${END_USERS}?workspaceId=${bed.workspaceId}`),
      await api.post(END_USERS, { workspaceId: bed.workspaceId, externalId: 'secretly here' }),
      await api.post(END_USERS, { workspaceId: bed.workspaceId, externalId: 'new' }),
      await bed.api.get(`${END_USERS}/${UNKNOWN}`),
      await bed.api.get(`${END_USERS}/${endUser.externalId}`),
      await bed.api.post(END_USERS, { workspaceId: UNKNOWN, externalId: 'new' }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    }
    expect((await bed.api.must(200).get(path)).endUser).toEqual(endUser);
  });

  test('only keys that reach the workspace are accepted', async () => {
    const endUser = await anEndUser(bed, { externalId: 'inside' });
    const path = `${END_USERS}/${endUser.id}`;
    const next = await aWorkspace(bed, 'next-door');
    for (const key of [await withWorkspaceKey(bed, [next]), await withWorkspaceKey(bed, [])]) {
      for (const answer of [
        await key.get(path),
        await key.patch(path, { displayName: 'x' }),
        await key.delete(path),
        await key.post(`${path}/connect-token`),
        await key.post(`${path}/invite`, { email: 'a@example.com' }),
        await key.get(`${END_USERS}?workspaceId=${bed.workspaceId}`),
        await key.post(END_USERS, { workspaceId: bed.workspaceId, externalId: 'inside' }),
        await key.post(END_USERS, { workspaceId: bed.workspaceId, externalId: 'new' }),
      ]) {
        expect(answer).toMatchObject({ status: 403, body: { code: 'SCOPE_DENIED' } });
      }
      expect((await key.post(END_USERS, { workspaceId: UNKNOWN, externalId: 'x' })).status).toBe(404);
    }
    const own = await withWorkspaceKey(bed, [bed.workspaceId]);
    expect((await own.must(200).get(path)).endUser).toEqual(endUser);
    await own.must(201).post(END_USERS, { workspaceId: bed.workspaceId, externalId: 'by the own key' });
  });

  test('an id in upper case is accepted as the same id', async () => {
    const { id } = await anEndUser(bed);
    expect((await bed.api.must(200).get(`${END_USERS}/${id.toUpperCase()}`)).endUser.id).toBe(id);
  });
});
