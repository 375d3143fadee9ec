import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Gateway } from '../../commands/gateway.ts';
import type { CallAnswer } from '../../commands/run-call.ts';
import type { SurfaceTool } from '../../commands/surface-cache.ts';
import type { Approval } from '../../domain/approval.ts';
import type { CallError } from '../../domain/call.ts';
import type { Issue } from '../../domain/errors.ts';
import { isRecord } from '../../domain/loose-values.ts';
import { gateMarkdown, presentGate } from './present-gate.ts';

/** What an agent gets for a tool call: the output, why it failed, or whom it waits for. */
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

/** A failure that a model can act on: code, sentence, and every problem of the input with its key. What may be had in a moment is not called a failure. */
export function presentFailure({ code, message, details }: CallError): CallToolResult {
  const issues = ((details?.issues ?? []) as Issue[]).map((issue) => ({ ...issue, path: issue.path.replace(/^input\.?/, '') }));
  const lines = issues.map(({ path, message }) => (path ? `- ${path}: ${message}` : `- ${message}`));
  const text = lines.length > 0 ? `${code}: the arguments are not right.\n${lines.join('\n')}` : `${code}: ${message}`;
  const shown = { code, message, ...(details && { details: issues.length > 0 ? { ...details, issues } : details }) };
  return {
    content: [{ type: 'text', text }],
    structuredContent: { status: code === 'UNAVAILABLE' ? 'unavailable' : 'failed', error: shown },
    isError: true,
  };
}

function presentGatedCall(gateway: Gateway, tool: SurfaceTool, approval: Approval): CallToolResult {
  const next = `When it is approved, call \`${tool.name}\` again with the same arguments: it then runs, once.`;
  const gate = presentGate(gateway, approval, {
    title: 'Approval required',
    description: `${tool.action.displayName} (${tool.alias}) waits for a person to approve it; nothing has run. ${next}`,
  });
  return {
    content: [{ type: 'text', text: gateMarkdown(gate) }],
    structuredContent: { ...gate, continuation: { tool: tool.name, sameArguments: true } },
    isError: false,
  };
}
