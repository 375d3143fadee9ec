/** What an approval binds to (decisions section 3, Binding): the gate hashes this, and whoever holds a receipt can hash it again. */

/** All that makes a call the one that was approved, but for its input. */
export interface BoundCall {
  orgId: string;
  workspaceId: string;
  source: string;
  mcpServerId: string | null;
  workspaceIntegrationId: string | null;
  integrationName: string;
  integrationAlias: string | null;
  actionName: string;
  connectionId: string | null;
  /** How often that connection was connected anew. */
  connectionVersion: number | null;
  /** External id. */
  endUserId: string | null;
}

/** All that makes a plan of a code run the one that was approved. */
export interface BoundPlan {
  codeRunId: string;
  policyId: string;
  codeHash: string;
  toolSurfaceHash: string;
}

/** The value whose canonical JSON is hashed for a call. */
export function bindCall(call: BoundCall, input: unknown): Record<string, unknown> {
  return {
    org: call.orgId,
    workspace: call.workspaceId,
    source: call.source,
    server: call.mcpServerId,
    workspaceIntegration: call.workspaceIntegrationId,
    integration: call.integrationName,
    alias: call.integrationAlias,
    action: call.actionName,
    connection: connectionOf(call),
    endUser: call.endUserId,
    input,
  };
}

/** The same for a plan: the code and what it can reach stand for the input. */
export function bindPlan({ codeRunId, policyId, codeHash, toolSurfaceHash }: BoundPlan): Record<string, unknown> {
  return { codeRunId, policyId, codeHash, toolSurfaceHash };
}

/** The very account that a call acts with: a connection that was connected anew may lead to another one. */
export function connectionOf({ connectionId, connectionVersion }: Pick<BoundCall, 'connectionId' | 'connectionVersion'>): string | null {
  return connectionId && `${connectionId}/${connectionVersion}`;
}
