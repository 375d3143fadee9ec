import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Call } from '../domain/call.ts';

/**
 * The binding of an approval: SHA-256, hex, over the canonical JSON (RFC 8785) of who calls what, as whom, with what (decisions section 3, Binding).
 */
export function hashCall(call: Call): string {
  return hashJson({
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
    input: call.input,
  });
}

/** The very account that a call acts with: a connection that was connected anew may lead to another one. */
export function connectionOf({ connectionId, connectionVersion }: Pick<Call, 'connectionId' | 'connectionVersion'>): string | null {
  return connectionId && `${connectionId}/${connectionVersion}`;
}

/** SHA-256, hex, over the canonical JSON of a value. */
export function hashJson(value: unknown): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? 'null')
    .digest('hex');
}
