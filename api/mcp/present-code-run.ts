import type { AwaitedApprovals } from '../../commands/code-runs/code-run-answer.ts';
import type { ExecuteCodeAnswer } from '../../commands/code-runs/execute-code.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { CodeRun } from '../../domain/code-run.ts';
import { CONTINUATION_TOOL } from '../../domain/webhook-payload.ts';
import type { RunStep } from '../../store/journal.ts';
import { connectLine } from './connect-line.ts';
import { callsMade } from './describe-calls.ts';
import { describePause } from './describe-pause.ts';
import { fenced } from './fenced.ts';
import { logsMarkdown } from './logs-markdown.ts';
import { gateMarkdown, groupMarkdown, presentGate, presentGateApproval } from './present-gate.ts';

/** The answer of execute-code, over REST and MCP (specification 4.2). */
export interface ExecuteCodeResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
}

/** Presents a run that waits, succeeded or ended without success. */
export function presentCodeRun(gateway: Gateway, answer: ExecuteCodeAnswer): ExecuteCodeResult {
  if (answer.awaited) return presentPause(gateway, answer.awaited, answer.run);
  return answer.run.status === 'executed' ? presentExecuted(answer) : presentEnded(answer);
}

function presentExecuted({ run, steps }: ExecuteCodeAnswer): ExecuteCodeResult {
  const { output, logs, returnedNothing } = run.result!;
  const structuredContent = { status: 'executed', output, ...record(run, steps) };
  const said = output === null ? text(returnedNothing ? NOTHING : 'null', logsMarkdown(logs, ALL_LOGS)) : text(JSON.stringify(output));
  return { content: said, structuredContent, isError: false };
}

const NOTHING = 'null (the program returned nothing: write `return …` to return a value)';
const ALL_LOGS = 'all of them are in structuredContent.logs';

const ENDED = { failed: 'failed', rejected: 'approval_rejected', expired: 'approval_expired', canceled: 'approval_canceled' } as const;

/**
 * The message of a failed run may come from the program. The code block keeps it from looking like
 * a message of the service.
 */
function presentEnded({ run, steps, connect }: ExecuteCodeAnswer): ExecuteCodeResult {
  const error = run.result!.error!;
  const status = ENDED[run.status as keyof typeof ENDED];
  const where = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column})`;
  const said = status === 'failed' ? `\n\n${fenced(error.message)}` : ` ${error.message}`;
  // `steps` omits calls that were still executing when the run ended. So zero steps mean zero calls
  // only if the program never started, or if the run was rejected or expired.
  const isCounted = steps.length > 0 || run.passNumber === 0 || status === 'approval_rejected' || status === 'approval_expired';
  return {
    content: text(
      `${error.code}${where}:${said}`,
      connect ? connectLine(connect.connectUrl) : false,
      isCounted && callsMade(steps.length),
      logsMarkdown(run.result!.logs, ALL_LOGS),
    ),
    structuredContent: { status, error: { ...error, ...(connect && { details: connect }) }, ...record(run, steps) },
    isError: true,
  };
}

function presentPause(gateway: Gateway, waiting: AwaitedApprovals, { lastPass }: CodeRun): ExecuteCodeResult {
  const { kind, approvals } = waiting;
  const [next, ...others] = approvals;
  const isGroup = others.length > 0;
  const gate = presentGate(gateway, next, {
    title: kind === 'required' ? 'Approval required' : 'Approval pending',
    description: describePause(waiting),
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
    content: text(
      markdown,
      `Continue with \`${CONTINUATION_TOOL}\`: \`${JSON.stringify(continuation.arguments)}\``,
      logsMarkdown(lastPass?.logs ?? [], 'the result has all of them'),
    ),
    structuredContent,
    isError: false,
  };
}

function group(gateway: Gateway, approvals: AwaitedApprovals['approvals']) {
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

function text(...parts: (string | false)[]): ExecuteCodeResult['content'] {
  return [{ type: 'text', text: parts.filter(Boolean).join('\n\n') }];
}
