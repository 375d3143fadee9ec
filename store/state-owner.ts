import type { Knex } from 'knex';
import type { StateOwner } from './kv-entries.ts';

/** The columns that identify an owner. */
export function ownerColumns({ orgId, workspaceId, scope, scopeKey }: StateOwner) {
  return { org_id: orgId, workspace_id: workspaceId, scope, scope_key: scopeKey };
}

/**
 * Locks one kind of state of an owner until the transaction ends. Locks the workspace first (see
 * `holdWorkspace`). Locks nothing if the workspace is deleted, because the write then fails.
 */
export async function lockState(tx: Knex.Transaction, kind: StateKind, owner: StateOwner): Promise<void> {
  const { orgId, workspaceId } = owner;
  await tx.raw(
    'select pg_advisory_xact_lock(hashtextextended(?, 0)) from (select from workspaces where org_id = ? and id = ? for key share) held',
    [nameOfState(kind, owner), orgId, workspaceId],
  );
}

export type StateKind = 'memory' | 'pages' | 'thoughts';

/** Returns a key for one kind of state of one owner. */
export function nameOfState(kind: StateKind, { orgId, workspaceId, scope, scopeKey }: StateOwner): string {
  return JSON.stringify([kind, orgId, workspaceId, scope, scopeKey]);
}

/** SQL that folds case in the same way in every database cluster. */
export function foldedSql(text: string): string {
  return `lower((${text}) collate "und-x-icu")`;
}

/**
 * SQL condition: a folded text (`foldedSql`) contains all words, ignoring case. Each word is one
 * binding.
 */
export function holdsWordsSql(text: string, words: readonly string[]): string {
  return words.map(() => `strpos(${text}, ${foldedSql('?::text')}) > 0`).join(' and ') || 'true';
}
