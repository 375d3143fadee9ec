import type { Gateway } from '../gateway.ts';
import type { CodeRunAnswer } from './code-run-answer.ts';
import { type ConnectLink, findConnectLink } from './connect-link.ts';
import { continueCodeRun } from './continue-code-run.ts';
import { type CodeRunCaller, startCodeRun } from './start-code-run.ts';

export interface ExecuteCode extends CodeRunCaller {
  /** Exactly one of `code` and `approvalId` is set. */
  code?: string | undefined;
  approvalId?: string | undefined;
  /** Overrides the setting of the MCP server. */
  waitForApprovalSeconds?: number | undefined;
  /** Aborted when the client disconnects. A run that this call started is then canceled. */
  signal?: AbortSignal | undefined;
}

/** The caller can pass `connect` on to the end user. */
export interface ExecuteCodeAnswer extends CodeRunAnswer {
  connect?: ConnectLink | undefined;
}

/** Starts a run, or continues the run of an approval (specification 3.2, 4.2 execute-code). */
export async function executeCode(gateway: Gateway, request: ExecuteCode): Promise<ExecuteCodeAnswer> {
  const { code, approvalId = '' } = request;
  const answer = await (code !== undefined
    ? startCodeRun(gateway, { ...request, code })
    : continueCodeRun(gateway, { ...request, approvalId }));
  const connect = await findConnectLink(gateway, answer.run, answer.steps);
  // A request with an `approvalId` would only get the stored result again.
  return { ...answer, connect: connect && { ...connect, mayRepeat: connect.mayRepeat && code !== undefined } };
}
