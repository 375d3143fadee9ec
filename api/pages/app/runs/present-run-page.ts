import type { CodeRunHistory } from '../../../../commands/reviews/read-code-run-history.ts';
import type { Approval } from '../../../../domain/approval.ts';
import type { CodeRun } from '../../../../domain/code-run.ts';
import type { CodeRunNames } from '../../../../store/code-run-history.ts';
import { presentCode } from '../../approval/present-code.ts';
import { presentProgram } from '../../approval/present-program.ts';
import { describeRun } from '../../code-run/describe-run.ts';
import { deciderOf } from '../../code-run/present-approvals.ts';
import { marksOf, openBudget, presentCalls } from '../../code-run/present-calls.ts';
import { presentResult } from '../../code-run/present-result.ts';
import { countWords } from '../../code-run/present-run.ts';
import { showSeconds } from '../../code-run/show-seconds.ts';
import { showDuration, showTime } from '../../layout/show-time.ts';
import { approvalState } from '../approvals/inbox-screen.ts';
import { type Cell, listView, timeCell } from '../list.ts';
import type { Visit } from '../screen.ts';
import { timelineOf } from './timeline.ts';

const CALLS_PER_PAGE = 50;

interface RunParts {
  history: CodeRunHistory;
  names: CodeRunNames | undefined;
  /** Names by approval id. */
  deciders: ReadonlyMap<string, string>;
}

/** The data of the template `runs/run`: a run as a member sees it. */
export async function presentRunPage(visit: Visit, { history, names, deciders }: RunParts) {
  const { run, error, plan } = history;
  const now = new Date();
  const budget = openBudget();
  const result = presentResult(history, budget);
  const pages = pagesOf(visit, history);
  const calls = presentCalls({ ...history, calls: pages.shown }, budget);
  return {
    id: run.id,
    state: describeRun(history),
    starter: starterOf(run, names),
    ...{ server: names?.serverName ?? null, serverId: run.mcpServerId },
    workspace: names?.workspaceName ?? null,
    endUser: run.endUserId === null ? null : (names?.endUserName ?? run.endUserId),
    began: { ...showTime(run.createdAt), ago: `${showDuration(now.getTime() - run.createdAt.getTime())} ago` },
    ended: run.finishedAt && showTime(run.finishedAt),
    ran: showSeconds(run.runningMs),
    counts: countWords(history),
    error: error && { code: error.code, message: error.message, line: error.line ?? null },
    timeline: timelineOf(history, pages.shown, now),
    ...{ calls, pages },
    ...result,
    approvals: approvalList(visit, history.approvals, deciders),
    code: await presentCode(run, marksOf(calls)),
    codeLabel: 'Code',
    approvalsAt: `${visit.root}/approvals/`,
    plan: plan && presentProgram({ inputPreview: { ...plan, approvalGroups: plan.approvalGroups }, policyId: null }),
  };
}

function starterOf({ requestedByType }: CodeRun, names: CodeRunNames | undefined): string {
  if (requestedByType === 'api_key') return names?.starterName ? `The API key "${names.starterName}"` : 'An API key that was deleted';
  if (requestedByType === 'user') return names?.starterName ?? 'A former member';
  return 'An agent';
}

function pagesOf({ ctx, query, root }: Visit, { calls }: CodeRunHistory) {
  const last = Math.max(1, Math.ceil(calls.length / CALLS_PER_PAGE));
  const asked = /^[1-9]\d{0,3}$/.test(query.get('page') ?? '') ? Number(query.get('page')) : 1;
  const page = Math.min(asked, last);
  const first = (page - 1) * CALLS_PER_PAGE;
  const shown = calls.slice(first, first + CALLS_PER_PAGE);
  const hrefOf = (other: number) => {
    const kept = new URLSearchParams(query);
    kept.set('page', String(other));
    return `${root}${ctx.path.slice('/app'.length)}?${kept}`;
  };
  return {
    shown,
    words: last === 1 ? null : `Calls ${first + 1} to ${first + shown.length} of ${calls.length}.`,
    previous: page > 1 ? hrefOf(page - 1) : null,
    next: page < last ? hrefOf(page + 1) : null,
  };
}

function approvalList(visit: Visit, approvals: readonly Approval[], deciders: ReadonlyMap<string, string>) {
  return listView(visit, {
    ...{ name: 'Approvals', plural: 'approvals', about: '' },
    columns: ['About', 'Policy', 'Status', 'Decided by', 'Decided', 'Reason'],
    rows: approvals.map((approval): Cell[] => [
      { href: `/approvals/${approval.id}`, text: aboutOf(approval), hint: approval.id },
      policyCell(approval),
      approvalState(approval),
      deciderOf({ approval, viewer: visit.member, deciderName: deciders.get(approval.id) ?? null }) ?? '–',
      timeCell(approval.decidedAt),
      approval.decisionReason ?? '–',
    ]),
  });
}

function policyCell({ policyId, policyName }: Approval): Cell {
  const text = policyName ?? 'A policy without a name';
  return policyId === null ? text : { href: `/policies/${policyId}`, text };
}

function aboutOf({ callNumber, integrationAlias, integrationName, actionName }: Approval): string {
  return callNumber === null ? 'The program as a whole' : `Call ${callNumber + 1}: ${integrationAlias ?? integrationName}.${actionName}`;
}
