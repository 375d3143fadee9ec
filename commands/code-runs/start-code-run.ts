import type { Actor } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import type { McpServer } from '../../domain/mcp-server.ts';
import { retry } from '../../infra/concurrency/retry.ts';
import { isDatabaseAway, whileDatabaseAway } from '../../infra/database.ts';
import { randomId } from '../../infra/tokens.ts';
import { notifyStarted } from '../../store/code-run-transitions.ts';
import { deleteUnstartedCodeRun } from '../../store/code-runs.ts';
import type { Gateway } from '../gateway.ts';
import type { CodeRunStart } from '../orchestrator.ts';
import { cancelCodeRun } from './cancel-code-run.ts';
import { answerWhenDecided, answerWhenSettled, type CodeRunAnswer } from './code-run-answer.ts';
import { isPartAway } from './code-run-errors.ts';
import { insertWithinQuota } from './insert-within-quota.ts';
import { hashCode } from './plan/plan-code-run.ts';
import { awaitTransition } from './run-progress.ts';

/** Who runs code, and through which server. */
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
  /** Aborted when the client disconnects: the run is then canceled. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a run and returns its state after its first pass. Throws UNAVAILABLE: with `codeRunId` if
 * the run may have started and its state cannot be read in time, without it if the run was deleted
 * again.
 */
export async function startCodeRun(
  gateway: Gateway,
  { server, requestedBy, endUserId, code, waitForApprovalSeconds = 0, signal }: StartCodeRun,
): Promise<CodeRunAnswer> {
  const id = randomId('crun_');
  await insertWithinQuota(gateway, {
    id,
    orgId: server.orgId,
    workspaceId: server.workspaceId,
    mcpServerId: server.id,
    endUserId,
    requestedByType: requestedBy.type,
    requestedById: requestedBy.id,
    code,
    codeHash: hashCode(code),
  }).catch((error) => {
    // The row may have been written before the database went away. The caller retries, so the row
    // is deleted.
    if (isDatabaseAway(error)) void takeBack(gateway, id);
    throw error;
  });
  const stop = () => void cancelWithoutClient(gateway, id, requestedBy);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  try {
    await begin(gateway, { codeRunId: id, orgId: server.orgId, workspaceId: server.workspaceId, serverName: server.name });
    return await firstAnswer(gateway, id, waitForApprovalSeconds);
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Starts the workflow. If that fails, deletes the run unless a pass has begun. */
async function begin(gateway: Gateway, start: CodeRunStart): Promise<void> {
  try {
    await gateway.orchestrator.startCodeRun(start);
    void notifyStarted(gateway.db, start.codeRunId).catch(() => {}); // the workflow gets there, too
  } catch (error) {
    const isTakenBack = await deleteUnstartedCodeRun(gateway.db, start.codeRunId).catch((reason) => {
      void takeBack(gateway, start.codeRunId);
      throw unread(start.codeRunId, reason);
    });
    if (isTakenBack) throw error;
  }
}

/** For a new run: its plan may wait for approval before the first pass. */
const BEFORE_ALL = -1;

/** Retry window in ms: about one Postgres failover. */
const OUTAGE_MS = 10_000;

async function firstAnswer(gateway: Gateway, id: string, waitSeconds: number): Promise<CodeRunAnswer> {
  const follow = async () => {
    const moved = await awaitTransition(gateway, id, BEFORE_ALL);
    if (!moved) await gateway.notices.unlessLost(gateway.orchestrator.awaitFirstPass(id));
    const answer = await answerWhenSettled(gateway, moved ?? id, 0);
    return answer.gate && waitSeconds > 0 ? answerWhenDecided(gateway, answer.run, waitSeconds) : answer;
  };
  const startedAt = performance.now();
  /** A first failure after the longest run is not retried: the answer is not coming. */
  const isBrief = (error: unknown, failingMs: number) =>
    isPartAway(error) && failingMs < OUTAGE_MS && performance.now() - startedAt - failingMs < gateway.config.code.limitSeconds * 1000;
  try {
    return await retry({ while: isBrief, backoff: { firstMs: 250 } }, follow);
  } catch (error) {
    throw isPartAway(error) ? unread(id, error) : error;
  }
}

function unread(codeRunId: string, cause: unknown): GatewayError {
  return new GatewayError('UNAVAILABLE', UNREAD, { codeRunId }, { cause });
}

const UNREAD =
  'The state of the run cannot be read right now. If it has started, it continues. Do not send the code again, because it could run twice: read the run by its codeRunId. If there is no such run, nothing has run.';

async function cancelWithoutClient(gateway: Gateway, codeRunId: string, by: Actor): Promise<void> {
  await cancelCodeRun(gateway, { codeRunId, by, reason: 'the client that had started it closed the connection' }).catch((error) => {
    gateway.logger.warn({ codeRunId, error: String(error) }, 'code run of a disconnected client not canceled, it continues');
  });
}

const TAKE_BACK_MS = 60_000;

/** Deletes a run that was not started, once the database is back. */
async function takeBack({ db, logger }: Gateway, codeRunId: string): Promise<void> {
  await retry(whileDatabaseAway(AbortSignal.timeout(TAKE_BACK_MS)), () => deleteUnstartedCodeRun(db, codeRunId)).catch((error) =>
    logger.warn({ codeRunId, error: String(error) }, 'code run that was not started not deleted, left to the reconciliation'),
  );
}
