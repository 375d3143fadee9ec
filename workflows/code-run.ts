import {
  type ActivityOptions,
  allHandlersFinished,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { createCodeRunActivities } from '../activities/code-runs.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';
import {
  approvalSettledSignal,
  type CodeRunInput,
  type CodeRunState,
  cancelRunSignal,
  codeTaskQueue,
  continueUpdate,
  firstPassUpdate,
  SEARCH_ATTRIBUTES,
} from './contract.ts';

/** A pass beats every two seconds; a worker that died is noticed after ten. Five minutes is the limit of a run, the rest is slack. */
const PASS: ActivityOptions = {
  startToCloseTimeout: '6 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
};

/** A clock of Temporal that is ahead of the database's wakes the run too early: it then asks less and less often whether the time is up. */
const LEAST_WAIT_MS = 1000;
const MOST_WAIT_MS = 60_000;

/** One code run: pass, wait for people, pass again, until it has ended. Carries ids and statuses only. */
export async function codeRunWorkflow({ codeRunId }: CodeRunInput): Promise<CodeRunStatus> {
  const { advanceCodeRun } = proxyActivities<ReturnType<typeof createCodeRunActivities>>({
    ...PASS,
    taskQueue: codeTaskQueue(workflowInfo().taskQueue),
  });
  let state: CodeRunState = { status: 'running', pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
  let moves = 0;
  let news = 0;
  let newsSeen = 0;
  let resumesAsked = 0;
  let resumesDone = 0;
  let canceled = false;

  const waiting = () => state.status === 'waiting';

  setHandler(approvalSettledSignal, () => {
    news += 1;
  });
  setHandler(cancelRunSignal, () => {
    canceled = true;
  });
  setHandler(firstPassUpdate, async () => {
    await condition(() => moves > 0);
    return state.status;
  });
  setHandler(continueUpdate, async () => {
    await condition(() => moves > 0);
    if (!waiting()) return state.status;
    resumesAsked += 1;
    const mine = resumesAsked;
    await condition(() => resumesDone >= mine || !waiting());
    return state.status;
  });

  async function move(resume: boolean): Promise<void> {
    state = await advanceCodeRun({ codeRunId, resume, cancel: canceled });
    moves += 1;
    // Most runs never wait; theirs is one round trip less.
    if (state.status === 'executed' && state.approvalIds.length === 0) return;
    setCurrentDetails(describe(state));
    upsertSearchAttributes([
      { key: SEARCH_ATTRIBUTES.status, value: state.status },
      { key: SEARCH_ATTRIBUTES.approvals, value: state.approvalIds },
    ]);
  }

  await move(true);
  let leastWaitMs = LEAST_WAIT_MS;
  while (waiting()) {
    const waitMs = Math.max(leastWaitMs, (state.waitsUntil ?? 0) - Date.now());
    const woken = await condition(() => resumesAsked > resumesDone || news > newsSeen || canceled, waitMs);
    leastWaitMs = woken ? LEAST_WAIT_MS : Math.min(leastWaitMs * 2, MOST_WAIT_MS);
    const asked = resumesAsked;
    newsSeen = news;
    await move(asked > resumesDone);
    resumesDone = asked;
  }
  await condition(allHandlersFinished);
  return state.status;
}

function describe({ status, pendingApprovalIds, waitsUntil }: CodeRunState): string {
  if (status !== 'waiting') return `The run is ${status}.`;
  const until = waitsUntil ? ` until ${new Date(waitsUntil).toISOString()}` : '';
  return pendingApprovalIds.length > 0
    ? `Waits for a person to decide ${pendingApprovalIds.join(', ')}${until}.`
    : `Approved; waits for the caller to continue it${until}.`;
}
