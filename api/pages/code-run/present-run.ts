import type { OpenedLink } from '../../../commands/approvals/open-approval-link.ts';
import type { PlanPreview } from '../../../commands/reviews/preview-run-plan.ts';
import type { CodeRunHistory } from '../../../commands/reviews/read-code-run-history.ts';
import type { Approval } from '../../../domain/approval.ts';
import { describeAsker } from '../approval/describe-call.ts';
import { presentCode, type ShownCode } from '../approval/present-code.ts';
import { presentProgram, type ShownProgram } from '../approval/present-program.ts';
import type { ShownState } from '../approval/shown-state.ts';
import { type ShownTime, showDuration, showTime } from '../layout/show-time.ts';
import { describeRun } from './describe-run.ts';
import { type ApprovalOfRun, presentApprovals } from './present-approvals.ts';
import { type CallOfRun, marksOf, openBudget, presentCalls } from './present-calls.ts';
import { presentResult, type ShownResult } from './present-result.ts';
import { showSeconds } from './show-seconds.ts';

/** The data of the page of a code run. */
export interface RunView extends ShownResult {
  title: string;
  id: string;
  state: ShownState;
  asker: string;
  workspace: string;
  endUser: string | null;
  began: ShownTime & { ago: string };
  ended: ShownTime | null;
  /** The running time, without the time spent waiting for people. */
  ran: string;
  error: { code: string; message: string; line: number | null } | null;
  /** The number of calls by outcome. */
  counts: string;
  calls: CallOfRun[];
  approvals: ApprovalOfRun[];
  code: ShownCode;
  plan: ShownProgram | null;
}

interface Reader {
  /** Names by approval id; empty for readers who may not see names. */
  deciders: ReadonlyMap<string, string>;
  maySee(approval: Approval): boolean;
}

/** Prepares the page of a code run. */
export async function presentRun(link: OpenedLink, history: CodeRunHistory, reader: Reader): Promise<RunView> {
  const { run, error, plan } = history;
  const state = describeRun(history);
  const budget = openBudget();
  const result = presentResult(history, budget);
  const calls = presentCalls(history, budget);
  return {
    title: `${state.label}: a program`,
    id: run.id,
    state,
    asker: describeAsker(link),
    workspace: link.workspaceName ?? 'a workspace that was deleted',
    endUser: run.endUserId === null ? null : (link.endUserName ?? run.endUserId),
    began: { ...showTime(run.createdAt), ago: `${showDuration(link.now.getTime() - run.createdAt.getTime())} ago` },
    ended: run.finishedAt && showTime(run.finishedAt),
    ran: showSeconds(run.runningMs),
    error: error && { code: error.code, message: error.message, line: error.line ?? null },
    counts: countWords(history),
    calls,
    approvals: presentApprovals(link, history.approvals, reader),
    ...result,
    code: await presentCode(run, marksOf(calls)),
    plan: plan && presentPlan(plan, link.approval),
  };
}

const COUNTED: Record<string, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  unknown: 'with an unknown outcome',
  executing: 'not answered',
  gated: 'held for approval',
  blocked: 'blocked',
};

/** The number of calls by outcome, in words. */
export function countWords({ calls }: Pick<CodeRunHistory, 'calls'>): string {
  if (calls.length === 0) return 'No calls';
  const counts = Map.groupBy(calls, ({ status }) => status);
  const words = [...counts].map(([status, { length }]) => `${length} ${COUNTED[status]}`);
  return `${calls.length === 1 ? 'One call' : `${calls.length} calls`}: ${words.join(', ')}`;
}

function presentPlan({ approvalGroups, ...plan }: PlanPreview, { policyId }: Approval): ShownProgram {
  return presentProgram({ inputPreview: { ...plan, approvalGroups }, policyId });
}
