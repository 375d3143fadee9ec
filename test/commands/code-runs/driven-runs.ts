import { presentCodeRun } from '../../../api/mcp/present-code-run.ts';
import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { advanceRun } from '../../../commands/code-runs/advance-run.ts';
import { executeCode } from '../../../commands/code-runs/execute-code.ts';
import { openPassCanceler } from '../../../commands/code-runs/pass/cancel-passes.ts';
import type { Gateway } from '../../../commands/gateway.ts';
import type { Actor, Decision } from '../../../domain/approval.ts';
import type { RunState } from '../../../domain/code-run.ts';
import { openSandbox } from '../../../sandbox/host/open-sandbox.ts';
import { RUN_STARTED } from '../../../store/code-run-starts.ts';
import { PassReplacedError } from '../../../store/fence.ts';
import { openGatedWorld, type Place } from './gated-world.ts';

const KEY: Actor = { type: 'api_key', id: null };

/** Opens a gated world whose runs advance in this process, without workflows. */
export async function openDrivenRuns() {
  const world = await openGatedWorld();
  const sandbox = openSandbox({ logger: world.gateway.logger, poolSize: 1, memoryMb: world.gateway.config.code.memoryMb });
  const stops = openPassCanceler(world.gateway);

  const advance = (codeRunId: string): Promise<RunState> => {
    const move = (signal: AbortSignal) => advanceRun(gateway, sandbox, { codeRunId, resume: true, cancel: false, mayPass: true, signal });
    const whole = new AbortController().signal;
    return stops.during(codeRunId, whole, (signal) =>
      move(signal).catch((error) => (error instanceof PassReplacedError ? move(whole) : Promise.reject(error))),
    );
  };
  const underWay = new Set<Promise<unknown>>();
  const started = new Set<string>();
  const start = (codeRunId: string) => {
    if (started.has(codeRunId)) return;
    started.add(codeRunId);
    const moved = advance(codeRunId)
      .catch(() => {})
      .finally(() => underWay.delete(moved));
    underWay.add(moved);
  };
  /** If `isOn` is false, notifications about started runs are ignored. */
  const hearing = { isOn: true };
  const listening = Promise.withResolvers<void>();
  const unsubscribe = world.gateway.notices.subscribe(RUN_STARTED, (codeRunId) => {
    if (codeRunId === undefined) listening.resolve();
    else if (hearing.isOn) start(codeRunId);
  });
  await listening.promise;
  const orchestrator = {
    ...world.gateway.orchestrator,
    reachable: async () => {},
    startCodeRun: async ({ codeRunId }: { codeRunId: string }) => start(codeRunId),
    continueCodeRun: async (codeRunId: string) => {
      await advance(codeRunId);
      return true;
    },
    cancelCodeRun: async () => {},
    findRunWorkflow: async () => ({ state: 'gone' as const }),
  };
  const gateway: Gateway = { ...world.gateway, orchestrator: Object.assign(Object.create(world.gateway.orchestrator), orchestrator) };

  const execute = async (
    { orgId, workspaceId, serverId }: Place,
    request: { code?: string; approvalId?: string; requestedBy?: Actor; endUserId?: string | null },
  ) => {
    const server = { id: serverId, orgId, workspaceId, name: 'Code', settings: {} };
    const answer = await executeCode(gateway, { server, requestedBy: KEY, endUserId: null, ...request });
    // biome-ignore lint/suspicious/noExplicitAny: tests read fields as callers do
    return { ...presentCodeRun(gateway, answer), run: answer.run, said: presentCodeRun(gateway, answer).structuredContent as any };
  };
  const decide = (approvalId: string, decision: Decision = 'approve') =>
    decideApproval(gateway, { approvalId, decision, by: { type: 'operator', id: null } });

  const close = async () => {
    unsubscribe();
    await Promise.allSettled(underWay);
    await sandbox.close();
    await world.close();
  };
  return { gateway, sandbox, orchestrator, hearing, execute, decide, close };
}

export type DrivenRuns = Awaited<ReturnType<typeof openDrivenRuns>>;
