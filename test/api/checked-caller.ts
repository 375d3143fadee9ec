import { ROUTES } from '../../api/routes.ts';
import { STATUS } from '../../domain/errors.ts';
import { type ApiAnswer, type Caller, callerOf } from '../support/caller.ts';
import { aTenant, type Tenant } from '../support/tenant.ts';

/** Creates a tenant whose caller checks each answer (see `assertDeclared`). */
export async function checkedTenant(): Promise<Tenant> {
  const tenant = await aTenant();
  return { ...tenant, api: checkedCaller(tenant.apiUrl, tenant.plainKey) };
}

/** Returns a caller with a new API key of the tenant. */
export async function withKey(tenant: Tenant, permissions: object): Promise<Caller & { keyId: string }> {
  const { apiKey, plainKey } = await tenant.api.must(200).post('/api/v1/api-keys', { name: 'Another key', permissions });
  return { ...checkedCaller(tenant.apiUrl, plainKey), keyId: apiKey.id };
}

/** Returns a caller with a new API key that reaches only these workspaces. */
export function withWorkspaceKey(tenant: Tenant, workspaceIds: string[] = [tenant.workspaceId], approvals: object = {}) {
  return withKey(tenant, { scope: 'workspace', workspaceIds, approvals });
}

/** Creates another workspace in the tenant's organization. Returns the id of the workspace. */
export async function aWorkspace(tenant: Tenant, slug: string): Promise<string> {
  return (await tenant.api.must(201).post('/api/v1/workspaces', { name: slug, slug })).workspace.id;
}

export function checkedCaller(apiUrl: string, key?: string): Caller {
  const plain = callerOf(apiUrl, key);
  const verb =
    (method: 'get' | 'post' | 'patch' | 'delete'): Caller['get'] =>
    async (path, body, headers) => {
      const answer = await plain[method](path, body, headers);
      assertDeclared(method, path, answer);
      return answer;
    };
  const verbs = { get: verb('get'), post: verb('post'), patch: verb('patch'), delete: verb('delete') };
  const must = (status: number) => {
    const insist =
      (send: Caller['get']): Caller['get'] =>
      async (...rest) => {
        const answer = await send(...rest);
        if (answer.status !== status)
          throw new Error(`${rest[0]} answered ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`);
        return answer.body;
      };
    return { get: insist(verbs.get), post: insist(verbs.post), patch: insist(verbs.patch), delete: insist(verbs.delete) };
  };
  return { ...verbs, must };
}

const ANYWHERE = [
  'UNAUTHORIZED',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'METHOD_NOT_ALLOWED',
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
];

/** Expects that the route declares the status and fields of a success, or the code of an error. */
export function assertDeclared(method: string, path: string, { status, body, headers }: ApiAnswer): void {
  expect(headers.get('x-request-id')).toBeTruthy();
  const pathname = path.split('?')[0]!;
  const route = ROUTES.find((candidate) => candidate.method === method && patternOf(candidate.path).test(pathname));
  if (status >= 400) {
    expect(body).toEqual({ error: expect.any(String), code: expect.any(String), ...(body.details && { details: expect.any(Object) }) });
    expect(STATUS[body.code as keyof typeof STATUS]).toBe(status);
    if (route) expect([...ANYWHERE, route.invalid, route.notFound, ...route.errors]).toContain(body.code);
    return;
  }
  const schema = route?.answers[status];
  if (!schema) throw new Error(`${method} ${pathname} does not declare the answer ${status}`);
  expect(schema.parse(body)).toEqual(body);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}
