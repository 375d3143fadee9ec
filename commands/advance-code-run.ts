import { type CodeRun, isFinished } from '../domain/code-run.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { holdRun } from '../store/code-run-moves.ts';
import { findCodeRun } from '../store/code-runs.ts';
import { PassReplacedError } from '../store/fence.ts';
import { cancelApprovalsOfRun } from './cancel-approvals-of-run.ts';
import { isPartAway } from './code-run-errors.ts';
import { type AdvancedCodeRun, endCodeRun, standing, standingAlone } from './end-code-run.ts';
import { endingOf } from './ending-of-run.ts';
import type { Gateway } from './gateway.ts';
import { makePass } from './make-pass.ts';
import { hashCode, planCodeRun, type RunPlan } from './plan-code-run.ts';
import { readStanding } from './standing-approvals.ts';
import type { Surface } from './surface-cache.ts';

export interface AdvanceCodeRun {
  codeRunId: string;
  /** The caller asks the run to go on; without, and with nobody who waits for it, of a run that waits only endings are noticed. */
  resume: boolean;
  cancel: boolean;
  /** It is the run's turn to have a process; without, PassAwaitedError is thrown where a pass would begin. */
  mayPass: boolean;
  signal: AbortSignal;
}

/** Thrown where a run would begin a pass and it is not its turn. */
export class PassAwaitedError extends Error {
  override name = 'PassAwaitedError';
}

/** Thrown where a pass of the run is under way that began ahead of its workflow's task. */
export class RunLeasedError extends Error {
  override name = 'RunLeasedError';
}

/**
 * Moves a run as far as it can go: plans it, makes a pass when nothing is pending, ends it when a person said no or the time is up.
 * Everything that it goes by is in Postgres, so it may be repeated at any point.
 */
export async function advanceCodeRun(gateway: Gateway, sandbox: Sandbox, request: AdvanceCodeRun): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, request.codeRunId);
  if (!run) return standingAlone('canceled');
  if (isFinished(run.status)) {
    if (run.status !== 'executed') await cancelApprovalsOfRun(gateway, run.id);
    return standing(gateway, run.id, run.status);
  }
  if (request.cancel) return endCodeRun(gateway, run, 'canceled', { code: 'CODE_RUN_CANCELED', message: 'The run was canceled.' });
  return moveOn(gateway, sandbox, run, { ...request, isAhead: false });
}

type Standing = Awaited<ReturnType<typeof readStanding>>;
type Move = Pick<AdvanceCodeRun, 'resume' | 'mayPass' | 'signal'> & { isAhead: boolean; standing?: Standing | undefined };

/** Moves on a run that has not ended, as it and what it has asked were just read. `isAhead`: its workflow's task is still to come, and waits for a pass that begins here. */
export async function moveOn(gateway: Gateway, sandbox: Sandbox, run: CodeRun, move: Move): Promise<AdvancedCodeRun> {
  try {
    if (run.isLeased) throw new RunLeasedError('a pass is under way');
    if (run.toolSurfaceHash === null) return await nextPass(gateway, sandbox, run, move, { surface: await surfaceOf(gateway, run) });
    const { approvals, plan } = move.standing ?? (await readStanding(gateway, run.id));
    const [ending, surface] = await Promise.all([endingOf(gateway, approvals), surfaceOf(gateway, run)]);
    if (ending) return await endCodeRun(gateway, run, ending.status, ending.error);
    if (approvals.some(({ status }) => status === 'pending')) return await hold(gateway, run);
    // One that is running was allowed to: its pass was lost.
    if (run.status === 'waiting' && !move.resume && !run.isAwaited) return await standing(gateway, run.id, run.status);
    return await nextPass(gateway, sandbox, run, move, { surface, kept: plan });
  } catch (error) {
    if (error instanceof PassReplacedError) return movedByOthers(gateway, run.id);
    if (move.signal.aborted || isPartAway(error) || error instanceof PassAwaitedError || error instanceof RunLeasedError) throw error;
    gateway.logger.error({ codeRunId: run.id, err: error }, 'a code run failed on our side');
    return endCodeRun(gateway, run, 'failed', {
      code: 'CODE_RUN_FAILED',
      message: 'The run failed on the side of the service. It is not tried again.',
    });
  }
}

/** The plan holds while what it rests on has not changed; a difference asks again (design: gates and durable code runs). */
async function nextPass(
  gateway: Gateway,
  sandbox: Sandbox,
  stored: CodeRun,
  { mayPass, signal, isAhead }: Move,
  { surface, kept }: { surface: Surface; kept?: RunPlan | undefined },
): Promise<AdvancedCodeRun> {
  const run = { ...stored, codeHash: hashCode(stored.code) };
  const holds = kept && (kept.codeHash ?? stored.codeHash) === run.codeHash && kept.toolSurfaceHash === surface.hashOf(kept.surface);
  const plan = holds ? kept : await planCodeRun(gateway, run, surface);
  if (!holds && plan.groups.length > 0) return standing(gateway, run.id, 'waiting');
  if (!mayPass) throw new PassAwaitedError('not its turn');
  return makePass(gateway, sandbox, { plan, surface, signal, run, isAhead });
}

function surfaceOf(gateway: Gateway, { mcpServerId, orgId, workspaceId }: CodeRun): Promise<Surface> {
  return gateway.surfaces.of({ serverId: mcpServerId, orgId, workspaceId });
}

async function hold(gateway: Gateway, { id, passNumber }: CodeRun): Promise<AdvancedCodeRun> {
  await holdRun(gateway.db, id, passNumber);
  return standing(gateway, id, 'waiting');
}

async function movedByOthers(gateway: Gateway, codeRunId: string): Promise<AdvancedCodeRun> {
  const run = await findCodeRun(gateway.db, codeRunId);
  if (run?.isLeased) throw new RunLeasedError('a pass is under way');
  return standing(gateway, codeRunId, run?.status ?? 'canceled');
}
