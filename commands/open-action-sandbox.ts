import { ADVANCED_CODE_TIMEOUT_SECONDS } from '../domain/limits.ts';
import type { AdvancedCodeSettings } from '../domain/workspace-integration.ts';
import type { ActionSandbox, ComputeRequest, ComputeResult } from '../integrations/action-sandbox.ts';
import { ActionError } from '../integrations/definition.ts';
import { compute } from '../sandbox/compute.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { Gateway } from './gateway.ts';
import { runSandboxProgram } from './run-sandbox-program.ts';

/** The parts of the gateway that running code needs. */
export type SandboxHost = Pick<Gateway, 'db' | 'tokens' | 'notices' | 'logger' | 'sandboxes' | 'turns'> & {
  config: { platformUrl: string; code: { memoryMb: number } };
};

/** The call whose code runs. Its settings decide everything; nothing that the caller sends can change them (specification 2.6). */
export interface SandboxCall {
  orgId: string;
  workspaceId: string;
  /** Null where the workspace has not configured the integration. */
  workspaceIntegrationId: string | null;
  endUserId: string | null;
  settings: AdvancedCodeSettings | undefined;
  signal: AbortSignal;
}

/** The sandbox as an action reaches it. Opens nothing until code runs. */
export function openActionSandbox(host: SandboxHost, call: SandboxCall): ActionSandbox {
  const timeoutSeconds = call.settings?.timeoutSeconds ?? ADVANCED_CODE_TIMEOUT_SECONDS.default;
  return {
    compute: (request) => computeFor(host, call, { timeoutSeconds, ...request }),
    runProgram: (program) => runSandboxProgram(host, call, { ...program, timeoutSeconds }),
  };
}

async function computeFor(host: SandboxHost, { orgId, signal }: SandboxCall, request: Required<ComputeRequest>): Promise<ComputeResult> {
  const { code, inputs, timeoutSeconds } = request;
  const isolates = await openIsolates(host);
  const limits = { timeMs: timeoutSeconds * 1000, memoryMb: host.config.code.memoryMb };
  const inTurn = host.turns.forCode(timeoutSeconds);
  const pass = await inTurn(orgId, signal, () => compute(isolates, { code, inputs: JSON.stringify(inputs), limits, party: orgId }, signal));
  const { logs, isLogCut, durationMs } = pass;
  const common = { logs, isLogCut, durationMs };
  if (pass.kind === 'returned') return { ...common, ok: true, result: JSON.parse(pass.value) };
  if (pass.kind === 'threw') return { ...common, ok: false, error: pass.error };
  if (pass.kind === 'paused') throw new Error('a computation was paused');
  throw new ActionError(`${pass.error.message}.`, { code: pass.error.code, reason: pass.error.message, logs });
}

async function openIsolates({ sandboxes, logger }: SandboxHost): Promise<Sandbox> {
  try {
    return await sandboxes.isolates();
  } catch (error) {
    logger.error({ err: error }, 'the sandbox cannot be opened');
    throw new ActionError('The sandbox is not available.', { code: 'CODE_UNAVAILABLE', reason: 'The sandbox is not available' });
  }
}
