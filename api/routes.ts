import type { Route } from './route.ts';
import { actionRoutes } from './v1/actions/routes.ts';
import { apiKeyRoutes } from './v1/api-keys/routes.ts';
import { approvalPolicyRoutes } from './v1/approval-policies/routes.ts';
import { approvalRoutes } from './v1/approvals/routes.ts';
import { declarationRoutes } from './v1/mcp/servers/declarations/routes.ts';
import { executeCodeRoutes } from './v1/mcp/servers/execute-code/routes.ts';
import { mcpServerRoutes } from './v1/mcp/servers/routes.ts';
import { mcpToolRoutes } from './v1/mcp/servers/tools/routes.ts';
import { workspaceIntegrationRoutes } from './v1/workspaces/integrations/routes.ts';
import { workspaceRoutes } from './v1/workspaces/routes.ts';

/** Every endpoint of the REST interface. Serving, the OpenAPI document and the tests read this table. */
export const ROUTES: readonly Route[] = [
  ...apiKeyRoutes,
  ...workspaceRoutes,
  ...workspaceIntegrationRoutes,
  ...mcpServerRoutes,
  ...mcpToolRoutes,
  ...executeCodeRoutes,
  ...declarationRoutes,
  ...approvalPolicyRoutes,
  ...approvalRoutes,
  ...actionRoutes,
];
