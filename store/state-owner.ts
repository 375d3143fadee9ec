import type { Knex } from 'knex';
import type { StateOwner } from './kv-entries.ts';

/** The columns that say whose a row is. */
export function ownerColumns({ orgId, workspaceId, scope, scopeKey }: StateOwner) {
  return { org_id: orgId, workspace_id: workspaceId, scope, scope_key: scopeKey };
}

/** Waits until no other transaction changes what this owner keeps of that kind, and keeps others waiting until this one ends. */
export async function lockState(tx: Knex.Transaction, kind: 'memory' | 'pages' | 'thoughts', owner: StateOwner): Promise<void> {
  const { orgId, workspaceId, scope, scopeKey } = owner;
  await tx.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [JSON.stringify([kind, orgId, workspaceId, scope, scopeKey])]);
}

/** SQL that folds case for a search, the same in every cluster. */
export function foldedSql(text: string): string {
  return `lower((${text}) collate "und-x-icu")`;
}

/** SQL that holds where a text has all of so many words, whatever their case; one binding a word. */
export function holdsWordsSql(text: string, words: readonly string[]): string {
  return words.map(() => `strpos(${text}, ${foldedSql('?::text')}) > 0`).join(' and ') || 'true';
}
