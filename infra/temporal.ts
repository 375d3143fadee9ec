import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  isGrpcServiceError,
  makeGrpcRetryInterceptor,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
} from '@temporalio/client';
import type { Orchestrator } from '../commands/orchestrator.ts';
import { GatewayError } from '../domain/errors.ts';
import {
  APPROVAL_WORKFLOW,
  approvalSettledSignal,
  approvalWorkflowId,
  CODE_RUN_WORKFLOW,
  cancelRunSignal,
  codeRunWorkflowId,
  continueUpdate,
  firstPassUpdate,
  settledSignal,
  WEBHOOK_DELIVERY_WORKFLOW,
} from '../workflows/contract.ts';
import { type Config, required } from './config.ts';
import type { Logger } from './logger.ts';
import { registerSearchAttributes } from './search-attributes.ts';
import { approvalStart, codeRunStart, deliveryStart } from './workflow-starts.ts';

/** A call to Temporal that should take milliseconds; slower than this and Temporal counts as away. */
const QUICK_MS = 1500;

/** A call that has no answer by then may have nobody to answer it. */
const UNANSWERED_MS = 250;

/** Beyond the limit of a run: time for a worker to come back. */
const PATIENCE_SECONDS = 60;

/** By default a channel that lost its server waits up to two minutes before it tries again. */
const CONNECTION: ConnectionOptions = {
  connectTimeout: 1000,
  channelArgs: { 'grpc.initial_reconnect_backoff_ms': 100, 'grpc.max_reconnect_backoff_ms': 1000 },
  interceptors: [makeGrpcRetryInterceptor(defaultGrpcRetryOptions({ maxAttempts: 3 }))],
};

/** A client, and how many calls it is making. */
interface Use {
  client: Client;
  calls: number;
}

/** The one holder of the Temporal client. Connects lazily, and again after an outage. */
export function openTemporal(config: Config, logger: Logger): Orchestrator {
  const { taskQueue, namespace } = config.temporal;
  let hasAnswered = false;
  let current: Use | undefined;

  const open = (): Use => {
    const connection = Connection.lazy({ address: required(config.temporal.address, 'TEMPORAL_ADDRESS'), ...CONNECTION });
    return { client: new Client({ namespace, connection }), calls: 0 };
  };

  /** Runs a call under a deadline, and tells an outage as UNAVAILABLE. */
  const withDeadline = async <Value>(deadlineMs: number, call: (client: Client) => Promise<Value>): Promise<Value> => {
    current ??= open();
    const use = current;
    use.calls += 1;
    try {
      const value = await use.client.withDeadline(Date.now() + deadlineMs, () => call(use.client));
      hasAnswered = true;
      return value;
    } catch (error) {
      // A connection that failed at its first use stays failed: the next call opens another. One that has worked repairs itself.
      if (!hasAnswered && current === use) current = undefined;
      throw unavailable(error, logger);
    } finally {
      use.calls -= 1;
      if (use !== current) void closeUnused(use);
    }
  };

  /** Runs a call that must be quick. */
  const quick = <Value>(call: (client: Client) => Promise<Value>): Promise<Value> => withDeadline(QUICK_MS, call);

  let attributesKnown = false;
  const ping = () =>
    quick(async ({ connection, workflowService }) => {
      await workflowService.getSystemInfo({});
      if (attributesKnown) return;
      const missing = await registerSearchAttributes(connection as Connection, namespace);
      if (missing.length > 0) throw new GatewayError('UNAVAILABLE', `Temporal is learning our search attributes: ${missing.join(', ')}.`);
      attributesKnown = true;
    });

  /** Runs a call that may take long, unless nobody is there to answer. */
  const patient = async <Value>(call: (client: Client) => Promise<Value>): Promise<Value> => {
    const answer = withDeadline((config.code.limitSeconds + PATIENCE_SECONDS) * 1000, call);
    answer.catch(() => {}); // the ping may have failed first
    const isQuick = attributesKnown && (await Promise.race([answer.then(() => true), delay(UNANSWERED_MS, false, { ref: false })]));
    if (!isQuick) await ping();
    return answer;
  };

  return {
    ping,
    startApproval: (approval) =>
      quick(async ({ workflow }) => {
        await workflow.start(APPROVAL_WORKFLOW, approvalStart(approval, taskQueue)).catch(ignoreStarted);
      }),

    tellSettled: (approval) =>
      quick(async ({ workflow }) => {
        // The run first: a caller may wait for it, while the approval's workflow only winds up.
        if (approval.codeRunId)
          await workflow.getHandle(codeRunWorkflowId(approval.codeRunId)).signal(approvalSettledSignal, approval.id).catch(ignoreGone);
        await workflow
          .signalWithStart(APPROVAL_WORKFLOW, { ...approvalStart(approval, taskQueue), signal: settledSignal, signalArgs: [] })
          .catch(ignoreStarted);
      }),

    startDelivery: (delivery) =>
      quick(async ({ workflow }) => {
        await workflow.start(WEBHOOK_DELIVERY_WORKFLOW, deliveryStart(delivery, taskQueue));
      }),

    startCodeRun: (run) =>
      patient(async ({ workflow }) => {
        await workflow.start(CODE_RUN_WORKFLOW, codeRunStart(run, taskQueue));
      }),

    awaitFirstPass: (codeRunId) =>
      patient(async ({ workflow }) => {
        await workflow.getHandle(codeRunWorkflowId(codeRunId)).executeUpdate(firstPassUpdate).catch(ignoreGone);
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
      quick(async ({ workflow }) => {
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

    close: async () => {
      const last = current;
      current = undefined;
      if (last) await closeUnused(last);
    },
  };
}

/** Only when nobody uses it any more: a call that is about to try again on a closed connection would throw where nobody can catch it. */
async function closeUnused({ client, calls }: Use): Promise<void> {
  if (calls === 0) await client.connection.close();
}

/** The workflow ran already: what was to be told is in Postgres, where it looked. */
function ignoreStarted(error: unknown): void {
  if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
}

/** The workflow has ended: whoever asked reads the outcome from Postgres. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError) && !isEndedMeanwhile(error)) throw error;
}

function isEndedMeanwhile(error: unknown): boolean {
  const text = `${error instanceof Error ? error.message : ''} ${error instanceof Error && error.cause instanceof Error ? error.cause.message : ''}`;
  return /workflow execution already completed|AcceptedUpdateCompletedWorkflow|workflow not found/i.test(text);
}

/**
 * gRPC codes that say that nobody answers, or not in time: CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION (the workflow's last
 * task failed, as when its worker was too busy to answer; it is tried again), ABORTED, UNAVAILABLE.
 */
const AWAY = [1, 4, 8, 9, 10, 14];

function unavailable(error: unknown, logger: Logger): unknown {
  const grpc = [error, error instanceof Error ? error.cause : undefined].find(isGrpcServiceError);
  const isAway = grpc ? AWAY.includes(grpc.code) || isBrokenOff(grpc) : isConnectTimeout(error);
  if (!isAway) return error;
  logger.warn({ error: String(error), cause: String((error as Error).cause ?? '') }, 'Temporal does not answer');
  return new GatewayError('UNAVAILABLE', 'The durable execution service is not reachable right now.', undefined, { cause: error });
}

/** Whoever answered went away in the middle of it, which gRPC tells as INTERNAL. */
function isBrokenOff({ code, message }: { code: number; message: string }): boolean {
  return code === 13 && /RST_STREAM|ended without gRPC status/i.test(message);
}

/** A channel that did not connect in time throws a plain error. */
function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && /failed to connect before the deadline/i.test(error.message);
}
