import type { Knex } from 'knex';
import type { StateOwner } from './kv-entries.ts';

/** The columns that say whose a row is. */
export function ownerColumns({ orgId, workspaceId, scope, scopeKey }: StateOwner) {
  return { org_id: orgId, workspace_id: workspaceId, scope, scope_key: scopeKey };
}

/**
 * Waits until no other transaction changes what this owner keeps of that kind, and keeps others waiting until this one ends; the workspace
 * first (see `holdWorkspace`). What is written for a workspace that is gone fails by itself.
 */
export async function lockState(tx: Knex.Transaction, kind: StateKind, owner: StateOwner): Promise<void> {
  const { orgId, workspaceId } = owner;
  await tx.raw(
    'select pg_advisory_xact_lock(hashtextextended(?, 0)) from (select from workspaces where org_id = ? and id = ? for key share) held',
    [nameOfState(kind, owner), orgId, workspaceId],
  );
}

export type StateKind = 'memory' | 'pages' | 'thoughts';

/** One text for what one owner keeps of one kind. */
export function nameOfState(kind: StateKind, { orgId, workspaceId, scope, scopeKey }: StateOwner): string {
  return JSON.stringify([kind, orgId, workspaceId, scope, scopeKey]);
}

/** SQL that folds case for a search, the same in every cluster. */
export function foldedSql(text: string): string {
  return `lower((${text}) collate "und-x-icu")`;
}

/** SQL that holds where a text has all of so many words, whatever their case; one binding a word. */
export function holdsWordsSql(text: string, words: readonly string[]): string {
  return words.map(() => `strpos(${text}, ${foldedSql('?::text')}) > 0`).join(' and ') || 'true';
}
