import { isDeepStrictEqual } from 'node:util';
import type { NewActivity } from '../../domain/activity.ts';
import type { Actor } from '../../domain/approval.ts';
import { acceptedRefreshActivity, foundChangesActivity, integrationActivity } from '../../domain/audit/change-activity.ts';
import type { CustomIntegration, DetectedBy } from '../../domain/custom-integrations/custom-integration.ts';
import { actorOf, type KeyPrincipal } from '../../domain/principal.ts';
import type { Db } from '../../infra/database.ts';
import { recordActivity } from '../audit/record-activity.ts';
import type { FetchSecrets } from './seal-fetch-secrets.ts';

interface Asked extends FetchSecrets {
  by?: Actor | undefined;
  acceptedBy?: KeyPrincipal | undefined;
  detectedBy?: DetectedBy | undefined;
}

/** Writes the activity rows of a refresh, for changed settings and for found or applied changes. */
export async function recordRefresh(
  tx: Db,
  request: Asked,
  { before, stored, foundCount }: { before: CustomIntegration; stored: CustomIntegration; foundCount: number },
): Promise<void> {
  const { acceptedBy, by = { type: 'system', id: null }, detectedBy = 'refresh' } = request;
  const changed = changedSettings(request, before, stored);
  const events: NewActivity[] = [];
  if (changed.length > 0) events.push(integrationActivity('integration.updated', stored, by, { changed }));
  if (foundCount > 0)
    events.push(
      acceptedBy
        ? acceptedRefreshActivity(stored, foundCount, actorOf(acceptedBy))
        : foundChangesActivity(stored, { changeCount: foundCount, detectedBy }, by),
    );
  await recordActivity(tx, ...events);
}

/** Headers and credentials of a request count as changed: their values are not compared. */
function changedSettings({ headers, fetchAuth }: FetchSecrets, before: CustomIntegration, stored: CustomIntegration): string[] {
  const isSelected = !isDeepStrictEqual(before.settings.select, stored.settings.select);
  return [...(fetchAuth ? ['fetchAuth'] : []), ...(headers ? ['headers'] : []), ...(isSelected ? ['select'] : [])];
}
