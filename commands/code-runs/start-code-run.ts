import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../../domain/approval.ts';
import { type CodeRun, isFinished } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { retry } from '../../infra/concurrency/retry.ts';
import { isDatabaseUnavailable, whileDatabaseUnavailable } from '../../infra/database.ts';
import { randomId } from '../../infra/tokens.ts';
import { type DueWorkflow, deleteUnstartedCodeRun, findDueStatus } from '../../store/code-run-starts.ts';
import type { Gateway } from '../gateway.ts';
import { cancelCodeRun } from './cancel-code-run.ts';
import { answerWhenDecided, answerWhenSettled, type CodeRunAnswer } from './code-run-answer.ts';
import { isDependencyUnavailable } from './code-run-errors.ts';
import { assertWithinQuota, insertWithinQuota } from './insert-within-quota.ts';
import { hashCode } from './plan/plan-code-run.ts';
import { awaitTransition, longestMs } from './run-progress.ts';
import { startRunWorkflow } from './start-run-workflow.ts';

/** The actor who runs code, and the MCP server of the run. */
export interface CodeRunCaller {
  server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId' | 'name' | 'settings'>;
  requestedBy: Actor;
  /** External id. */
  endUserId: string | null;
}

export interface StartCodeRun extends CodeRunCaller {
  code: string;
  /** How long the first answer waits for a decision. */
  waitForApprovalSeconds?: number | undefined;
  /** Aborted when the client disconnects. The run is then canceled. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a run, and returns its state when the run has ended or waits for approval. Throws
 * UNAVAILABLE without `codeRunId` if nothing was started, and with `codeRunId` if the run may have
 * started but cannot be read.
 */
export async function startCodeRun(
  gateway: Gateway,
  { server, requestedBy, endUserId, code, waitForApprovalSeconds = 0, signal }: StartCodeRun,
): Promise<CodeRunAnswer> {
  await assertReachable(gateway, server.orgId);
  const id = randomId('crun_');
  const { orgId, workspaceId } = server;
  const stop = () => void cancelWithoutClient(gateway, id, requestedBy);
  const insert = async () => {
    await insertWithinQuota(gateway, {
      ...{ id, orgId, workspaceId, mcpServerId: server.id, endUserId, code, codeHash: hashCode(code) },
      ...{ requestedByType: requestedBy.type, requestedById: requestedBy.id },
    });
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
  };
  try {
    const workflow: DueWorkflow = { codeRunId: id, orgId, workspaceId, serverName: server.name, status: 'running' };
    return await firstAnswer(gateway, workflow, await begin(gateway, id, insert), waitForApprovalSeconds);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/**
 * Throws QUOTA_EXCEEDED instead of UNAVAILABLE if the organization has its maximum number of runs.
 */
async function assertReachable(gateway: Gateway, orgId: string): Promise<void> {
  await gateway.orchestrator.reachable().catch(async (error) => {
    await assertWithinQuota(gateway, gateway.db, orgId);
    throw error;
  });
}

/**
 * Less than every pass number, so that a run counts as changed even if it waits for approval before
 * its first pass. Such a run has the pass number 0.
 */
const BEFORE_ALL = { passBefore: -1 };

/** Inserts the run and waits for its first change. Undefined if no change was seen. */
async function begin(gateway: Gateway, codeRunId: string, insert: () => Promise<void>): Promise<CodeRun | undefined> {
  let isSent = false;
  let isInserted = false;
  const insertOnce = async () => {
    isSent = true;
    await insert();
    isInserted = true;
  };
  try {
    return await awaitTransition(gateway, codeRunId, { ...BEFORE_ALL, begin: insertOnce });
  } catch (error) {
    if (isInserted && isDependencyUnavailable(error)) return undefined;
    if (!isSent || !isDatabaseUnavailable(error)) throw error;
    // The row may have been committed before the outage, and its pass may have begun.
    void takeBack(gateway, codeRunId);
    throw unread(codeRunId, error);
  }
}

/** Retry window in ms: about one Postgres failover. */
const OUTAGE_MS = 10_000;

async function firstAnswer(
  gateway: Gateway,
  workflow: DueWorkflow,
  begun: CodeRun | undefined,
  waitSeconds: number,
): Promise<CodeRunAnswer> {
  const id = workflow.codeRunId;
  let changed = begun;
  const startedBeside = changed && startBeside(gateway, { ...workflow, status: changed.status });
  const over = new AbortController();
  const wait = { ...BEFORE_ALL, timeoutMs: longestMs(gateway), signal: over.signal };
  const notStarted = changed ? undefined : startSilent(gateway, workflow);
  const follow = async () => {
    changed ??= await Promise.race([awaitTransition(gateway, id, wait), ...(notStarted ? [notStarted] : [])]);
    if (!changed) throw new GatewayError('UNAVAILABLE', 'The run was not executed in time.');
    const [answer] = await Promise.all([answerWhenSettled(gateway, changed, 0), startedBeside]);
    return answer.awaited && waitSeconds > 0 ? answerWhenDecided(gateway, answer.run, waitSeconds) : answer;
  };
  const startedAt = performance.now();
  /** No retry if the outage began after the run's time limit: most runs have ended by then. */
  const isBrief = (error: unknown, failingMs: number) =>
    isDependencyUnavailable(error) &&
    failingMs < OUTAGE_MS &&
    performance.now() - startedAt - failingMs < gateway.config.code.limitSeconds * 1000;
  try {
    return await retry({ while: isBrief, backoff: { firstMs: 250 } }, follow);
  } catch (error) {
    if (error instanceof NothingStarted) throw error.cause;
    throw isDependencyUnavailable(error) ? unread(id, error) : error;
  } finally {
    over.abort();
  }
}

/** The run was deleted before its first pass. `cause`: why its workflow was not started. */
class NothingStarted extends Error {
  override name = 'NothingStarted';
}

/**
 * Starts the workflow. Never resolves, because the answer of the run comes from Postgres. Rejects
 * with NothingStarted if the start failed before a pass began, and with UNAVAILABLE if this is
 * unknown.
 */
function startSilent(gateway: Gateway, workflow: DueWorkflow): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // the answer of the run may come first
  const { codeRunId } = workflow;
  const start = async () => {
    // While the start was queued, the run may have ended, and the reconciliation may have started
    // its workflow.
    const status = await findDueStatus(gateway.db, codeRunId).catch(() => workflow.status);
    if (status) await startRunWorkflow(gateway, { ...workflow, status });
  };
  const started = gateway.schedulers
    .silentRuns(start)
    .catch(async (cause) => {
      if (await deleteUnstartedCodeRun(gateway.db, codeRunId)) reject(new NothingStarted('the workflow was not started', { cause }));
    })
    .catch((error) => {
      void takeBack(gateway, codeRunId);
      reject(unread(codeRunId, error));
    });
  void gateway.background.track(started);
  return promise;
}

/** The start of the workflow delays the answer of a waiting run by at most this time. */
const BESIDE_MS = 500;

/**
 * Maximum number of ended runs that wait in a process for the start of their workflows. The
 * reconciliation starts the workflows of further ended runs.
 */
const MAX_ENDED = 200;

/** Never rejects: the reconciliation repeats a failed start. */
async function startBeside(gateway: Gateway, workflow: DueWorkflow): Promise<void> {
  const { endedRuns } = gateway.schedulers;
  const hasEnded = isFinished(workflow.status);
  if (hasEnded && endedRuns.pendingCount >= MAX_ENDED) return;
  const start = () => startRunWorkflow(gateway, workflow);
  const started = (hasEnded ? endedRuns(start) : start()).catch((error) => {
    const { codeRunId } = workflow;
    gateway.logger.debug({ codeRunId, error: String(error) }, 'workflow of a code run not started, left to the reconciliation');
  });
  const tracked = gateway.background.track(started);
  if (!hasEnded) await Promise.race([tracked, delay(BESIDE_MS, undefined, { ref: false })]);
}

function unread(codeRunId: string, cause: unknown): GatewayError {
  return new GatewayError('UNAVAILABLE', UNREAD, { codeRunId }, { cause });
}

const UNREAD =
  'The state of the run cannot be read right now. If it has started, it continues. Do not send the code again, because it could run twice: read the run by its codeRunId. If there is no such run, nothing has run.';

async function cancelWithoutClient(gateway: Gateway, codeRunId: string, by: Actor): Promise<void> {
  await cancelCodeRun(gateway, { codeRunId, by, reason: 'the client that started the run closed the connection' }).catch((error) => {
    gateway.logger.warn({ codeRunId, error: String(error) }, 'code run of a disconnected client not canceled, it continues');
  });
}

const TAKE_BACK_MS = 60_000;

async function takeBack({ db, logger }: Gateway, codeRunId: string): Promise<void> {
  await retry(whileDatabaseUnavailable(AbortSignal.timeout(TAKE_BACK_MS)), () => deleteUnstartedCodeRun(db, codeRunId)).catch((error) =>
    logger.warn({ codeRunId, error: String(error) }, 'unstarted code run not deleted, left to the reconciliation'),
  );
}
