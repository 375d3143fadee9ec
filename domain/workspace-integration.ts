import type { ConnectionStrategy } from './policies/policy.ts';

export const PERSISTENCE_SCOPES = ['end_user', 'workspace', 'external'] as const;

/** Determines which state a stateful integration uses (specification 2.6, settings.persistence). */
export interface Persistence {
  scope: (typeof PERSISTENCE_SCOPES)[number];
  externalId?: string;
}

export interface AdvancedCodeSettings {
  timeoutSeconds?: number;
  sandboxPersistence?: 'ephemeral' | 'persistent';
  storageMountScope?: 'none' | 'end_user' | 'workspace' | 'external';
  storageExternalId?: string;
}

export interface WorkspaceIntegrationSettings {
  persistence?: Persistence;
  advancedCode?: AdvancedCodeSettings;
}

/** Integrations to which settings.persistence applies (specification 2.6). */
const STATEFUL_INTEGRATIONS = [
  'storage',
  'kv-store',
  'agent-memory',
  'agent-scratchpad',
  'sequential-thinking',
  'agent-browser',
  'agent-browser-ai',
] as const;

/** Whether an integration keeps state between calls. */
export function keepsState(integrationName: string): boolean {
  return (STATEFUL_INTEGRATIONS as readonly string[]).includes(integrationName);
}

/** A configured instance of an integration in a workspace (specification 2.6). */
export interface WorkspaceIntegration {
  id: string;
  orgId: string;
  workspaceId: string;
  integrationName: string;
  alias: string;
  displayName: string | null;
  connectionStrategy: ConnectionStrategy;
  connectionId: string | null;
  enabledActions: string[] | null;
  settings: WorkspaceIntegrationSettings;
  sortOrder: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Returns the name of an instance for people. */
export function instanceName(
  instance: Pick<WorkspaceIntegration, 'alias' | 'displayName'>,
  { name, displayName }: { name: string; displayName: string },
): string {
  return instance.displayName ?? (instance.alias === name ? displayName : `${displayName} (${instance.alias})`);
}

/** Whether an instance enables an action. `enabledActions` null enables all actions. */
export function enablesAction(instance: Pick<WorkspaceIntegration, 'enabledActions'>, actionName: string): boolean {
  return instance.enabledActions === null || instance.enabledActions.includes(actionName);
}
