import { GatewayError, type Issue, validationError } from '../domain/errors.ts';
import type { PolicyFields } from '../domain/policy.ts';
import { assertOrgWide, assertWorkspace, type KeyPrincipal } from '../domain/principal.ts';
import { listWorkspacesOfServers } from '../store/mcp-servers.ts';
import { listWorkspacesOfInstances } from '../store/workspace-integrations.ts';
import type { Gateway } from './gateway.ts';
import { getWorkspace } from './get-workspace.ts';

export type PolicyReferences = Pick<PolicyFields, 'workspaceId' | 'mcpServerIds' | 'workspaceIntegrationIds' | 'approvers'>;

/**
 * Checks what a policy refers to, and whether the key may make it: an organization-wide policy needs an org-wide key. Throws
 * VALIDATION_ERROR with every issue, NOT_FOUND, SCOPE_DENIED.
 */
export async function checkPolicy(gateway: Gateway, principal: KeyPrincipal, policy: PolicyReferences): Promise<void> {
  await checkReferences(gateway, principal, policy);
  if (policy.workspaceId === null) assertOrgWide(principal);
}

/** Checks what a policy refers to: webhook addresses, then the tenant of every id. Throws VALIDATION_ERROR with every issue, NOT_FOUND, SCOPE_DENIED. */
export async function checkReferences(gateway: Gateway, principal: KeyPrincipal, policy: PolicyReferences): Promise<void> {
  const issues = webhookIssues(gateway, policy);
  if (issues.length > 0) throw validationError(issues);

  const { orgId } = principal;
  const places = [
    ...(await placesOf('mcpServerIds', policy.mcpServerIds, (ids) => listWorkspacesOfServers(gateway.db, orgId, ids))),
    ...(await placesOf('workspaceIntegrationIds', policy.workspaceIntegrationIds, (ids) =>
      listWorkspacesOfInstances(gateway.db, orgId, ids),
    )),
  ];
  if (policy.workspaceId !== null) await getWorkspace(gateway, principal, policy.workspaceId);
  for (const { workspaceId } of places) assertWorkspace(principal, workspaceId);

  const strays = places.filter(({ workspaceId }) => policy.workspaceId !== null && workspaceId !== policy.workspaceId);
  if (strays.length > 0)
    throw validationError(strays.map(({ path }) => ({ path, message: 'belongs to another workspace than the policy' })));
}

function webhookIssues(gateway: Gateway, { approvers }: PolicyReferences): Issue[] {
  return approvers.flatMap((approver, index) => {
    if (approver.type !== 'webhook') return [];
    try {
      gateway.outbound.checkUrl(approver.webhookUrl);
      return [];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [{ path: `approvers.${index}.webhookUrl`, message: error.message }];
    }
  });
}

async function placesOf(
  field: string,
  ids: readonly string[],
  list: (ids: readonly string[]) => Promise<{ id: string; workspaceId: string }[]>,
): Promise<{ path: string; workspaceId: string }[]> {
  const byId = new Map((await list(ids)).map(({ id, workspaceId }) => [id, workspaceId]));
  return ids.map((id, index) => {
    const workspaceId = byId.get(id);
    if (workspaceId === undefined)
      throw new GatewayError('NOT_FOUND', `${field} names a record that does not exist.`, {
        [field]: ids.filter((other) => !byId.has(other)),
      });
    return { path: `${field}.${index}`, workspaceId };
  });
}
