/**
 * The public files of each folder of commands/. Other files are imported only by their own folder,
 * tests and benches.
 */
export const PUBLIC_COMMANDS: Record<string, string> = {
  access:
    'add-user authenticate-key authenticate-mcp-token create-api-key create-org delete-api-key grant-api-key issue-end-user-token lookups remove-user rename-org rotate-encryption-key',
  'agent-state': 'open-state read-download state-host',
  approvals:
    'announce-approval approval-links await-decision decide-approval decide-as-operator decide-as-person decide-by-link expire-unused-approval find-receipt-differences get-approval get-receipt list-waiting merge-counts open-approval-as-member open-approval-link operator-code receipt-claims receipt-signer request-approval revoke-receipt-key spend-codes time-out-approval verify-receipt waiting-of-member withdraw-pending',
  audit: 'changed-fields find-unrecorded record-activity seal-activity verify-activity verify-trail',
  calls:
    'admit-call assert-callable call-recorder call-tool execute-action explain-call give-up-call hash-call perform-call prepare-call request-of-action run-as-account run-call',
  catalogue:
    'code-names describe-surface list-choices property-options read-catalog-ahead read-declarations resolve-property search-actions search-integrations surface-words',
  'code-runs':
    'cancel-code-run code-run-answer current-approvals delete-old-run-results execute-code get-code-run pass/cancel-passes pass/schedule-pass pass/start-pass-eagerly plan/check-program plan/group-by-policy plan/plan-code-run plan/predicted-run recover-code-run replay/compare-calls replay/preview-replay replay/replay-code-run run-reader settle-run start-run-workflow',
  connect:
    'begin-consent complete-connect-session create-connect-session finish-consent get-connect-session invite-end-user issue-connect-token open-portal portal-account with-connect-url',
  connections:
    'check-credentials connect-account connection-credentials create-connection create-oauth-app delete-connection delete-oauth-app get-connection note-connection-status offer-methods redirect-uri refresh-connection resolve-connection resolve-named-connection',
  'end-users': 'create-end-user delete-end-user end-user-inserter ensure-end-user get-end-user update-end-user',
  integrations:
    'decide-change delete-own-integration get-change get-own-integration import-integration org-catalog refresh-schedule watch-servers refresh-own-integration shown-change update-own-integration',
  'mcp-servers':
    'add-mcp-tool create-mcp-server delete-mcp-server get-code-server get-mcp-server regenerate-token remove-mcp-tool revoke-mcp-token strict-per-user suspend-mcp-server sync-tools update-mcp-server update-mcp-tool',
  members:
    'add-member change-password invite-member member-links member-rights member-session remove-member send-invitation set-up sign-in-by-code sign-in-by-openid sign-in-by-password update-member',
  news: 'dashboard-news watch-health worker-heartbeat',
  oauth: 'account authorize-end-user find-server-of-resource grants limit-source oauth-access-tokens oauth-adapter oauth-keys',
  outbox: 'approval-starts outbox-deleter reconcile notify-orchestrator',
  partials: 'check-partial create-partial delete-partial get-partial update-partial',
  policies:
    'backtest-policy check-policy create-policy delete-old-facts delete-policy draft-from-yeses find-policy-warnings get-policy get-shadow-record match-call policy-cache policy-list-cache restore-policy-version test-policy update-policy',
  programs: 'action-sandbox sandboxes schedulers',
  reviews: 'preview-batch preview-code preview-places preview-run-calls preview-run-plan preview-value read-code-run-history redact-code',
  'sign-in': 'delete-expired openid-sign-in send-sign-in-code signed-in verify-sign-in-code',
  surfaces: 'change-surface choose-partials follow-surface helper-tools setup-cache surface-cache tool-names',
  webhooks:
    'delivery-sender follow-webhooks get-delivery redeliver-webhook resend-failed-deliveries rotate-webhook-secret wipe-webhook-secrets',
  'workspace-integrations': 'add-workspace-integration remove-workspace-integration resolve-instance update-workspace-integration',
  workspaces: 'create-workspace delete-workspace get-workspace rename-workspace',
};
