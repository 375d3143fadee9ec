import { describeRoutes } from '../../api/openapi/describe-routes.ts';
import { ROUTES } from '../../api/routes.ts';
import { authFlags, scopesOf } from '../../domain/mcp-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: examples are read field by field
type Node = any;

const document: Node = JSON.parse(JSON.stringify(describeRoutes(ROUTES, 'https://gateway.example')));

const objects = ROUTES.flatMap(({ method, path }) => {
  const { requestBody, responses } = document.paths[path][method];
  const media = [
    requestBody,
    ...Object.keys(responses)
      .filter((status) => status < '4')
      .map((status) => responses[status]),
  ].flatMap((part) => Object.values<Node>(part?.content ?? {}));
  const examples = media.flatMap(({ example, examples = {} }) => [example, ...Object.values<Node>(examples).map(({ value }) => value)]);
  return examples.flatMap(objectsIn).map((object) => ({ operation: `${method} ${path}`, object }));
});
const having = (...fields: string[]) => objects.filter(({ object }) => fields.every((field) => field in object));

test('the main kinds of records have examples', () => {
  expect(objects.length).toBeGreaterThan(200);
  for (const field of ['permissions', 'authMode', 'externalId', 'enforcedKeys', 'riskMode', 'inputHash', 'webhookDeliveries'])
    expect([field, having(field).length]).not.toEqual([field, 0]);
});

test('numbers are realistic, and texts are no placeholders', () => {
  for (const { operation, object } of objects) {
    const values = Object.entries(object).filter(([key]) => key !== 'type' && key !== 'required');
    for (const [key, value] of values.flatMap(([key, value]) => [value].flat().map((one) => [key, one] as const))) {
      // `iat` and `exp` are in seconds since 1970.
      const most = ['iat', 'exp'].includes(key) ? 1e10 : 1e7;
      if (typeof value === 'number') expect([operation, key, value >= 0 && value < most]).toEqual([operation, key, true]);
      expect([operation, key, value]).not.toEqual([operation, key, expect.stringMatching(/^(text|any JSON value)$/)]);
    }
  }
});

test('the permissions of an API key fit its scope', () => {
  for (const { operation, object } of having('permissions')) {
    const { scope, workspaceIds } = object.permissions;
    expect([operation, workspaceIds !== undefined]).toEqual([operation, scope === 'workspace']);
  }
});

test("an MCP server's token and settings fit its authMode and mode", () => {
  for (const { operation, object: server } of having('authMode', 'auth')) {
    expect([operation, server.auth]).toEqual([operation, authFlags(server.authMode)]);
    if (server.mode === 'TOOLS') expect([operation, server.settings]).toEqual([operation, {}]);
  }
  for (const { object } of having('server', 'bearerToken')) expect(object.server.auth.staticBearerEnabled).toBe(true);
  for (const { object } of having('tokenPrefix', 'scopes')) expect(object.scopes).toEqual(scopesOf('CODE'));
  for (const { object } of having('accessToken', 'token'))
    expect(object.accessToken.slice(0, 4)).toBe(object.token.tokenPrefix.slice(0, 4));
});

test("an account's owner fits its scope; its externalId is not that of an end user", () => {
  for (const { operation, object } of having('externalId', 'scope')) {
    const owner = { ORGANIZATION: [null, null], WORKSPACE: ['id', null], USER: ['id', 'id'] }[object.scope as string];
    const found = [object.workspaceId, object.endUserId].map((value) => (value === null ? null : 'id'));
    expect([operation, found]).toEqual([operation, owner]);
  }
  for (const { operation, object } of having('externalId', 'integrationName'))
    expect([operation, object.externalId]).not.toEqual([operation, 'user-42']);
});

test('a partial names at most one of action and trigger, and enforces only its own keys', () => {
  for (const { operation, object } of having('values', 'enforcedKeys')) {
    expect([operation, object.actionName && object.triggerName]).toEqual([operation, object.actionName && null]);
    for (const key of object.enforcedKeys) expect(Object.keys(object.values)).toContain(key);
  }
});

test('an approval’s decision fields fit its status; a rejected approval has no receipt', () => {
  const statuses: Record<string, string> = { approve: 'approved', reject: 'rejected', cancel: 'canceled' };
  for (const { operation, object } of having('inputHash', 'status')) {
    const isPending = object.status === 'pending';
    expect([operation, object.decidedAt === null, object.decidedByType === null]).toEqual([operation, isPending, isPending]);
    const decision = statuses[operation.split('/').at(-1)!];
    if (decision) expect([operation, object.status]).toEqual([operation, decision]);
  }
  for (const { operation, object } of having('approval', 'receipt'))
    expect([operation, object.receipt === null]).toEqual([operation, object.approval.status !== 'approved']);
});

test('no other time of a record is before the creation of the record', () => {
  for (const { operation, object } of having('createdAt'))
    for (const later of ['updatedAt', 'expiresAt', 'decidedAt', 'deliveredAt'].filter((field) => object[field]))
      expect([operation, later, object[later] >= object.createdAt]).toEqual([operation, later, true]);
  for (const { object } of having('createdAt', 'expiresAt')) expect(object.expiresAt > object.createdAt).toBe(true);
});

function objectsIn(value: Node): Record<string, Node>[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
