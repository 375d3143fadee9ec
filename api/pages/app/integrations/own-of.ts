import { getOwnIntegration, getOwnRecord, type OwnIntegration } from '../../../../commands/integrations/get-own-integration.ts';
import type { CustomIntegration } from '../../../../domain/custom-integrations/custom-integration.ts';
import { notFound } from '../../../route.ts';
import type { Visit } from '../screen.ts';
import { getIntegration } from './integration-page.ts';

/**
 * The record of the custom integration in the path, for changes. With `decides`, also requires the
 * rights to decide about changes. Throws NOT_FOUND for a built-in integration.
 */
export async function getOwn(visit: Visit, options?: { decides: boolean }): Promise<CustomIntegration> {
  const { name, customId } = await getIntegration(visit);
  if (customId === undefined) throw notFound();
  return getOwnRecord(visit.gateway, visit.principal, name, options);
}

/** The custom integration in the path, read-only. Throws NOT_FOUND for a built-in integration. */
export async function readOwn(visit: Visit): Promise<OwnIntegration> {
  const { name, customId } = await getIntegration(visit);
  if (customId === undefined) throw notFound();
  return getOwnIntegration(visit.gateway, visit.member.orgId, name);
}
