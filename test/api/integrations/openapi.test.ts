import { publicDocument } from '../../integrations/custom/openapi/import.ts';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import { addIntegration, addPolicy, anOrg, aServer, type Org, type TestServer } from '../mcp/mcp-bed.ts';

const CASES = [
  {
    name: 'own-github',
    document: 'github',
    select: { tags: ['issues'] },
    action: 'issues_create',
    input: { owner: 'o', repo: 'a b', title: 'It breaks', labels: ['bug'] },
    sent: { method: 'POST', path: '/repos/o/a%20b/issues', body: '{"title":"It breaks","labels":["bug"]}' },
    secret: null,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  },
  {
    name: 'own-stripe',
    document: 'stripe',
    select: { paths: ['/v1/customers'] },
    action: 'post_customers',
    input: { email: 'ada@example.com', metadata: { plan: 'gold' }, preferred_locales: ['en', 'de'] },
    sent: {
      method: 'POST',
      path: '/v1/customers',
      body: 'email=ada%40example.com&metadata%5Bplan%5D=gold&preferred_locales%5B0%5D=en&preferred_locales%5B1%5D=de',
    },
    secret: 'sk-s3cret',
    headers: { authorization: 'Bearer sk-s3cret', 'content-type': 'application/x-www-form-urlencoded' },
  },
  {
    name: 'own-kubernetes',
    document: 'kubernetes',
    select: { paths: ['/api/v1/namespaces/{namespace}/configmaps'] },
    action: 'create_core_v1_namespaced_config_map',
    input: { namespace: 'prod', metadata: { name: 'flags' }, data: { a: '1' } },
    sent: { method: 'POST', path: '/api/v1/namespaces/prod/configmaps', body: '{"data":{"a":"1"},"metadata":{"name":"flags"}}' },
    secret: 'Bearer k8s-s3cret',
    headers: { authorization: 'Bearer k8s-s3cret' },
  },
];

let org: Org;
let api: Receiver;
let docs: Receiver;
let servers: { tools: TestServer; code: TestServer };
beforeAll(async () => {
  [org, api, docs] = await Promise.all([anOrg(), aReceiver(), aReceiver()]);
  api.answerWith(() => ({ status: 201, body: '{"id":"made-1"}' }));
  docs.answerWith(({ path }) => ({ status: 200, body: publicDocument(path.slice(1)) }));
  servers = { tools: await aServer(org, 'TOOLS'), code: await aServer(org, 'CODE') };
});
afterAll(() => Promise.all([api.close(), docs.close()]));

const must = async (status: number, method: string, path: string, body?: unknown) => {
  const answer = await org.rest(method, path, body);
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body).slice(0, 1000)}`);
  return answer.body;
};

const approveOnly = async (): Promise<void> => {
  const { approvals } = await must(200, 'GET', '/approvals?status=pending');
  expect(approvals).toHaveLength(1);
  await must(200, 'POST', `/approvals/${approvals[0].id}/approve`);
};

test.each(CASES)('$document is imported by URL and called under a policy: over REST, by a tool call and in code', async (given) => {
  const { name, select, action, input, sent, secret, headers } = given;
  const body = { kind: 'openapi', name, url: `${docs.url}/${given.document}`, baseUrl: api.url, select };
  const { integration, report } = await must(201, 'POST', '/integrations/import', body);
  expect(report).toMatchObject({ imported: expect.any(Number), typedShare: 1 });
  expect(integration).toMatchObject({ custom: true, baseUrl: api.url, source: { kind: 'openapi', url: body.url } });

  const { workspaceId } = org;
  const account = { integrationName: name, externalId: 'main', type: 'SECRET_TEXT', secretText: secret, workspaceId };
  const connection = secret === null ? undefined : (await must(201, 'POST', '/connections', account)).connection;
  await addIntegration(org, name, { ...(connection && { connectionId: connection.id }) });
  await addPolicy(org, { integrationNames: [name] });

  const call = () => org.rest('POST', '/actions/execute', { workspaceId, integrationName: name, actionName: action, input });
  expect((await call()).status).toBe(202);
  await approveOnly();
  expect((await call()).body).toMatchObject({ success: true, output: { id: 'made-1' } });
  expect(api.received.at(-1)).toMatchObject({ ...sent, headers });

  const before = api.received.length;
  const tool = () => servers.tools.call(`${name}__${action}`, input);
  await tool();
  expect(api.received).toHaveLength(before);
  await approveOnly();
  expect(await tool()).toMatchObject({ isError: false, structuredContent: { id: 'made-1' } });
  expect(api.received.at(-1)).toMatchObject({ ...sent, headers });

  const code = `return (await svc.${name.replace('-', '_')}.${action}(${JSON.stringify(input)})).id;`;
  const { structuredContent: paused } = await servers.code.call('svc_execute', { code });
  expect(paused.status).toBe('approval_required');
  expect(api.received).toHaveLength(before + 1);
  await approveOnly();
  const { structuredContent: done } = await servers.code.call('svc_execute', paused.continuation.arguments);
  expect(done).toMatchObject({ status: 'executed', output: 'made-1' });
  expect(api.received.at(-1)).toMatchObject({ ...sent, headers });
  if (secret !== null) expect(JSON.stringify([integration, report, done])).not.toContain('s3cret');
});

test('an action without security is called without an account; other actions need an account', async () => {
  const scheme = { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } };
  const get = (operationId: string, more: object = {}) => ({ get: { operationId, responses: {}, ...more } });
  const paths = { '/open': get('open', { security: [] }), '/closed': get('closed') };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Mixed' },
    servers: [{ url: api.url }],
    security: [{ key: [] }],
    components: scheme,
    paths,
  };
  await must(201, 'POST', '/integrations/import', { kind: 'openapi', name: 'mixed', document });
  const call = (actionName: string) =>
    org.rest('POST', '/actions/execute', { workspaceId: org.workspaceId, integrationName: 'mixed', actionName, input: {} });
  expect((await call('open')).body).toMatchObject({ success: true });
  expect(api.received.at(-1)!.headers).not.toHaveProperty('x-key');
  expect((await call('closed')).body.code).toBe('CONNECTION_REQUIRED');
});

test.each([
  ['an alias bomb', { document: `a: &a [x]\nb: [${'*a,'.repeat(1001)}]` }, 400, 'DOCUMENT_TOO_COMPLEX'],
  ['text that is no document', { document: 'hello' }, 400, 'DOCUMENT_INVALID'],
  ['another format', { document: { asyncapi: '3.0.0' } }, 400, 'DOCUMENT_UNSUPPORTED'],
  ['no server', { document: { openapi: '3.1.0', paths: { '/a': { get: {} } } } }, 400, 'SERVER_REQUIRED'],
  [
    'a server with a private address',
    { document: { openapi: '3.1.0', servers: [{ url: 'https://10.0.0.1' }], paths: { '/a': { get: {} } } } },
    400,
    'ADDRESS_NOT_ALLOWED',
  ],
  [
    'a document without actions',
    { document: { openapi: '3.1.0', servers: [{ url: 'https://api.example' }], paths: {} } },
    400,
    'NOTHING_TO_IMPORT',
  ],
])('%s is refused with its error code', async (_, given, status, code) => {
  const answer = await org.rest('POST', '/integrations/import', { kind: 'openapi', name: 'refused', ...given });
  expect(answer).toMatchObject({ status, body: { code } });
});
