import { listCustomIntegrations } from '../../../../store/custom-integrations.ts';
import type { Visit } from '../screen.ts';

/**
 * The names to show for integrations, by the name in the catalogue: display names of the built-in
 * integrations, and the names of custom integrations. Sorted by shown name.
 */
export async function integrationNames({ gateway, member }: Visit): Promise<Map<string, string>> {
  const own = await listCustomIntegrations(gateway.db, member.orgId);
  const names = new Map([
    ...gateway.catalog.builtIn.list().map(({ name, displayName }) => [name, displayName] as const),
    ...own.map(({ name }) => [name, name] as const),
  ]);
  return new Map([...names].sort(([, a], [, b]) => a.localeCompare(b, 'en')));
}
