import { reversed } from '../../../integrations/custom/openapi/read.ts';
import { withKey } from '../../checked-caller.ts';
import { I, type OwnBed, openOwnBed } from './own-bed.ts';
import { type Change, decideIt, readInFull, theOnly } from './read-changes.ts';

let bed: OwnBed;
beforeAll(async () => {
  bed = await openOwnBed();
});
afterAll(() => bed.close());

const PET = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } };
const answers = { 200: { description: 'Done', content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } };
const petId = { name: 'petId', in: 'path', required: true, schema: { type: 'string' } };
const GET_PET = { operationId: 'getPet', summary: 'Get a pet', parameters: [petId], responses: answers };
const LIST_PETS = { operationId: 'listPets', summary: 'List pets', responses: { 200: { description: 'Done' } } };

function pets(change: { server?: string; pet?: object; paths?: object; version?: string } = {}) {
  const { server = bed.thirdParty.url, pet = PET, version = '1.0.0' } = change;
  const paths = change.paths ?? { '/pets/{petId}': { get: GET_PET }, '/pets': { get: LIST_PETS } };
  return { openapi: '3.1.0', info: { title: 'Pets', version }, servers: [{ url: server }], paths, components: { schemas: { Pet: pet } } };
}

async function importPets(name: string, more: object = {}) {
  const source = { document: pets(), fetches: 0 };
  const path = `/${name}.json`;
  bed.thirdParty.answerWith((request) => {
    if (request.path !== path) return { status: 200, body: '{"id":"p1","name":"Rex"}' };
    source.fetches += 1;
    return { status: 200, body: JSON.stringify(source.document) };
  });
  await bed.api.must(201).post(`${I}/import`, { kind: 'openapi', name, url: `${bed.thirdParty.url}${path}`, ...more });
  return source;
}

const refresh = async (name: string, body?: object) => bed.api.must(200).post(`${I}/${name}/refresh`, body);
const run = async (integrationName: string, actionName: string, input: object) =>
  (await bed.api.post('/api/v1/actions/execute', { workspaceId: bed.workspaceId, integrationName, actionName, input })).body;
const calls = () => bed.thirdParty.received.filter(({ path }) => !path.endsWith('.json')).map(({ method, path }) => `${method} ${path}`);

test('a changed or added operation applies to calls only after acceptance', async () => {
  const source = await importPets('pets');
  expect(await run('pets', 'get_pet', { petId: 'p1' })).toMatchObject({ success: true, output: { name: 'Rex' } });
  expect((await refresh('pets')).changes).toEqual([]);

  const fields = { name: 'fields', in: 'query', required: true, schema: { type: 'array', items: { type: 'string' } } };
  source.document = pets({
    version: '2.0.0',
    paths: { '/pets/{petId}': { get: { ...GET_PET, parameters: [petId, fields] }, delete: { ...GET_PET, operationId: 'deletePet' } } },
  });
  const { changes, integration } = (await refresh('pets')) as { changes: Change[]; integration: unknown };
  expect(source.fetches).toBe(3);
  expect(integration).toMatchObject({ version: 1, pendingChanges: 3, source: { documentVersion: '2.0.0', format: 'openapi-3.1' } });
  const byKind = Object.fromEntries(changes.map((change) => [change.kind, change]));
  expect(changes.map(({ kind, actionName }) => `${kind} ${actionName}`).sort()).toEqual([
    ...['action_added delete_pet', 'action_changed get_pet', 'action_removed list_pets'],
  ]);
  const changed = await readInFull(bed, 'pets', byKind.action_changed!.id);
  expect(changed.fields.map(({ path }) => path)).toEqual([
    ...['operation.parameters', 'inputSchema.properties.fields', 'inputSchema.required'],
  ]);
  const added = await readInFull(bed, 'pets', byKind.action_added!.id);
  expect(Object.fromEntries(added.fields.map(({ path, after }) => [path, after]))).toMatchObject({
    ...{ category: 'delete', baseUrl: bed.thirdParty.url, source: { operation: 'DELETE /pets/{petId}', operationId: 'deletePet' } },
    inputSchema: { properties: { petId: { type: 'string' } }, required: ['petId'] },
  });

  expect(await run('pets', 'get_pet', { petId: 'p1', fields: ['a'] })).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await run('pets', 'get_pet', { petId: 'p2' })).toMatchObject({ success: true });
  expect(await run('pets', 'list_pets', {})).toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'removed' } });
  expect(await run('pets', 'delete_pet', { petId: 'p1' })).toMatchObject({ code: 'ACTION_NOT_FOUND' });

  await decideIt(bed, 'pets', byKind.action_changed!.id, { digest: changed.digest });
  await decideIt(bed, 'pets', byKind.action_added!.id, { digest: added.digest });
  await decideIt(bed, 'pets', byKind.action_removed!.id, {});
  expect(await run('pets', 'get_pet', { petId: 'p3' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await run('pets', 'get_pet', { petId: 'p3', fields: ['a', 'b'] })).toMatchObject({ success: true });
  expect(await run('pets', 'delete_pet', { petId: 'p4' })).toMatchObject({ success: true });
  expect(await run('pets', 'list_pets', {})).toMatchObject({ code: 'ACTION_NOT_FOUND' });
  expect(calls()).toEqual(['GET /pets/p1', 'GET /pets/p2', 'GET /pets/p3?fields=a&fields=b', 'DELETE /pets/p4']);
  const after = await refresh('pets');
  expect(after).toMatchObject({ changes: [], integration: { version: 4, pendingChanges: 0 } });
});

test('a change of a shared schema is shown as a change of the operation that uses the schema', async () => {
  const source = await importPets('shared');
  source.document = pets({ pet: { ...PET, properties: { ...PET.properties, chip: { type: 'string' } } } });
  const change = theOnly<Change>((await refresh('shared')).changes);
  expect(change).toMatchObject({ kind: 'action_changed', actionName: 'get_pet', complete: true });
  expect(change.fields).toEqual([{ path: '$defs.Pet.properties.chip', before: null, after: { type: 'string' } }]);
});

function ordered() {
  const media = (schema: object) => ({ 'application/json': { schema }, 'application/xml': { schema } });
  const owner = { type: 'object', properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } } };
  const pet = { ...PET, required: ['id', 'name'], properties: { ...PET.properties, owner: { $ref: '#/components/schemas/Owner' } } };
  const list = { ...LIST_PETS, parameters: ['limit', 'after'].map((name) => ({ name, in: 'query', schema: { type: 'string' } })) };
  const create = { operationId: 'createPet', requestBody: { content: media(pet) }, security: [{ key: [] }], responses: answers };
  const get = { ...GET_PET, security: [{ token: [] }] };
  const { components, ...rest } = pets({ pet, paths: { '/pets/{petId}': { get }, '/pets': { get: list, post: create } } });
  const securitySchemes = { token: { type: 'http', scheme: 'bearer' }, key: { type: 'apiKey', in: 'header', name: 'x-key' } };
  return { ...rest, components: { schemas: { ...components.schemas, Owner: owner }, securitySchemes } };
}

test('a document with reordered keys, paths and parameters has no changes', async () => {
  await bed.api.must(201).post(`${I}/import`, { kind: 'openapi', name: 'ordered', document: ordered() });
  expect(await refresh('ordered', { document: reversed(ordered()) })).toMatchObject({ changes: [], integration: { version: 1 } });
});

test('documents with hashes from an older version are compared by content', async () => {
  const { integration } = await bed.api.must(201).post(`${I}/import`, { kind: 'openapi', name: 'older', document: ordered() });
  const { db } = bed.gateway;
  const of = { integration_id: integration.id };
  for (const hash of await db('custom_definitions').where(of).pluck('hash')) {
    await db('custom_definitions')
      .where({ ...of, hash })
      .update({ hash: `old-${hash}` });
    await db('custom_actions')
      .where(of)
      .update({ uses: db.raw('replace(uses::text, ?, ?)::json', [`"${hash}"`, `"old-${hash}"`]) });
  }
  await db('custom_actions')
    .where(of)
    .update({ hash: db.raw("'old-' || hash") });
  expect((await refresh('older', { document: reversed(ordered()) })).changes).toEqual([]);
  const changed = { ...ordered(), paths: { ...ordered().paths, '/pets': {} } };
  const { changes } = await refresh('older', { document: changed });
  expect((changes as Change[]).map(({ kind, actionName }) => `${kind} ${actionName}`).sort()).toEqual([
    ...['action_removed create_pet', 'action_removed list_pets', 'auth_changed null'],
  ]);
});

test('calls go to the old server until the change of the server is accepted', async () => {
  const source = await importPets('served');
  source.document = pets({ server: `${bed.thirdParty.url}/v2` });
  const change = theOnly<Change>((await refresh('served')).changes);
  expect(change).toMatchObject({ kind: 'server_changed', fields: [{ path: 'baseUrl', after: `${bed.thirdParty.url}/v2` }] });
  await run('served', 'get_pet', { petId: 'a' });
  await decideIt(bed, 'served', change.id, { digest: change.digest });
  await run('served', 'get_pet', { petId: 'b' });
  expect(calls().slice(-2)).toEqual(['GET /pets/a', 'GET /v2/pets/b']);
});

test('a failed refresh changes nothing and reports the reason', async () => {
  const source = await importPets('failing');
  source.document = { swagger: '1.2' } as never;
  expect((await bed.api.post(`${I}/failing/refresh`)).body.code).toBe('DOCUMENT_UNSUPPORTED');
  const { integration } = await bed.api.must(200).get(`${I}/failing`);
  expect(integration).toMatchObject({ status: 'ERROR', lastError: { code: 'DOCUMENT_UNSUPPORTED' }, version: 1 });
  expect(await run('failing', 'get_pet', { petId: 'p1' })).toMatchObject({ success: true });
  source.document = pets({ paths: { '/pets': { get: LIST_PETS } } });
  const change = theOnly<Change>((await refresh('failing')).changes);
  const plain = await withKey({ ...bed, api: bed.api }, {});
  expect((await plain.post(`${I}/failing/changes/${change.id}/accept`)).body.code).toBe('APPROVAL_DECISION_SCOPE_REQUIRED');
  expect((await plain.must(200).get(`${I}/failing/changes/${change.id}`)).total).toBe(change.fieldCount);
});
