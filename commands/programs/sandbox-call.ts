import type { AdvancedCodeSettings } from '../../domain/workspace-integration.ts';
import type { StateHost } from '../agent-state/state-host.ts';
import type { Gateway } from '../gateway.ts';

/** The parts of the gateway that code in a sandbox needs. */
export type SandboxHost = Pick<Gateway, 'db' | 'tokens' | 'notices' | 'logger' | 'sandboxes' | 'schedulers'> & {
  config: StateHost['config'] & { code: { memoryMb: number } };
};

/** The call whose code runs. The caller cannot change the settings (specification 2.6). */
export interface SandboxCall {
  orgId: string;
  workspaceId: string;
  /** Null if the call uses no workspace integration. */
  workspaceIntegrationId: string | null;
  endUserId: string | null;
  settings: AdvancedCodeSettings | undefined;
  signal: AbortSignal;
}
