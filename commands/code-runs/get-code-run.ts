import type { CodeRun } from '../../domain/code-run.ts';
import { GatewayError } from '../../domain/errors.ts';
import { assertWorkspace, type KeyPrincipal } from '../../domain/principal.ts';
import { findCodeRun } from '../../store/code-runs.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Throws CODE_RUN_NOT_FOUND if the organization has no such run, and SCOPE_DENIED if the key may
 * not access the workspace.
 */
export async function getCodeRun(gateway: Gateway, principal: KeyPrincipal, id: string): Promise<CodeRun> {
  const run = await findCodeRun(gateway.db, id);
  if (run?.orgId !== principal.orgId) throw new GatewayError('CODE_RUN_NOT_FOUND', 'There is no such code run.');
  assertWorkspace(principal, run.workspaceId);
  return run;
}
