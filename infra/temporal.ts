import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { Orchestrator } from '../commands/orchestrator.ts';
import {
  APPROVAL_WORKFLOW,
  approvalSettledSignal,
  approvalWorkflowId,
  CODE_RUN_WORKFLOW,
  cancelRunSignal,
  codeRunWorkflowId,
  continueUpdate,
  settledSignal,
  WEBHOOK_DELIVERY_WORKFLOW,
} from '../workflows/contract.ts';
import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import { openTemporalConnection, QUICK_MS } from './temporal-connection.ts';
import { approvalStart, codeRunStart, deliveryStart } from './workflow-starts.ts';

/**
 * Opens the orchestrator that commands use. Connects on first use. `quickMs`: time limit of a short
 * call.
 */
export function openTemporal(config: Config, logger: Logger, quickMs = QUICK_MS): Orchestrator {
  const { taskQueue } = config.temporal;
  const { quick, patient, reachable, ping, close } = openTemporalConnection(config, logger, quickMs);

  return {
    reachable,
    ping,
    hasWorker: () => quick((client) => isPolled(client, config.temporal.namespace, taskQueue)),
    startApproval: (approval) =>
      quick(async ({ workflow }) => {
        await workflow.start(APPROVAL_WORKFLOW, approvalStart(approval, taskQueue)).catch(ignoreStarted);
      }),

    signalSettled: (approval) =>
      quick(async ({ workflow }) => {
        // Signals the run's workflow first, because a caller may wait for the run. No caller waits
        // for the approval's workflow.
        if (approval.codeRunId) await signalRun(workflow, approval.codeRunId, approval.id);
        await workflow
          .signalWithStart(APPROVAL_WORKFLOW, { ...approvalStart(approval, taskQueue), signal: settledSignal, signalArgs: [] })
          .catch(ignoreStarted);
      }),

    signalResumed: (codeRunId, approvalId) => quick(({ workflow }) => signalRun(workflow, codeRunId, approvalId)),

    startDelivery: (delivery) =>
      quick(async ({ workflow }) => {
        await workflow.start(WEBHOOK_DELIVERY_WORKFLOW, deliveryStart(delivery, taskQueue));
      }),

    startCodeRun: (run) =>
      patient(async ({ workflow }) => {
        await workflow.start(CODE_RUN_WORKFLOW, codeRunStart(run, taskQueue)).catch(ignoreStarted);
      }),

    continueCodeRun: (codeRunId) =>
      patient(async ({ workflow }) => {
        const went = workflow.getHandle(codeRunWorkflowId(codeRunId)).executeUpdate(continueUpdate);
        const gone = (error: unknown) => {
          ignoreGone(error);
          return false;
        };
        return went.then(() => true, gone);
      }),

    cancelCodeRun: (codeRunId) =>
      quick(async ({ workflow }) => {
        await workflow.getHandle(codeRunWorkflowId(codeRunId)).signal(cancelRunSignal).catch(ignoreGone);
      }),

    findRunWorkflow: (codeRunId) =>
      patient(async ({ workflow }) => {
        const handle = workflow.getHandle(codeRunWorkflowId(codeRunId));
        const description = await handle.describe().catch((error) => {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        });
        if (description?.status.name === 'RUNNING') return { state: 'open' };
        if (description?.status.name !== 'TERMINATED' && description?.status.name !== 'CANCELLED') return { state: 'gone' };
        const { events } = await handle.fetchHistory();
        const end = events?.at(-1)?.workflowExecutionTerminatedEventAttributes;
        return { state: 'stopped', by: end?.identity || null, reason: end?.reason || null };
      }),

    findRunCanceler: (codeRunId, nth) =>
      quick(async ({ workflow }) => {
        const { events } = await workflow.getHandle(codeRunWorkflowId(codeRunId)).fetchHistory();
        const signals = (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
        const requests = (events ?? []).flatMap((event) => event.workflowExecutionCancelRequestedEventAttributes ?? []);
        const sent = nth === null ? requests[0] : signals.filter(({ signalName }) => signalName === cancelRunSignal.name)[nth];
        return sent?.identity || null;
      }),

    findSignalSender: (approvalId, decision, nth) =>
      quick(async ({ workflow }) => {
        const { events } = await workflow.getHandle(approvalWorkflowId(approvalId)).fetchHistory();
        const signals = (events ?? []).flatMap((event) => event.workflowExecutionSignaledEventAttributes ?? []);
        return signals.filter(({ signalName }) => signalName === decision)[nth]?.identity || null;
      }),

    close,
  };
}

/** A workflow that has ended needs no signal. */
async function signalRun(workflow: Client['workflow'], codeRunId: string, approvalId: string): Promise<void> {
  await workflow.getHandle(codeRunWorkflowId(codeRunId)).signal(approvalSettledSignal, approvalId).catch(ignoreGone);
}

/** The workflow was already started. It reads changes from Postgres. */
function ignoreStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}

/** The caller reads the outcome of an ended workflow from Postgres. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError) && !isEndedMeanwhile(error)) throw error;
}

function isEndedMeanwhile(error: unknown): boolean {
  const text = `${error instanceof Error ? error.message : ''} ${error instanceof Error && error.cause instanceof Error ? error.cause.message : ''}`;
  return /workflow execution already completed|AcceptedUpdateCompletedWorkflow|workflow not found/i.test(text);
}

/** Twice the longest wait of a poll: a running worker has polled within this time. */
const SEEN_MS = 120_000;
/** `TASK_QUEUE_TYPE_WORKFLOW` of Temporal's API. */
const WORKFLOW_TASKS = 1;

async function isPolled({ workflowService }: Client, namespace: string, name: string): Promise<boolean> {
  const { pollers } = await workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType: WORKFLOW_TASKS });
  return (pollers ?? []).some(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000 > Date.now() - SEEN_MS);
}
