/** The values that an approval is bound to (contract decisions 3, Binding). */

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
  /** Hash of an imported action. */
  definitionHash?: string | null | undefined;
}

/** The identity of an approved plan of a code run. */
export interface BoundPlan {
  codeRunId: string;
  policyId: string;
  codeHash: string;
  toolSurfaceHash: string;
}

/** Returns the value whose canonical JSON (RFC 8785) is hashed for a call. */
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

/** Returns the value whose canonical JSON (RFC 8785) is hashed for a plan. */
export function bindPlan({ codeRunId, policyId, codeHash, toolSurfaceHash }: BoundPlan): Record<string, unknown> {
  return { codeRunId, policyId, codeHash, toolSurfaceHash };
}

/**
 * Returns the identity of an account. A reconnected connection can lead to another account, so the
 * identity includes `connectionVersion`.
 */
export function connectionOf({ connectionId, connectionVersion }: Pick<BoundCall, 'connectionId' | 'connectionVersion'>): string | null {
  return connectionId && `${connectionId}/${connectionVersion}`;
}
