import { type CodeRun, isFinished } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { APPROVAL_WAIT_SECONDS } from '../../domain/limits.ts';
import { findApproval } from '../../store/approvals.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import type { Gateway } from '../gateway.ts';
import { answerNow, answerWhenDecided, type CodeRunAnswer } from './code-run-answer.ts';
import { isDependencyUnavailable } from './code-run-errors.ts';
import type { CodeRunCaller } from './start-code-run.ts';

/** A run to continue, named by one of its approvals. */
export interface ContinueCodeRun extends CodeRunCaller {
  approvalId: string;
  /** Overrides the setting of the MCP server. */
  waitForApprovalSeconds?: number | undefined;
}

/**
 * Continues the run of an approval after the decision. Can be repeated. Throws APPROVAL_NOT_FOUND
 * and UNAVAILABLE.
 */
export async function continueCodeRun(gateway: Gateway, request: ContinueCodeRun): Promise<CodeRunAnswer> {
  try {
    return await continueNow(gateway, request);
  } catch (error) {
    throw isDependencyUnavailable(error) ? new GatewayError('UNAVAILABLE', UNREAD, undefined, { cause: error }) : error;
  }
}

const UNREAD = 'The state of the run cannot be read right now; nothing is lost. Call again with the same approvalId.';

async function continueNow(gateway: Gateway, request: ContinueCodeRun): Promise<CodeRunAnswer> {
  const { server, approvalId } = request;
  const approval = await findApproval(gateway.db, server.orgId, approvalId);
  const before = approval?.codeRunId ? await findCodeRun(gateway.db, approval.codeRunId) : undefined;
  if (!before || before.mcpServerId !== server.id || isSomebodyElses(before, request))
    throw new GatewayError('APPROVAL_NOT_FOUND', 'This server has no code run with this approval.');
  if (isFinished(before.status)) return answerNow(gateway, before, approvalId, before.passNumber);

  const waitSeconds = request.waitForApprovalSeconds ?? server.settings.codeMode?.approvalWaitSeconds ?? APPROVAL_WAIT_SECONDS.default;
  return answerWhenDecided(gateway, before, waitSeconds, approval);
}

/**
 * Whether the request has a token of another end user. Such a request must not get the data of the
 * run's end user.
 */
function isSomebodyElses(run: CodeRun, { requestedBy, endUserId }: ContinueCodeRun): boolean {
  return requestedBy.type === 'mcp_token' && run.endUserId !== endUserId;
}
