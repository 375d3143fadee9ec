import {
  type ActivityOptions,
  allHandlersFinished,
  CancellationScope,
  CancelledFailure,
  condition,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { createCodeRunActivities, createRunCancelActivities } from '../activities/code-runs.ts';
import type { CodeRunStatus } from '../domain/code-run.ts';
import { readOperatorNote } from '../domain/operator-note.ts';
import {
  approvalSettledSignal,
  type CodeRunInput,
  type CodeRunState,
  cancelRunSignal,
  continueUpdate,
  decisionTaskQueue,
  firstPassUpdate,
  SEARCH_ATTRIBUTES,
} from './contract.ts';

/** A pass beats every two seconds; a worker that died is noticed after ten. Five minutes is the limit of a run, half a minute it may wait for its turn, the rest is slack. */
const PASS: ActivityOptions = {
  startToCloseTimeout: '6 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '10 seconds' },
};

const CANCEL: ActivityOptions = {
  startToCloseTimeout: '10 seconds',
  retry: { initialInterval: '200 milliseconds', maximumInterval: '10 seconds' },
};

/** On the queue of the workflow itself, so that a worker gets the activity in the answer to its workflow task, without asking for it. */
const { advanceCodeRun } = proxyActivities<ReturnType<typeof createCodeRunActivities>>(PASS);

/** Who cancels ends the run in Postgres, which stops a pass under way within a second; workflows of before waited for the end of the pass. */
const CANCELS_AT_ONCE = 'cancels-at-once';

/** A clock of Temporal that is ahead of the database's wakes the run too early: it then asks less and less often whether the time is up. */
const LEAST_WAIT_MS = 1000;
const MOST_WAIT_MS = 60_000;

/** One code run: pass, wait for people, pass again, until it has ended. Carries ids and statuses only. */
export async function codeRunWorkflow(input: CodeRunInput): Promise<CodeRunStatus> {
  const whole = CancellationScope.current();
  // What cancels the workflow ends the run first.
  return shielded(async () => {
    const work = new CancellationScope();
    const status = await work.run(() => advance(input, whole, work));
    if (status === 'canceled' && whole.consideredCancelled) throw new CancelledFailure('The run was canceled.');
    return status;
  });
}

async function advance({ codeRunId, orgId }: CodeRunInput, whole: CancellationScope, work: CancellationScope): Promise<CodeRunStatus> {
  const { cancelCodeRun } = proxyActivities<ReturnType<typeof createRunCancelActivities>>({
    ...CANCEL,
    taskQueue: decisionTaskQueue(workflowInfo().taskQueue),
  });
  let state: CodeRunState = { status: 'running', pendingApprovalIds: [], approvalIds: [], waitsUntil: null };
  let moves = 0;
  let news = 0;
  let newsSeen = 0;
  let resumesAsked = 0;
  let resumesDone = 0;
  let cancelsHeard = 0;
  let canceled = false;

  const waiting = () => state.status === 'waiting';

  setHandler(approvalSettledSignal, () => {
    news += 1;
  });
  setHandler(cancelRunSignal, async (note) => {
    const nth = cancelsHeard++;
    if (patched(CANCELS_AT_ONCE)) await shielded(() => cancelCodeRun({ codeRunId, nth, ...said(note) }));
    canceled = true;
  });
  whole.cancelRequested.catch(async () => {
    if (!patched(CANCELS_AT_ONCE)) return work.cancel();
    await shielded(() => cancelCodeRun({ codeRunId, nth: null, reason: 'its workflow was canceled in Temporal' }));
    canceled = true;
  });
  setHandler(firstPassUpdate, async () => {
    await shielded(() => condition(() => moves > 0));
    return state.status;
  });
  setHandler(continueUpdate, async () => {
    await shielded(() => condition(() => moves > 0));
    if (!waiting()) return state.status;
    resumesAsked += 1;
    const mine = resumesAsked;
    await shielded(() => condition(() => resumesDone >= mine || !waiting()));
    return state.status;
  });

  async function move(resume: boolean): Promise<void> {
    setCurrentDetails('The run is moved on: its code runs, or waits for its turn to.');
    state = await advanceCodeRun({ codeRunId, orgId, resume, cancel: canceled });
    moves += 1;
    // Most runs never wait; theirs is one round trip less.
    if (state.status === 'executed' && state.approvalIds.length === 0) return;
    setCurrentDetails(describe(state));
    upsertSearchAttributes([
      { key: SEARCH_ATTRIBUTES.status, value: state.status },
      { key: SEARCH_ATTRIBUTES.approvals, value: state.approvalIds },
    ]);
  }

  // A new run needs nobody's leave; one that is there already, and waits, is not to go on for being looked at.
  await move(false);
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

/** Handlers run outside of the work, where a request to cancel the workflow would break them off. */
function shielded<Value>(work: () => Promise<Value>): Promise<Value> {
  return CancellationScope.nonCancellable(work);
}

function describe({ status, pendingApprovalIds, waitsUntil }: CodeRunState): string {
  if (status !== 'waiting') return `The run is ${status}.`;
  const until = waitsUntil ? ` until ${new Date(waitsUntil).toISOString()}` : '';
  return pendingApprovalIds.length > 0
    ? `Waits for a person to decide ${pendingApprovalIds.join(', ')}${until}.`
    : `Approved; waits for the caller to continue it${until}.`;
}

/** What is not understood stops the run all the same. */
function said(note: unknown): { reason?: string; by?: string } {
  const { isUnclear: _, ...texts } = readOperatorNote(note);
  return texts;
}
