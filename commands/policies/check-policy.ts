import type { Issue } from '../../domain/bound-error.ts';
import { GatewayError, validationError } from '../../domain/errors.ts';
import type { PolicyFields } from '../../domain/policies/policy.ts';
import { assertMayWritePolicies, assertOrgWide, assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import type { Db } from '../../infra/database.ts';
import { listWorkspacesOfServers } from '../../store/mcp-servers.ts';
import { listWorkspacesOfInstances } from '../../store/workspace-integrations.ts';
import type { Gateway } from '../gateway.ts';
import { getWorkspace } from '../workspaces/get-workspace.ts';

export type PolicyReferences = Pick<PolicyFields, 'workspaceId' | 'mcpServerIds' | 'workspaceIntegrationIds' | 'approvers'>;

/**
 * Checks the references of a policy, and that the key may write it. Throws the errors of
 * `checkReferences` and of `assertMayWritePolicy`.
 */
export async function checkPolicy(gateway: Gateway, principal: KeyPrincipal, policy: PolicyReferences): Promise<void> {
  await checkReferences(gateway, principal, policy);
  assertMayWritePolicy(principal, policy);
}

/**
 * Throws SCOPE_DENIED, then APPROVAL_DECISION_SCOPE_REQUIRED, if the key may not write this policy.
 */
export function assertMayWritePolicy(principal: KeyPrincipal, { workspaceId }: Pick<PolicyFields, 'workspaceId'>): void {
  if (workspaceId === null) assertOrgWide(principal);
  assertMayWritePolicies(principal);
}

/**
 * Checks the webhook addresses, the workspace, the MCP servers and the workspace integrations of a
 * policy. The key must reach them. If the policy has a workspace, the servers and integrations must
 * belong to it. Throws VALIDATION_ERROR, NOT_FOUND and SCOPE_DENIED.
 */
export async function checkReferences(gateway: Gateway, principal: KeyPrincipal, policy: PolicyReferences): Promise<void> {
  const issues = await webhookIssues(gateway, policy);
  if (issues.length > 0) throw validationError(issues);

  const places = await placesOf(gateway.db, principal.orgId, policy);
  const gone = places.find(({ workspaceId }) => workspaceId === undefined);
  if (gone)
    throw new GatewayError('NOT_FOUND', `${gone.field} names a record that does not exist.`, {
      [gone.field]: places.filter(({ field, workspaceId }) => field === gone.field && workspaceId === undefined).map(({ id }) => id),
    });
  if (policy.workspaceId !== null) await getWorkspace(gateway, principal, policy.workspaceId);
  for (const { workspaceId } of places) assertWorkspace(principal, workspaceId!);

  assertWithin(policy.workspaceId, places);
}

/**
 * Checks the records that a policy keeps when it moves to a workspace. Throws VALIDATION_ERROR if a
 * record belongs to another workspace.
 */
export async function checkMove(
  { db }: Pick<Gateway, 'db'>,
  orgId: string,
  kept: Pick<PolicyFields, 'workspaceId' | 'mcpServerIds' | 'workspaceIntegrationIds'>,
): Promise<void> {
  assertWithin(kept.workspaceId, await placesOf(db, orgId, kept));
}

function assertWithin(policyWorkspaceId: string | null, places: readonly Place[]): void {
  if (policyWorkspaceId === null) return;
  const strays = places.filter(({ workspaceId }) => workspaceId !== undefined && workspaceId !== policyWorkspaceId);
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

type NamedRecords = Pick<PolicyFields, 'mcpServerIds' | 'workspaceIntegrationIds'>;

/** A record that a policy names. `workspaceId` is undefined if there is no such record. */
interface Place {
  field: keyof NamedRecords;
  path: string;
  id: string;
  workspaceId: string | undefined;
}

async function placesOf(db: Db, orgId: string, { mcpServerIds, workspaceIntegrationIds }: NamedRecords): Promise<Place[]> {
  const [servers, instances] = await Promise.all([
    listWorkspacesOfServers(db, orgId, mcpServerIds),
    listWorkspacesOfInstances(db, orgId, workspaceIntegrationIds),
  ]);
  const places = (field: keyof NamedRecords, ids: readonly string[], found: readonly { id: string; workspaceId: string }[]) => {
    const workspaceOf = new Map(found.map(({ id, workspaceId }) => [id, workspaceId]));
    return ids.map((id, index) => ({ field, path: `${field}.${index}`, id, workspaceId: workspaceOf.get(id) }));
  };
  return [...places('mcpServerIds', mcpServerIds, servers), ...places('workspaceIntegrationIds', workspaceIntegrationIds, instances)];
}
