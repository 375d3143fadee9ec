import type { Knex } from 'knex';
import type { StateOwner } from './kv-entries.ts';

/** The columns of the owner. */
export function ownerColumns({ orgId, workspaceId, scope, scopeKey }: StateOwner) {
  return { org_id: orgId, workspace_id: workspaceId, scope, scope_key: scopeKey };
}

/**
 * Locks the state of one kind of this owner until the transaction ends. Locks the workspace first
 * (see `holdWorkspace`). Writes for a deleted workspace fail by their foreign key.
 */
export async function lockState(tx: Knex.Transaction, kind: StateKind, owner: StateOwner): Promise<void> {
  const { orgId, workspaceId } = owner;
  await tx.raw(
    'select pg_advisory_xact_lock(hashtextextended(?, 0)) from (select from workspaces where org_id = ? and id = ? for key share) held',
    [nameOfState(kind, owner), orgId, workspaceId],
  );
}

export type StateKind = 'memory' | 'pages' | 'thoughts';

/** A key for the state of one kind of one owner. */
export function nameOfState(kind: StateKind, { orgId, workspaceId, scope, scopeKey }: StateOwner): string {
  return JSON.stringify([kind, orgId, workspaceId, scope, scopeKey]);
}

/** SQL that folds case, the same in every cluster. */
export function foldedSql(text: string): string {
  return `lower((${text}) collate "und-x-icu")`;
}

/** SQL condition: a text contains all words, ignoring case. One binding per word. */
export function holdsWordsSql(text: string, words: readonly string[]): string {
  return words.map(() => `strpos(${text}, ${foldedSql('?::text')}) > 0`).join(' and ') || 'true';
}
