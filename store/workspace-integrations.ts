import type { WorkspaceIntegration } from '../domain/workspace-integration.ts';
import type { Db } from '../infra/database.ts';
import { columns, toRow } from './columns.ts';

const COLUMNS = columns<WorkspaceIntegration>(
  'id',
  'orgId',
  'workspaceId',
  'integrationName',
  'alias',
  'displayName',
  'connectionStrategy',
  'connectionId',
  'enabledActions',
  'settings',
  'sortOrder',
  'createdAt',
  'updatedAt',
);

export type NewWorkspaceIntegration = Omit<WorkspaceIntegration, 'id' | 'createdAt' | 'updatedAt'>;

export async function insertWorkspaceIntegration(db: Db, instance: NewWorkspaceIntegration): Promise<WorkspaceIntegration> {
  const [row] = await db('workspace_integrations').insert(toRow(instance)).returning(COLUMNS);
  return row;
}

export async function findWorkspaceIntegration(
  db: Db,
  orgId: string,
  workspaceId: string,
  id: string,
): Promise<WorkspaceIntegration | undefined> {
  return db('workspace_integrations').select(COLUMNS).where({ org_id: orgId, workspace_id: workspaceId, id }).first();
}

/** Returns all instances of integrations in a workspace, ordered by sortOrder, then by age. */
export async function listWorkspaceIntegrations(db: Db, orgId: string, workspaceId: string): Promise<WorkspaceIntegration[]> {
  return db('workspace_integrations')
    .select(COLUMNS)
    .where({ org_id: orgId, workspace_id: workspaceId })
    .orderBy([{ column: 'sort_order' }, { column: 'created_at' }, { column: 'id' }]);
}

/** Returns all instances of an integration in an organization, ordered by id. */
export async function listInstancesOfIntegration(db: Db, orgId: string, integrationName: string): Promise<WorkspaceIntegration[]> {
  return db('workspace_integrations').select(COLUMNS).where({ org_id: orgId, integration_name: integrationName }).orderBy('id');
}

/** Finds the instance of a workspace with this alias. */
export async function findWorkspaceIntegrationByAlias(
  db: Db,
  orgId: string,
  workspaceId: string,
  alias: string,
): Promise<WorkspaceIntegration | undefined> {
  return db('workspace_integrations').select(COLUMNS).where({ org_id: orgId, workspace_id: workspaceId, alias }).first();
}

/** Returns all instances that are configured with this connection, ordered by id. */
export async function listInstancesOfConnection(db: Db, orgId: string, connectionId: string): Promise<WorkspaceIntegration[]> {
  return db('workspace_integrations').select(COLUMNS).where({ org_id: orgId, connection_id: connectionId }).orderBy('id');
}

/** Returns the workspaces of the instances with these ids in the organization. */
export async function listWorkspacesOfInstances(
  db: Db,
  orgId: string,
  ids: readonly string[],
): Promise<Pick<WorkspaceIntegration, 'id' | 'workspaceId'>[]> {
  return ids.length === 0
    ? []
    : db('workspace_integrations')
        .select('id', 'workspace_id as workspaceId')
        .where({ org_id: orgId })
        .whereIn('id', [...ids]);
}

export async function updateWorkspaceIntegration(
  db: Db,
  orgId: string,
  id: string,
  changes: Partial<NewWorkspaceIntegration>,
): Promise<WorkspaceIntegration | undefined> {
  const [row] = await db('workspace_integrations')
    .where({ org_id: orgId, id })
    .update({ ...toRow(changes), updated_at: db.fn.now() })
    .returning(COLUMNS);
  return row;
}

/** Deletes an instance and, by cascade, the tools that were synced from it. */
export async function deleteWorkspaceIntegration(
  db: Db,
  orgId: string,
  workspaceId: string,
  id: string,
): Promise<WorkspaceIntegration | undefined> {
  const [row] = await db('workspace_integrations').where({ org_id: orgId, workspace_id: workspaceId, id }).delete().returning(COLUMNS);
  return row;
}
