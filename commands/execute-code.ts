import type { CodeRunAnswer } from './code-run-answer.ts';
import { continueCodeRun } from './continue-code-run.ts';
import type { Gateway } from './gateway.ts';
import { type CodeRunCaller, startCodeRun } from './start-code-run.ts';

export interface ExecuteCode extends CodeRunCaller {
  /** Exactly one of the two. */
  code?: string | undefined;
  approvalId?: string | undefined;
  /** Overrides the server's setting. */
  waitForApprovalSeconds?: number | undefined;
  /** Aborted when whoever asks goes away: a run that this call starts is then canceled; a call that continues one takes nothing back. */
  signal?: AbortSignal | undefined;
}

/** Starts a run, or continues the one that an approval belongs to (specification 3.2, 4.2 execute-code). */
export async function executeCode(gateway: Gateway, request: ExecuteCode): Promise<CodeRunAnswer> {
  const { code, approvalId = '' } = request;
  return code !== undefined ? startCodeRun(gateway, { ...request, code }) : continueCodeRun(gateway, { ...request, approvalId });
}
