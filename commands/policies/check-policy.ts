import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { PolicyFields } from '../../domain/policies/policy.ts';
import { assertMayWritePolicies, assertOrgWide, assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { listWorkspacesOfServers } from '../../store/mcp-servers.ts';
import { listWorkspacesOfInstances } from '../../store/workspace-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';

export type PolicyReferences = Pick<PolicyFields, 'workspaceId' | 'mcpServerIds' | 'workspaceIntegrationIds' | 'approvers'>;

/**
 * Checks the references of a policy, and that the key may write the policy. An organization-wide
 * policy needs an org-wide key. Any other policy needs an org-wide key, or a workspace key that may
 * decide approvals. Throws the errors of `checkReferences` and of `assertMayWritePolicy`.
 */
export async function checkPolicy(gateway: Gateway, principal: KeyPrincipal, policy: PolicyReferences): Promise<void> {
  await checkReferences(gateway, principal, policy);
  assertMayWritePolicy(principal, policy);
}

/**
 * Checks that the key may create, change and delete this policy. Throws SCOPE_DENIED, then
 * APPROVAL_DECISION_SCOPE_REQUIRED.
 */
export function assertMayWritePolicy(principal: KeyPrincipal, { workspaceId }: Pick<PolicyFields, 'workspaceId'>): void {
  if (workspaceId === null) assertOrgWide(principal);
  assertMayWritePolicies(principal);
}

/**
 * Checks that all webhook addresses of a policy are allowed. Checks that the MCP servers, workspace
 * integrations and workspace that the policy names exist, that the key may access them, and that
 * they belong to the policy's workspace, if it has one. Throws VALIDATION_ERROR, NOT_FOUND and
 * SCOPE_DENIED.
 */
export async function checkReferences(gateway: Gateway, principal: KeyPrincipal, policy: PolicyReferences): Promise<void> {
  const issues = await webhookIssues(gateway, policy);
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

  assertWithin(policy.workspaceId, places);
}

/**
 * Checks the records that a policy keeps when it moves to a workspace. Ignores deleted records.
 * Throws VALIDATION_ERROR if a record belongs to another workspace.
 */
export async function checkMove(
  { db }: Pick<Gateway, 'db'>,
  orgId: string,
  kept: Pick<PolicyFields, 'workspaceId' | 'mcpServerIds' | 'workspaceIntegrationIds'>,
): Promise<void> {
  const found = await Promise.all([
    listWorkspacesOfServers(db, orgId, kept.mcpServerIds),
    listWorkspacesOfInstances(db, orgId, kept.workspaceIntegrationIds),
  ]);
  const fields = ['mcpServerIds', 'workspaceIntegrationIds'] as const;
  const places = fields.flatMap((field, index) =>
    found[index]!.map(({ id, workspaceId }) => ({ path: `${field}.${kept[field].indexOf(id)}`, workspaceId })),
  );
  assertWithin(kept.workspaceId, places);
}

function assertWithin(workspaceId: string | null, places: readonly { path: string; workspaceId: string }[]): void {
  const strays = places.filter((place) => workspaceId !== null && place.workspaceId !== workspaceId);
  if (strays.length > 0)
    throw validationError(strays.map(({ path }) => ({ path, message: 'belongs to another workspace than the policy' })));
}

async function webhookIssues({ outbound }: Gateway, { approvers }: PolicyReferences): Promise<Issue[]> {
  const issues = approvers.map(async (approver, index) => {
    if (approver.type !== 'webhook') return [];
    try {
      await outbound.checkDestination(approver.webhookUrl);
      return [];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [{ path: `approvers.${index}.webhookUrl`, message: error.message }];
    }
  });
  return (await Promise.all(issues)).flat();
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
