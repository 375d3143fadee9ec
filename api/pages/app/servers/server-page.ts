import type { SurfaceTool } from '../../../../commands/surfaces/surface-cache.ts';
import { authFlags, type McpServer } from '../../../../domain/mcp-server.ts';
import { hasRole } from '../../../../domain/member.ts';
import type { PolicySet } from '../../../../domain/policies/policy-set.ts';
import { type PredictedGate, predictGate } from '../../../../domain/policies/predict-gate.ts';
import { findWorkspace } from '../../../../store/workspaces.ts';
import { mcpEndpoint } from '../../../v1/mcp/servers/present.ts';
import { type FormSpec, formView } from '../form.ts';
import { type Cell, listView, nextPageOf, pageOf } from '../list.ts';
import type { Visit } from '../screen.ts';
import { hostConfigurations } from './host-configurations.ts';
import { ACCESS_NAMES, AUTH_NAMES, MODE_NAMES, SERVER_BLAMES, serverFields } from './server-fields.ts';
import { SERVERS } from './server-of.ts';
import { personOptions, tokenSpec } from './token-form.ts';
import { tokenOverview } from './token-list.ts';

/** The page of an MCP server, with the form of its settings. */
export async function serverSpec(visit: Visit, server: McpServer): Promise<FormSpec> {
  const { gateway, member } = visit;
  const mayManage = hasRole(member.role, 'admin');
  const [workspace, tools, tokens, people] = await Promise.all([
    findWorkspace(gateway.db, member.orgId, server.workspaceId),
    toolList(visit, server),
    tokenOverview(visit, server, mayManage),
    mayManage ? personOptions(gateway, server) : undefined,
  ]);
  const endpoint = mcpEndpoint(server, gateway.config.baseUrl);
  const { oauthEnabled } = authFlags(server.authMode);
  const { first, others } = serverFields(server);
  return {
    ...{ title: server.name, template: 'servers/server', fields: [first, ...others], button: 'Save', blames: SERVER_BLAMES },
    data: {
      ...{ server, endpoint, mayManage, tools, tokens, base: `${SERVERS}/${server.id}` },
      facts: factsOf(server, workspace?.name),
      hosts: hostConfigurations({ endpoint, token: oauthEnabled ? undefined : 'mcp_…' }),
      hostHint: oauthEnabled ? 'People sign in with their browser.' : 'Put a token in the place of mcp_….',
      newToken: people && formView({ ...tokenSpec(server, people), cancel: undefined }),
    },
  };
}

function factsOf(server: McpServer, workspace: string | undefined) {
  return [
    { name: 'Workspace', text: workspace ?? 'deleted' },
    { name: 'Mode', text: MODE_NAMES[server.mode] },
    { name: 'Sign-in', text: AUTH_NAMES[server.authMode] },
    { name: 'Who may use it', text: server.endUserExternalId ? `Only ${server.endUserExternalId}` : ACCESS_NAMES[server.endUserAccess] },
  ];
}

async function toolList(visit: Visit, server: McpServer) {
  const { gateway, member } = visit;
  const { id: serverId, orgId, workspaceId } = server;
  const [surface, policies] = await Promise.all([
    gateway.surfaces.of({ serverId, orgId, workspaceId }),
    gateway.policies.of({ orgId, workspaceId, policiesVersion: member.policiesVersion }),
  ]);
  const page = pageOf(visit.query);
  const shown = surface.tools.slice(page.offset, page.offset + page.limit);
  return listView(visit, {
    ...{ name: 'Tools', plural: 'tools', about: 'Add an integration to the workspace of this server.' },
    columns: ['Tool', 'Integration', 'Kind', 'Policies'],
    rows: shown.map((tool) => toolRow(tool, surface.catalog.get(tool.integrationName).displayName, gateOf(policies, server, tool))),
    nextPage: nextPageOf(page, surface.tools.length),
    total: surface.tools.length,
  });
}

function toolRow(found: SurfaceTool, integration: string, gate: PredictedGate): Cell[] {
  const { name, alias, tool, action, integrationName, instance } = found;
  return [
    { text: name, hint: tool.displayName ?? action.displayName },
    { href: `/integrations/${integrationName}`, text: instance?.displayName ?? integration, hint: alias },
    action.category,
    GATES[gate],
  ];
}

const GATES: Record<PredictedGate, Cell> = {
  open: { state: 'Let through', tone: 'good' },
  asks: { state: 'Asks a person', tone: 'waiting' },
  may_ask: { state: 'May ask a person', tone: 'waiting' },
  blocks: { state: 'Blocked', tone: 'bad' },
  may_block: { state: 'May be blocked', tone: 'bad' },
};

function gateOf(policies: PolicySet, server: McpServer, { alias, action, instance }: SurfaceTool): PredictedGate {
  const subject = {
    ...({ workspaceId: server.workspaceId, mcpServerId: server.id, source: server.mode === 'CODE' ? 'mcp_code' : 'mcp_tools' } as const),
    ...{ integrationName: action.integrationName, integrationAlias: alias, actionName: action.name },
    ...{ workspaceIntegrationId: instance?.id ?? null, connectionStrategy: instance?.connectionStrategy ?? null },
  };
  const withPerson = { ...subject, endUserId: server.endUserExternalId ?? 'somebody' };
  const namesPerson = server.endUserId !== null || server.authMode === 'oauth';
  return predictGate(policies, namesPerson ? [withPerson] : [withPerson, { ...subject, endUserId: null }]);
}
