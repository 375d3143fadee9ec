import type { Route } from './route.ts';
import { actionRoutes } from './v1/actions/routes.ts';
import { activityRoutes } from './v1/activity/routes.ts';
import { apiKeyRoutes } from './v1/api-keys/routes.ts';
import { policyLabRoutes } from './v1/approval-policies/lab-routes.ts';
import { approvalPolicyRoutes } from './v1/approval-policies/routes.ts';
import { policyVersionRoutes } from './v1/approval-policies/version-routes.ts';
import { webhookSecretRoutes } from './v1/approval-policies/webhook-secret-routes.ts';
import { approvalRoutes } from './v1/approvals/routes.ts';
import { webhookDeliveryRoutes } from './v1/approvals/webhook-delivery-routes.ts';
import { codeRunRoutes } from './v1/code-runs/routes.ts';
import { connectRoutes } from './v1/connect/routes.ts';
import { connectionRoutes } from './v1/connections/routes.ts';
import { endUserRoutes } from './v1/end-users/routes.ts';
import { changeRoutes } from './v1/integrations/change-routes.ts';
import { ownIntegrationRoutes } from './v1/integrations/own-routes.ts';
import { integrationRoutes } from './v1/integrations/routes.ts';
import { declarationRoutes } from './v1/mcp/servers/declarations/routes.ts';
import { executeCodeRoutes } from './v1/mcp/servers/execute-code/routes.ts';
import { mcpServerRoutes } from './v1/mcp/servers/routes.ts';
import { mcpTokenRoutes } from './v1/mcp/servers/tokens/routes.ts';
import { mcpToolRoutes } from './v1/mcp/servers/tools/routes.ts';
import { memberRoutes } from './v1/members/routes.ts';
import { oauthAppRoutes } from './v1/oauth-apps/routes.ts';
import { partialRoutes } from './v1/partials/routes.ts';
import { workspaceIntegrationRoutes } from './v1/workspaces/integrations/routes.ts';
import { workspaceRoutes } from './v1/workspaces/routes.ts';

/** All endpoints of the REST API, for the server, the OpenAPI document and the tests. */
export const ROUTES: readonly Route[] = [
  ...apiKeyRoutes,
  ...memberRoutes,
  ...workspaceRoutes,
  ...workspaceIntegrationRoutes,
  ...endUserRoutes,
  ...connectionRoutes,
  ...connectRoutes,
  ...oauthAppRoutes,
  ...mcpServerRoutes,
  ...mcpTokenRoutes,
  ...mcpToolRoutes,
  ...executeCodeRoutes,
  ...declarationRoutes,
  ...partialRoutes,
  ...approvalPolicyRoutes,
  ...policyLabRoutes,
  ...policyVersionRoutes,
  ...webhookSecretRoutes,
  ...approvalRoutes,
  ...webhookDeliveryRoutes,
  ...codeRunRoutes,
  ...activityRoutes,
  ...integrationRoutes,
  ...ownIntegrationRoutes,
  ...changeRoutes,
  ...actionRoutes,
];
