import type { ApprovalLinks } from '../../../commands/approvals/approval-links.ts';
import type { CallPreview } from '../../../commands/reviews/preview-run-calls.ts';
import type { CodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import type { Approval } from '../../../domain/approval.ts';
import type { ListedCodeRun } from '../../../store/code-run-history.ts';

export function presentListedCodeRun(run: ListedCodeRun) {
  return {
    id: run.id,
    orgId: run.orgId,
    workspaceId: run.workspaceId,
    mcpServerId: run.mcpServerId,
    endUserId: run.endUserId,
    requestedByType: run.requestedByType,
    requestedById: run.requestedById,
    status: run.status,
    codeHash: run.codeHash,
    passNumber: run.passNumber,
    runningMs: run.runningMs,
    createdAt: run.createdAt.toISOString(),
    finishedAt: run.finishedAt?.toISOString() ?? null,
  };
}

/** Links to the page of an approval and to the page of its run. */
export type RunLinks = Pick<ApprovalLinks, 'approvalUrl'> & { codeRunUrl: string | null };

/** Presents a run. `linksOf` returns the links that the reader may see. */
export function presentCodeRun({ run, code, output, logs, ...history }: CodeRunHistory, linksOf: (approval: Approval) => RunLinks) {
  return {
    ...presentListedCodeRun(run),
    code: code.lines.join('\n'),
    codeLines: code.lineCount,
    codeHiddenLines: code.hiddenLines,
    codeIsWhole: code.lines.length === code.lineCount && !code.isLineCut.includes(true),
    error: history.error,
    output: output.value,
    outputIs: output.is,
    logs: logs.lines,
    logsAre: logs.is,
    logsOmitted: logs.omitted,
    calls: history.calls.map(presentCall),
    approvals: history.approvals.map((approval) => ({ ...presentApproval(approval), ...linksOf(approval) })),
    plan: history.plan,
  };
}

function presentCall(call: CallPreview) {
  return {
    number: call.number,
    alias: call.integrationAlias,
    integrationName: call.integrationName,
    actionName: call.actionName,
    status: call.status,
    line: call.codeLine,
    column: call.codeColumn,
    idempotent: call.idempotent,
    startedMs: call.startedMs,
    durationMs: call.durationMs,
    input: call.input.value,
    output: call.output.value,
    outputIs: call.output.is,
    error: call.error,
    approvalId: call.approvalId,
  };
}

function presentApproval(approval: Approval) {
  return {
    id: approval.id,
    status: approval.status,
    callNumber: approval.callNumber === null ? null : approval.callNumber + 1,
    policyId: approval.policyId,
    policyName: approval.policyName,
    decidedByType: approval.decidedByType,
    decidedById: approval.decidedById,
    decisionReason: approval.decisionReason,
    decidedAt: approval.decidedAt?.toISOString() ?? null,
    expiresAt: approval.expiresAt.toISOString(),
  };
}
