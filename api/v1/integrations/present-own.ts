import type { OwnIntegration } from '../../../commands/integrations/get-own-integration.ts';
import { breathe } from '../../../infra/event-loop/breathe.ts';
import { actionOf, type CatalogIntegration } from '../../../integrations/catalog.ts';
import { describeAction, describeIdentity, nameAction } from '../../../integrations/describe.ts';

/** With more actions than this, schemas are shown only on request. */
const MAX_WHOLE = 200;

/**
 * Returns an integration as JSON text in pieces. If `named` is set, the text has only these
 * actions, with their schemas. Throws ACTION_NOT_FOUND.
 */
export async function writeIntegration(
  entry: CatalogIntegration,
  facts: object = {},
  named: readonly string[] | undefined = undefined,
): Promise<string[]> {
  const actions = named ? [...new Set(named)].map((name) => actionOf(entry, name)) : [...entry.actions.values()];
  const describe = named || actions.length <= MAX_WHOLE ? describeAction : nameAction;
  const pieces: string[] = [];
  for (const action of actions) {
    pieces.push(`${pieces.length === 0 ? '' : ','}${JSON.stringify(action.name)}:${JSON.stringify(describe(action))}`);
    await breathe();
  }
  const rest = JSON.stringify({ ...describeIdentity(entry), ...facts, triggers: {} });
  return [`${rest.slice(0, -1)},"actions":{`, ...pieces, '}}'];
}

/** Presents a custom integration for a list. */
export function summarizeOwn(own: OwnIntegration, actionCount: number): object {
  return { ...describeIdentity(own.entry), ...ownFacts(own), actionCount, triggerCount: 0 };
}

/** The fields that only custom integrations have. */
export function ownFacts({ record, pendingChanges, hidesBuiltIn }: OwnIntegration): object {
  const { id, version, status, lastError, kind, source, settings, head, refreshEverySeconds, onChange } = record;
  return {
    ...{ id, version, status, lastError, pendingChanges, refreshEverySeconds, onChange, ...(hidesBuiltIn && { hidesBuiltIn }) },
    source: { kind, url: settings.url, ...source, importedAt: record.importedAt, checkedAt: record.checkedAt },
    baseUrl: head.baseUrl,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
  };
}
