import { type CodeRun, isFinished, isResultKept, REPLAY_VERSION } from '../../../domain/code-run.ts';
import { GatewayError } from '../../../domain/errors.ts';
import { CODE_RUN, COMPUTATION_SECONDS } from '../../../domain/limits.ts';
import { actorOf, type KeyPrincipal } from '../../../domain/principal.ts';
import type { PassResult } from '../../../sandbox/host/pass.ts';
import { readRunnable } from '../../../sandbox/reader/read-code.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import { type Journal, readJournal } from '../../../store/journal.ts';
import { listOutcomes } from '../../../store/journal-outcomes.ts';
import { recordActivity } from '../../audit/record-activity.ts';
import type { Gateway } from '../../gateway.ts';
import type { ActionsByAlias } from '../../surfaces/surface-cache.ts';
import { hashCode } from '../plan/plan-code-run.ts';
import { previewReplay, type ReplayView } from './preview-replay.ts';
import { ReplayHost } from './replay-host.ts';

export interface ReplayCodeRun {
  /** A run that the caller may read. */
  run: CodeRun;
  code: string;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
}

/** A replay needs only time for computation, because it waits for no third party. */
function replaySeconds({ config }: Pick<Gateway, 'config'>): number {
  return Math.min(config.code.limitSeconds, COMPUTATION_SECONDS);
}

/** Why a run cannot be replayed, as a sentence; undefined if it can. */
export function whyNotReplayed({ config }: Pick<Gateway, 'config'>, run: CodeRun): string | undefined {
  if (!isFinished(run.status)) return 'The run has not ended yet. It can be replayed after its end.';
  if (run.passNumber === 0 || run.clockStartedAt === null) return 'The program of the run never ran, so there is no record to replay.';
  if (run.replayVersion !== REPLAY_VERSION)
    return 'Another version of the service recorded the run, and that version ran programs in another way.';
  if (!isResultKept(run, config.code.retentionHours)) return GONE;
  return undefined;
}

const GONE = 'The results of the calls are deleted: their retention period is over.';

/**
 * Runs a program against the journal of an ended run. No action is called. Throws VALIDATION_ERROR
 * if the run or the code cannot be replayed, and UNAVAILABLE without a sandbox.
 */
export async function replayCodeRun(gateway: Gateway, principal: KeyPrincipal, request: ReplayCodeRun): Promise<ReplayView> {
  const { run, code, signal } = request;
  assertCode(code);
  const problem = whyNotReplayed(gateway, run);
  if (problem !== undefined) throw cannotReplay(problem);
  const journal = await readJournal(gateway.db, run.id);
  const host = new ReplayHost(journal, run.clockStartedAt!.getTime(), (ids) => listOutcomes(gateway.db, ids));
  const { orgId, workspaceId, id: codeRunId } = run;
  const details = { codeHash: hashCode(code) };
  await recordActivity(gateway.db, { ...{ orgId, workspaceId, codeRunId, details }, type: 'code_run.replayed', actor: actorOf(principal) });
  const result = await runAgain(gateway, { run, code, signal }, journal, host);
  return previewReplay(gateway, run, { result, calls: host.calls, recorded: journal.calls });
}

function assertCode(code: string): void {
  const issue = (message: string) => {
    throw new GatewayError('VALIDATION_ERROR', `The program ${message}.`, { issues: [{ path: 'program', message }] });
  };
  if (code.trim() === '') issue('is missing');
  if (Buffer.byteLength(code) > CODE_RUN.codeMaxBytes) issue(`is larger than ${CODE_RUN.codeMaxBytes / 1024} kB`);
}

function cannotReplay(problem: string): GatewayError {
  return new GatewayError('VALIDATION_ERROR', problem);
}

async function runAgain(gateway: Gateway, { run, code, signal }: ReplayCodeRun, journal: Journal, host: ReplayHost): Promise<PassResult> {
  const { orgId, workspaceId, endUserId } = run;
  const seconds = replaySeconds(gateway);
  const isolates = await gateway.sandboxes.isolates().catch((error) => {
    gateway.logger.error({ err: error }, 'sandbox failed to open');
    throw new GatewayError('UNAVAILABLE', 'The sandbox is not available.');
  });
  const request = {
    principal: { orgId, workspaceId, endUserId },
    program: readRunnable(code, 'svc', orgId),
    surface: await surfaceOf(gateway, run, journal),
    seed: run.id,
    startedAt: run.clockStartedAt!.getTime(),
    limits: { timeMs: seconds * 1000, memoryMb: gateway.config.code.memoryMb },
  };
  try {
    return await gateway.schedulers.forCode(seconds).run({ tenantId: orgId, signal }, () => isolates.runPass(request, host, signal));
  } catch (error) {
    throw error instanceof PassReplacedError ? cannotReplay(GONE) : error;
  }
}

async function surfaceOf(gateway: Gateway, run: CodeRun, { calls }: Journal): Promise<ActionsByAlias> {
  const { mcpServerId: serverId, orgId, workspaceId } = run;
  const { actions } = await gateway.surfaces.of({ serverId, orgId, workspaceId });
  const names = new Map(Object.entries(actions).map(([alias, known]) => [alias, new Set(known)]));
  for (const { integrationAlias, actionName } of calls) {
    const alias = integrationAlias ?? '';
    names.set(alias, (names.get(alias) ?? new Set()).add(actionName));
  }
  return Object.fromEntries([...names].map(([alias, known]) => [alias, [...known]]));
}
