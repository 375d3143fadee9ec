import {
  type ActivityOptions,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { createCodeRunActivities, createRunCancelActivities } from '../activities/code-runs.ts';
import type { CodeRunStatus, RunState } from '../domain/code-run.ts';
import { readOperatorNote } from '../domain/read-operator-note.ts';
import {
  approvalSettledSignal,
  type CodeRunInput,
  cancelRunSignal,
  continueUpdate,
  decisionTaskQueue,
  firstPassUpdate,
  type RunCancellation,
  SEARCH_ATTRIBUTES,
} from './contract.ts';
import { LOCAL_ACTIVITY } from './local-activity.ts';

/**
 * The timeout covers five minutes of running time, half a minute in the queue, and slack. Passes
 * send heartbeats, so a dead worker is noticed after ten seconds.
 */
const ADVANCE: ActivityOptions = {
  startToCloseTimeout: '6 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
};

const CANCEL: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

const { settleCodeRun } = proxyLocalActivities<ReturnType<typeof createCodeRunActivities>>(LOCAL_ACTIVITY);

/**
 * Uses the task queue of the workflow. Temporal can then hand the activity to the worker in the
 * answer to the workflow task.
 */
const { scheduleCodeRun } = proxyActivities<ReturnType<typeof createCodeRunActivities>>(ADVANCE);

/**
 * Backoff while the run waits. Temporal's clock can be ahead of the database clock. The run then
 * wakes before anything has expired, and each further wait is longer.
 */
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;

/** Executes a code run: its passes, and the waits between them. Returns its final status. */
export async function codeRunWorkflow(input: CodeRunInput): Promise<CodeRunStatus> {
  if (input.endedAs) return recordEnd(input.endedAs);
  const workflowScope = CancellationScope.current();
  // A cancellation of the workflow first cancels the run in Postgres.
  return shielded(async () => {
    const status = await driveRun(input, workflowScope);
    if (status === 'canceled' && workflowScope.consideredCancelled) throw new CancelledFailure('The run was canceled.');
    return status;
  });
}

/** Shows operators in the Temporal UI a run that ended before its workflow started. */
function recordEnd(status: CodeRunStatus): CodeRunStatus {
  setCurrentDetails(`The run is ${status}.`);
  if (status !== 'executed') upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: status }]);
  return status;
}

async function driveRun({ codeRunId, orgId }: CodeRunInput, workflowScope: CancellationScope): Promise<CodeRunStatus> {
  const { cancelCodeRun } = proxyActivities<ReturnType<typeof createRunCancelActivities>>({
    ...CANCEL,
    taskQueue: decisionTaskQueue(workflowInfo().taskQueue),
  });
  let state: RunState = { status: 'running', pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
  let transitions = 0;
  let settledApprovals = 0;
  let settledApprovalsSeen = 0;
  let resumesRequested = 0;
  let resumesDone = 0;
  let cancelSignals = 0;
  let isCanceled = false;
  let lastSearched = '';

  const isWaiting = () => state.status === 'waiting';

  setHandler(approvalSettledSignal, () => {
    settledApprovals += 1;
  });
  setHandler(cancelRunSignal, async (...note: unknown[]) => {
    const nth = cancelSignals++;
    await shielded(() => cancelCodeRun({ codeRunId, nth, ...readCancelNote(note) }));
    isCanceled = true;
  });
  workflowScope.cancelRequested.catch(async () => {
    await shielded(() => cancelCodeRun({ codeRunId, nth: null, reason: 'its workflow was canceled in Temporal' }));
    isCanceled = true;
  });
  setHandler(firstPassUpdate, async () => {
    await shielded(() => condition(() => transitions > 0));
    return state.status;
  });
  setHandler(continueUpdate, async () => {
    await shielded(() => condition(() => transitions > 0));
    if (!isWaiting()) return state.status;
    const mine = ++resumesRequested;
    await shielded(() => condition(() => resumesDone >= mine || !isWaiting()));
    return state.status;
  });

  async function schedulePass(resume: boolean): Promise<RunState> {
    setCurrentDetails('The run is being advanced: its code runs, or waits for its turn.');
    return scheduleCodeRun({ codeRunId, orgId, resume, cancel: isCanceled });
  }

  async function advance(resume: boolean): Promise<void> {
    // Usually no pass is needed: an eager pass has run, or the approvals are undecided.
    const settled = resume ? 'resume' : isCanceled ? 'advance' : await settleCodeRun({ codeRunId });
    state = typeof settled === 'string' ? await schedulePass(settled === 'resume') : settled;
    transitions += 1;
    // Most runs never wait. Their search attributes need no update.
    if (state.status === 'executed' && state.approvalIds.length === 0) return;
    setCurrentDetails(describe(state));
    const searched = [state.status, ...state.approvalIds].join();
    if (searched === lastSearched) return;
    lastSearched = searched;
    upsertSearchAttributes([
      { key: SEARCH_ATTRIBUTES.status, value: state.status },
      { key: SEARCH_ATTRIBUTES.approvals, value: state.approvalIds },
    ]);
  }

  // A new run needs no `resume`, and a waiting run with a new workflow must keep waiting.
  await advance(false);
  let minWaitMs = MIN_WAIT_MS;
  while (isWaiting()) {
    const waitMs = Math.max(minWaitMs, (state.waitsUntil ?? 0) - Date.now());
    const isWoken = await condition(() => resumesRequested > resumesDone || settledApprovals > settledApprovalsSeen || isCanceled, waitMs);
    minWaitMs = isWoken ? MIN_WAIT_MS : Math.min(minWaitMs * 2, MAX_WAIT_MS);
    const requested = resumesRequested;
    settledApprovalsSeen = settledApprovals;
    await advance(requested > resumesDone);
    resumesDone = requested;
  }
  await condition(allHandlersFinished);
  return state.status;
}

function shielded<Value>(work: () => Promise<Value>): Promise<Value> {
  return CancellationScope.nonCancellable(work);
}

function describe({ status, pendingApprovalIds, waitsUntil }: RunState): string {
  if (status !== 'waiting') return `The run is ${status}.`;
  const until = waitsUntil ? ` until ${new Date(waitsUntil).toISOString()}` : '';
  return pendingApprovalIds.length > 0
    ? `Waits${until} for a person to decide ${pendingApprovalIds.join(', ')}.`
    : `Approved. Waits${until} for the caller to continue it.`;
}

/** Reads a note. An unreadable note gives no reason, and the run is still canceled. */
function readCancelNote(note: unknown[]): Pick<RunCancellation, 'reason' | 'codes'> {
  const { reason, code, otherCodes = [] } = readOperatorNote(...note);
  const codes = code === undefined ? otherCodes : [code, ...otherCodes];
  return { ...(reason !== undefined && { reason }), ...(codes.length > 0 && { codes }) };
}
