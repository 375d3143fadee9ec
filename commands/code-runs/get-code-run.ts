import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Returns a code run that the key may read. Throws CODE_RUN_NOT_FOUND for an unknown or foreign
 * run, and SCOPE_DENIED for a run of a workspace outside the key's scope.
 */
export async function getCodeRun(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<CodeRun> {
  const run = await findCodeRun(gateway.db, id);
  if (run?.orgId !== principal.orgId) throw new GatewayError('CODE_RUN_NOT_FOUND', 'There is no such code run.');
  assertWorkspace(principal, run.workspaceId);
  return run;
}
