import type { CallOutcome, CallStatus } from '../../domain/call.ts';
import type { CodeRunResult, CodeRunStatus } from '../../domain/code-run.ts';
import { previewInput } from '../../domain/redaction/preview-input.ts';
import type { Db } from '../../infra/database.ts';
import { encodePayload } from '../../store/payload.ts';

/** A recorded call of a run, with the fields that the dashboard shows. */
export interface JournalCall {
  number: number;
  tool: string;
  status: CallStatus;
  line?: number;
  input?: Record<string, unknown>;
  outcome?: CallOutcome;
  approvalId?: string;
}

export interface RunRecord {
  status: CodeRunStatus;
  calls?: readonly JournalCall[];
  result?: CodeRunResult | undefined;
  plan?: object;
}

/** Updates a run in the database, and inserts its calls. */
export async function recordRun(
  db: Db,
  run: { id: string; orgId: string; workspaceId: string },
  { status, calls = [], result, plan }: RunRecord,
): Promise<void> {
  const planned = plan && { plan: encodePayload(plan), tool_surface_hash: 'f00d' };
  const ended = result && { result: encodePayload(result), finished_at: db.fn.now() };
  await db('code_runs')
    .where({ id: run.id })
    .update({ status, running_ms: 2400, pass_number: 2, ...planned, ...ended });
  for (const { number, tool, status, line, input, outcome, approvalId } of calls) {
    const [alias, action] = tool.split('.');
    await db('calls').insert({
      ...{ org_id: run.orgId, workspace_id: run.workspaceId, source: 'mcp_code', integration_name: alias, integration_alias: alias },
      ...{
        action_name: action,
        requested_by_type: 'mcp_token',
        input_hash: '',
        request_hash: '',
        code_run_id: run.id,
        call_number: number,
      },
      ...{
        status,
        approval_id: approvalId ?? null,
        code_line: line ?? null,
        code_column: 7,
        started_ms: 120 * number,
        idempotent: number === 0,
      },
      input_preview: input ? encodePayload(previewInput(input).preview) : null,
      outcome: outcome ? encodePayload(outcome) : null,
      finished_at: outcome ? db.raw("now() + interval '210 milliseconds'") : null,
    });
  }
}
