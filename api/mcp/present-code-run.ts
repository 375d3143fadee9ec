import type { CodeRunAnswer, CodeRunGate } from '../../commands/code-run-answer.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { CodeRun } from '../../domain/code-run.ts';
import { escapeHidden } from '../../domain/preview-input.ts';
import { CONTINUATION_TOOL } from '../../domain/webhook-payload.ts';
import type { RunStep } from '../../store/journal.ts';
import { gateMarkdown, groupMarkdown, presentGate, presentGateApproval, toolOf } from './present-gate.ts';

/** What execute-code answers, over REST and MCP alike (specification 4.2). */
export interface ExecuteCodeResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
}

export function presentCodeRun(gateway: Gateway, answer: CodeRunAnswer): ExecuteCodeResult {
  if (answer.gate) return presentPause(gateway, answer.gate);
  return answer.run.status === 'executed' ? presentExecuted(answer) : presentEnded(answer);
}

function presentExecuted({ run, steps }: CodeRunAnswer): ExecuteCodeResult {
  const structuredContent = { status: 'executed', output: run.result!.output, ...record(run, steps) };
  return { content: text(JSON.stringify(structuredContent.output)), structuredContent, isError: false };
}

const ENDED = { failed: 'failed', rejected: 'approval_rejected', expired: 'approval_expired', canceled: 'approval_canceled' } as const;

/** A run that failed, or that a person ended; the reason is in words that a model can act on. What the program said stands apart, so that it cannot pass for ours. */
function presentEnded({ run, steps }: CodeRunAnswer): ExecuteCodeResult {
  const error = run.result!.error!;
  const status = ENDED[run.status as keyof typeof ENDED];
  const where = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column})`;
  const said = status === 'failed' ? `\n\n${fenced(error.message)}` : ` ${error.message}`;
  return {
    content: text(`${error.code}${where}:${said}`),
    structuredContent: { status, error, ...record(run, steps) },
    isError: true,
  };
}

/** A text as a code block that nothing in it can end. */
function fenced(message: string): string {
  const longest = Math.max(2, ...(message.match(/`+/g) ?? []).map((ticks) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${escapeHidden(message)}\n${fence}`;
}

function presentPause(gateway: Gateway, { kind, approvals }: CodeRunGate): ExecuteCodeResult {
  const [next, ...others] = approvals;
  const isGroup = others.length > 0;
  const awaited = isGroup ? `each of ${approvals.length} approvals is given; it needs them all` : `a person decides about ${toolOf(next)}`;
  const gate = presentGate(gateway, next, {
    title: kind === 'required' ? 'Approval required' : 'Approval pending',
    description: `This run waits until ${awaited}. Then call ${CONTINUATION_TOOL} with only this approvalId; the run goes on where it is, and nothing is done twice.`,
  });
  const continuation = { tool: CONTINUATION_TOOL, arguments: { approvalId: next.id } };
  const structuredContent = {
    ...gate,
    ...(kind === 'pending' && { status: 'approval_pending', view: 'approval_pending' }),
    continuation,
    ...(isGroup && group(gateway, approvals)),
  };
  const markdown = isGroup ? groupMarkdown(gateway, gate, approvals) : gateMarkdown(gate);
  return {
    content: text(`${markdown}\n\nContinue with \`${CONTINUATION_TOOL}\`: \`${JSON.stringify(continuation.arguments)}\``),
    structuredContent,
    isError: false,
  };
}

/** Several approvals: each must be approved before the run goes on. */
function group(gateway: Gateway, approvals: CodeRunGate['approvals']) {
  return {
    approvals: approvals.map((approval) => ({
      ...presentGateApproval(gateway, approval),
      status: approval.status,
      policyId: approval.policyId,
      policyName: approval.policyName,
      actionName: approval.actionName,
      integrationAlias: approval.integrationAlias,
    })),
    approvalGroup: {
      codeRunId: approvals[0].codeRunId,
      total: approvals.length,
      pending: approvals.filter(({ status }) => status === 'pending').length,
      nextApprovalId: approvals[0].id,
    },
  };
}

function record(run: CodeRun, steps: RunStep[]) {
  const { logs, timings } = run.result!;
  return {
    logs,
    actionsExecuted: steps.length,
    durationMs: timings.totalExecuteMs,
    timings: { ...timings, browserActionMs: 0, steps: steps.map(step) },
  };
}

function step(call: RunStep) {
  return {
    integrationAlias: call.integrationAlias,
    actionName: call.actionName,
    status: call.status,
    startedMs: call.startedMs ?? 0,
    durationMs: Math.max(0, call.finishedAt.getTime() - call.startedAt.getTime()),
  };
}

function text(value: string): ExecuteCodeResult['content'] {
  return [{ type: 'text', text: value }];
}
