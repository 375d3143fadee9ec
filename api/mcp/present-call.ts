import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CallAnswer } from '../../commands/calls/run-call.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { SurfaceTool } from '../../commands/surfaces/surface-cache.ts';
import type { Approval } from '../../domain/approval.ts';
import type { Issue } from '../../domain/bound-error.ts';
import { boundError, boundSentence, joinWithin } from '../../domain/bound-error.ts';
import type { CallError } from '../../domain/call.ts';
import { ERROR_LIMITS } from '../../domain/limits.ts';
import { isRecord } from '../../domain/unknown-values.ts';
import { connectLine } from './connect-line.ts';
import { gateMarkdown, presentGate } from './present-gate.ts';

/** The tool result for a call: the output, the failure, or the required approval. */
export function presentCall(gateway: Gateway, tool: SurfaceTool, answer: CallAnswer): CallToolResult {
  if (answer.kind === 'approval_required') return presentGatedCall(gateway, tool, answer.approval);
  if (!answer.outcome.ok) return presentFailure(answer.outcome.error);
  const { output } = answer.outcome;
  return {
    content: [{ type: 'text', text: JSON.stringify(output) }],
    ...(isRecord(output) && { structuredContent: output }),
    isError: false,
  };
}

/**
 * The result of a failed call. `status` is `unavailable` for UNAVAILABLE, because a retry may
 * succeed, and `failed` for other codes.
 */
export function presentFailure(failure: CallError): CallToolResult {
  const { code } = failure;
  const { message, details } = boundError(failure);
  const issues = ((details?.issues ?? []) as Issue[]).map((issue) => ({ ...issue, path: issue.path.replace(/^input\.?/, '') }));
  const lines = issues.map(({ path, message }) => (path ? `- ${path}: ${message}` : `- ${message}`));
  const head = `${code}: the arguments are not valid.\n`;
  const room = ERROR_LIMITS.sentenceMaxLength - head.length;
  const text =
    lines.length > 0 ? head + joinWithin(lines, Number(details?.issuesOmitted ?? 0), '\n', room) : boundSentence(`${code}: ${message}`);
  const shown = { code, message, ...(details && { details: issues.length > 0 ? { ...details, issues } : details }) };
  const { connectUrl } = details ?? {};
  return {
    content: [{ type: 'text', text: typeof connectUrl === 'string' ? `${text}\n\n${connectLine(connectUrl)}` : text }],
    structuredContent: { status: code === 'UNAVAILABLE' ? 'unavailable' : 'failed', error: shown },
    isError: true,
  };
}

function presentGatedCall(gateway: Gateway, tool: SurfaceTool, approval: Approval): CallToolResult {
  const next = `After the approval, call \`${tool.name}\` again with the same arguments. The call then runs once.`;
  const gate = presentGate(gateway, approval, {
    title: 'Approval required',
    description: `${tool.action.displayName} (${tool.alias}) waits for the approval of a person. Nothing has run yet. ${next}`,
  });
  return {
    content: [{ type: 'text', text: gateMarkdown(gate) }],
    structuredContent: { ...gate, continuation: { tool: tool.name, sameArguments: true } },
    isError: false,
  };
}
