/**
 * Search attributes of workflows in the Temporal UI. `GatewayApprovals = "apr_…"` finds the
 * workflows of an approval.
 */
export const SEARCH_ATTRIBUTE_TYPES = {
  GatewayApprovals: 'KEYWORD_LIST',
  GatewayOrg: 'KEYWORD',
  GatewayWorkspace: 'KEYWORD',
  GatewayStatus: 'KEYWORD',
  GatewaySource: 'KEYWORD',
  GatewayIntegration: 'KEYWORD',
  GatewayAction: 'KEYWORD',
} as const;
