/**
 * What an approval binds to (contract decisions 3, Binding). The gate hashes these values, and the
 * holder of a receipt can compute the same hash.
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
  /** How often that connection was reconnected. */
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

/** The value whose canonical JSON (RFC 8785) is hashed for a call. */
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
 * The value that is hashed for a plan: the code and its tool surface take the place of the input.
 */
export function bindPlan({ codeRunId, policyId, codeHash, toolSurfaceHash }: BoundPlan): Record<string, unknown> {
  return { codeRunId, policyId, codeHash, toolSurfaceHash };
}

/**
 * Identifies the account of a call. The version is included because a reconnected connection may
 * lead to another account.
 */
export function connectionOf({ connectionId, connectionVersion }: Pick<BoundCall, 'connectionId' | 'connectionVersion'>): string | null {
  return connectionId && `${connectionId}/${connectionVersion}`;
}
