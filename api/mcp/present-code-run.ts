import type { CodeRunAnswer, CodeRunGate } from '../../commands/code-run-answer.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { CodeRun } from '../../domain/code-run.ts';
import { CONTINUATION_TOOL } from '../../domain/webhook-payload.ts';
import type { RunStep } from '../../store/journal.ts';
import { callsMade } from './describe-calls.ts';
import { describePause } from './describe-pause.ts';
import { fenced } from './fenced.ts';
import { logsMarkdown } from './logs-markdown.ts';
import { gateMarkdown, groupMarkdown, presentGate, presentGateApproval } from './present-gate.ts';

/** What execute-code answers, over REST and MCP alike (specification 4.2). */
export interface ExecuteCodeResult {
  content: { type: 'text'; text: string }[];
  structuredContent: Record<string, unknown>;
  isError: boolean;
}

export function presentCodeRun(gateway: Gateway, answer: CodeRunAnswer): ExecuteCodeResult {
  if (answer.gate) return presentPause(gateway, answer.gate, answer.run);
  return answer.run.status === 'executed' ? presentExecuted(answer) : presentEnded(answer);
}

function presentExecuted({ run, steps }: CodeRunAnswer): ExecuteCodeResult {
  const { output, logs, returnedNothing } = run.result!;
  const structuredContent = { status: 'executed', output, ...record(run, steps) };
  const said = output === null ? text(returnedNothing ? NOTHING : 'null', logsMarkdown(logs, ALL_LOGS)) : text(JSON.stringify(output));
  return { content: said, structuredContent, isError: false };
}

const NOTHING = 'null (the program returned nothing: write `return …` for what it is to answer)';
const ALL_LOGS = 'all of them are in structuredContent.logs';

const ENDED = { failed: 'failed', rejected: 'approval_rejected', expired: 'approval_expired', canceled: 'approval_canceled' } as const;

/** A run that failed, or that a person ended; the reason is in words that a model can act on. What the program said stands apart, so that it cannot pass for ours. */
function presentEnded({ run, steps }: CodeRunAnswer): ExecuteCodeResult {
  const error = run.result!.error!;
  const status = ENDED[run.status as keyof typeof ENDED];
  const where = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column})`;
  const said = status === 'failed' ? `\n\n${fenced(error.message)}` : ` ${error.message}`;
  // A call that was under way when the run ended is none of its steps.
  const isCounted = steps.length > 0 || run.passNumber === 0 || status === 'approval_rejected' || status === 'approval_expired';
  return {
    content: text(`${error.code}${where}:${said}`, isCounted && callsMade(steps.length), logsMarkdown(run.result!.logs, ALL_LOGS)),
    structuredContent: { status, error, ...record(run, steps) },
    isError: true,
  };
}

function presentPause(gateway: Gateway, waiting: CodeRunGate, { lastPass }: CodeRun): ExecuteCodeResult {
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
      logsMarkdown(lastPass?.logs ?? [], 'all of them come with the result'),
    ),
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

function text(...parts: (string | false)[]): ExecuteCodeResult['content'] {
  return [{ type: 'text', text: parts.filter(Boolean).join('\n\n') }];
}
