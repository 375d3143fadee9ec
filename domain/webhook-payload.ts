import type { Approval, ApprovalEvent, Receipt } from './approval.ts';

/** The tool that resumes a code run (contract decisions 4). */
export const CONTINUATION_TOOL = 'svc_execute';

/**
 * Returns the body of a webhook (specification 6). Its secret links are null, because they are
 * never stored.
 */
export function webhookPayload(
  event: ApprovalEvent,
  approval: Approval,
  receipt: Receipt | null,
  baseUrl: string,
): { approval: Record<string, unknown>; [field: string]: unknown } {
  const api = `${baseUrl}/api/v1/approvals/${approval.id}`;
  return {
    event,
    createdAt: null,
    approval: {
      id: approval.id,
      status: approval.status,
      workspaceId: approval.workspaceId,
      source: approval.source,
      integrationName: approval.integrationName,
      integrationAlias: approval.integrationAlias,
      actionName: approval.actionName,
      inputPreview: approval.inputPreview,
      redactedPaths: approval.redactedPaths,
      riskReasons: approval.riskReasons,
      approvalUrl: null,
      hostedApprovalUrl: null,
      api: { detailUrl: api, approveUrl: `${api}/approve`, rejectUrl: `${api}/reject`, cancelUrl: `${api}/cancel` },
      ...codeRun(approval),
      idempotencyKey: approval.idempotencyKey,
      expiresAt: approval.expiresAt.toISOString(),
    },
    receipt: receipt && { id: receipt.id, expiresAt: receipt.expiresAt.toISOString() },
  };
}

/** Returns the field `codeRun` for the approval of a plan, else no field (specification 6). */
function codeRun(approval: Approval): Record<string, unknown> {
  const preview = approval.inputPreview;
  if (approval.codeRunId === null || approval.callNumber !== null || preview.type !== 'mcp_code_batch_run') return {};
  return {
    codeRun: {
      type: preview.type,
      codeRunId: approval.codeRunId,
      codeHash: preview.codeHash,
      toolSurfaceHash: preview.toolSurfaceHash,
      approvalGroups: preview.approvalGroups,
      analysisConfidence: preview.analysisConfidence,
      dynamicSignals: preview.dynamicSignals,
      continuation: { tool: CONTINUATION_TOOL, arguments: { approvalId: approval.id } },
    },
  };
}
