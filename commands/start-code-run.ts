import type { Actor } from '../domain/approval.ts';
import { GatewayError } from '../domain/errors.ts';
import type { McpServer } from '../domain/mcp-server.ts';
import { isDatabaseAway } from '../infra/database.ts';
import { randomId } from '../infra/tokens.ts';
import { tellStarted } from '../store/code-run-moves.ts';
import { deleteUnstartedCodeRun } from '../store/code-runs.ts';
import { cancelCodeRun } from './cancel-code-run.ts';
import { answerWhenDecided, answerWhenSettled, type CodeRunAnswer } from './code-run-answer.ts';
import { isPartAway } from './code-run-errors.ts';
import type { Gateway } from './gateway.ts';
import { insertWithinQuota } from './insert-within-quota.ts';
import { onceThere } from './once-there.ts';
import type { CodeRunStart } from './orchestrator.ts';
import { hashCode } from './plan-code-run.ts';
import { nextMove } from './run-progress.ts';
import { throughOutage } from './through-outage.ts';

/** Who runs code, and through which server. */
export interface CodeRunCaller {
  server: Pick<McpServer, 'id' | 'orgId' | 'workspaceId' | 'name' | 'settings'>;
  requestedBy: Actor;
  /** External id. */
  endUserId: string | null;
}

export interface StartCodeRun extends CodeRunCaller {
  code: string;
  /** So long people may take to decide about it before the first answer. */
  waitForApprovalSeconds?: number | undefined;
  /** Aborted when whoever asks goes away: the run is then canceled. */
  signal?: AbortSignal | undefined;
}

/**
 * Starts a run and answers where it stands after its first pass. Throws UNAVAILABLE, with `codeRunId`, where the run was started and nobody can say in time what
 * becomes of it; without, the run is taken back.
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
    // It may have been written at the very moment in which the database went away; the caller sends it again.
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

/** Once this is over the run goes its way. Where its start failed it is taken back; one that has begun all the same, the answer to its start lost, was started. */
async function begin(gateway: Gateway, start: CodeRunStart): Promise<void> {
  try {
    await gateway.orchestrator.startCodeRun(start);
    void tellStarted(gateway.db, start.codeRunId).catch(() => {}); // the workflow gets there, too
  } catch (error) {
    const isTakenBack = await deleteUnstartedCodeRun(gateway.db, start.codeRunId).catch((reason) => {
      void takeBack(gateway, start.codeRunId);
      throw unread(start.codeRunId, reason);
    });
    if (isTakenBack) throw error;
  }
}

/** Of a run that is new, whose plan may ask people before its first pass. */
const BEFORE_ALL = -1;

async function firstAnswer(gateway: Gateway, id: string, waitSeconds: number): Promise<CodeRunAnswer> {
  const follow = async () => {
    const moved = await nextMove(gateway, id, BEFORE_ALL);
    if (!moved) await gateway.notices.unlessLost(gateway.orchestrator.awaitFirstPass(id));
    const answer = await answerWhenSettled(gateway, moved ?? id, 0);
    return answer.gate && waitSeconds > 0 ? answerWhenDecided(gateway, answer.run, waitSeconds) : answer;
  };
  try {
    return await throughOutage(follow, gateway.config.code.limitSeconds * 1000);
  } catch (error) {
    throw isPartAway(error) ? unread(id, error) : error;
  }
}

function unread(codeRunId: string, cause: unknown): GatewayError {
  return new GatewayError('UNAVAILABLE', UNREAD, { codeRunId }, { cause });
}

const UNREAD =
  'What became of the run cannot be read right now; if it has begun it goes on by itself. Do not send the code again, which could run it twice: read the run by its codeRunId. Only where there is no such run has nothing run.';

async function cancelWithoutClient(gateway: Gateway, codeRunId: string, by: Actor): Promise<void> {
  await cancelCodeRun(gateway, { codeRunId, by, reason: 'the client that had started it closed the connection' }).catch((error) => {
    gateway.logger.warn({ codeRunId, error: String(error) }, 'the run of a client that went away goes on');
  });
}

const TAKE_BACK_MS = 60_000;

/** Takes back a run that nobody started, once the database is there. */
async function takeBack({ db, logger }: Gateway, codeRunId: string): Promise<void> {
  await onceThere(AbortSignal.timeout(TAKE_BACK_MS), () => deleteUnstartedCodeRun(db, codeRunId)).catch((error) =>
    logger.warn({ codeRunId, error: String(error) }, 'a run that was not started is left to be taken back later'),
  );
}
