import { APPROVAL_WAIT_SECONDS } from '../../../../domain/limits.ts';
import { authFlags, type McpServer } from '../../../../domain/mcp-server.ts';

export function presentMcpServer(server: McpServer, baseUrl: string) {
  return {
    id: server.id,
    orgId: server.orgId,
    workspaceId: server.workspaceId,
    name: server.name,
    description: server.description,
    mode: server.mode,
    settings: presentSettings(server),
    authMode: server.authMode,
    endUserAccess: server.endUserAccess,
    auth: authFlags(server.authMode),
    endUserId: server.endUserExternalId,
    createdBy: server.createdBy,
    createdAt: server.createdAt.toISOString(),
    updatedAt: server.updatedAt.toISOString(),
    mcpEndpoint: mcpEndpoint(server, baseUrl),
  };
}

/** The URL of the MCP server (specification 2.2). */
export function mcpEndpoint(server: Pick<McpServer, 'id'>, baseUrl: string): string {
  return `${baseUrl}/mcp/srv_${server.id}`;
}

function presentSettings({ mode, settings: { codeMode, approvalElicitation } }: McpServer) {
  const approvalWaitSeconds = codeMode?.approvalWaitSeconds ?? APPROVAL_WAIT_SECONDS.default;
  return {
    ...((codeMode || mode === 'CODE') && { codeMode: { approvalWaitSeconds } }),
    ...(approvalElicitation !== undefined && { approvalElicitation }),
  };
}
