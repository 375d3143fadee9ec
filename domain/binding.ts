/**
 * The values that an approval is bound to (contract decisions 3, Binding). The gate hashes these
 * values. The holder of a receipt can compute the same hash.
 */

/** The identity of an approved call, without its input. */
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
  /** How often the connection was connected; 1 at first. */
  connectionVersion: number | null;
  /** External id. */
  endUserId: string | null;
  /** For an action of an imported integration: the hash of the action. */
  definitionHash?: string | null | undefined;
}

/** The identity of an approved plan of a code run. */
export interface BoundPlan {
  codeRunId: string;
  policyId: string;
  codeHash: string;
  toolSurfaceHash: string;
}

/**
 * Returns the value to hash for a call. The hash is computed from the canonical JSON of this value
 * (RFC 8785).
 */
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
    ...(call.definitionHash && { definition: call.definitionHash }),
    input,
  };
}

/**
 * Returns the value to hash for a plan. The hash of the code and the hash of the tool surface (the
 * actions that the code uses) replace the input.
 */
export function bindPlan({ codeRunId, policyId, codeHash, toolSurfaceHash }: BoundPlan): Record<string, unknown> {
  return { codeRunId, policyId, codeHash, toolSurfaceHash };
}

/**
 * Returns the identity of a call's account. It includes `connectionVersion`, because a reconnected
 * connection can lead to another account.
 */
export function connectionOf({ connectionId, connectionVersion }: Pick<BoundCall, 'connectionId' | 'connectionVersion'>): string | null {
  return connectionId && `${connectionId}/${connectionVersion}`;
}
