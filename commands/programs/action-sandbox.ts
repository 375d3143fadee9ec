import { ADVANCED_CODE_TIMEOUT_SECONDS } from '../../domain/limits.ts';
import type { ActionSandbox, ComputeRequest, ComputeResult } from '../../integrations/action-sandbox.ts';
import { ActionError } from '../../integrations/definition.ts';
import { compute } from '../../sandbox/host/compute.ts';
import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import { runSandboxProgram } from './run-sandbox-program.ts';
import type { SandboxCall, SandboxHost } from './sandbox-call.ts';

/** Opens the sandbox for the action of a call. Starts nothing until code runs. */
export function openActionSandbox(host: SandboxHost, call: SandboxCall): ActionSandbox {
  const timeoutSeconds = call.settings?.timeoutSeconds ?? ADVANCED_CODE_TIMEOUT_SECONDS.default;
  return {
    compute: (request) => computeFor(host, call, { timeoutSeconds, ...request }),
    runProgram: (program) => runSandboxProgram(host, call, { ...program, timeoutSeconds }),
  };
}

async function computeFor(
  host: SandboxHost,
  { orgId, workspaceId, endUserId, signal }: SandboxCall,
  asked: Required<ComputeRequest>,
): Promise<ComputeResult> {
  const { code, inputs, timeoutSeconds } = asked;
  const isolates = await openIsolates(host);
  const limits = { timeMs: timeoutSeconds * 1000, memoryMb: host.config.code.memoryMb };
  const request = { code, inputs: JSON.stringify(inputs), limits, principal: { orgId, workspaceId, endUserId } };
  const scheduler = host.schedulers.forCode(timeoutSeconds);
  const pass = await scheduler.run({ tenantId: orgId, signal }, () => compute(isolates, request, signal));
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
    logger.error({ err: error }, 'sandbox failed to open');
    throw new ActionError('The sandbox is not available.', { code: 'CODE_UNAVAILABLE', reason: 'The sandbox is not available' });
  }
}
