import type { ActiveRun } from '../../../domain/code-run.ts';
import type { RunnableCode } from '../../../sandbox/reader/prepare-code.ts';
import { readRunnable } from '../../../sandbox/reader/read-code.ts';
import type { Gateway } from '../../gateway.ts';
import type { Surface } from '../../surfaces/surface-cache.ts';
import type { LoadedRun } from '../load-run.ts';
import { hashCode, planCodeRun, type RunPlan } from './plan-code-run.ts';
import { openProgram } from './sealed-program.ts';

/** The basis of a pass. */
export interface PreparedPass {
  plan: RunPlan;
  /** Null if parsing the code took too much time or memory. */
  program: RunnableCode | null;
  surface: Surface;
}

/**
 * Prepares the next pass, and plans the run if it has no current plan. Returns `gated` if the run
 * now waits for approvals.
 */
export async function preparePass(gateway: Gateway, { run: stored, plan, program }: LoadedRun): Promise<PreparedPass | 'gated'> {
  const run = { ...stored, codeHash: hashCode(stored.code) };
  const surface = await surfaceOf(gateway, run);
  if (plan?.codeHash === run.codeHash && plan.toolSurfaceHash === surface.hashOf(plan.surface))
    return { plan, program: openProgram(gateway, run, program) ?? (await readRunnable(run.code, 'svc', run.orgId)), surface };
  const planned = await planCodeRun(gateway, run, surface);
  return planned.plan.groups.length > 0 ? 'gated' : { ...planned, surface };
}

function surfaceOf(gateway: Gateway, { mcpServerId, orgId, workspaceId }: ActiveRun): Promise<Surface> {
  return gateway.surfaces.of({ serverId: mcpServerId, orgId, workspaceId });
}
