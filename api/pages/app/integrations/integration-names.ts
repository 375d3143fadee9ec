import { listCustomIntegrations } from '../../../../store/custom-integrations.ts';
import type { Visit } from '../screen.ts';

/**
 * Names that people read, by the name in the catalogue, in their order: the integrations of the
 * service and the organization's own.
 */
export async function integrationNames({ gateway, member }: Visit): Promise<Map<string, string>> {
  const own = await listCustomIntegrations(gateway.db, member.orgId);
  const names = new Map([
    ...gateway.catalog.builtIn.list().map(({ name, displayName }) => [name, displayName] as const),
    ...own.map(({ name }) => [name, name] as const),
  ]);
  return new Map([...names].sort(([, a], [, b]) => a.localeCompare(b, 'en')));
}
