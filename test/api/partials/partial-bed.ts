import type { Caller } from '../../support/caller.ts';

export const PARTIALS = '/api/v1/partials';

let count = 0;

export async function aWorkspace(api: Caller): Promise<string> {
  const slug = `w${++count}`;
  return (await api.must(201).post('/api/v1/workspaces', { name: slug, slug })).workspace.id;
}

/** Creates a partial for kv-store, by default in a new workspace. */
export async function aPartial(api: Caller, fields: { workspaceId?: string; [field: string]: unknown } = {}) {
  const workspaceId = fields.workspaceId ?? (await aWorkspace(api));
  const body = { workspaceId, integrationName: 'kv-store', name: `partial ${++count}`, values: { key: 'a' }, ...fields };
  return (await api.must(201).post(PARTIALS, body)).partial;
}

/** Configures kv-store in a workspace. */
export async function anInstance(api: Caller, workspaceId: string, fields: object = {}) {
  return (await api.must(201).post(`/api/v1/workspaces/${workspaceId}/integrations`, { integrationName: 'kv-store', ...fields }))
    .integration;
}
