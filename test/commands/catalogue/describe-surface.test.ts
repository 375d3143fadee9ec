import { describeAlias } from '../../../commands/catalogue/describe-surface.ts';
import { type SurfaceTool, surfaceOf } from '../../../commands/surfaces/surface-cache.ts';
import { policySet } from '../../../domain/policies/policy-set.ts';
import { openCatalog } from '../../../integrations/catalog.ts';
import { aSurface } from '../../support/a-surface.ts';

const catalog = openCatalog();
const reader = { workspaceId: 'w', mcpServerId: 's', endUserId: 'ada', policies: policySet([]) };
const OWN = { id: 'own', integrationName: 'slack', workspaceIntegrationId: null, isOwn: true };
const SHARED = { ...OWN, id: 'shared', isOwn: false };

test.each([
  ['per_user', 'shared', false],
  ['per_user', 'own', true],
  ['per_user', null, true],
  ['fixed', 'shared', true],
  ['prefer_per_user', 'shared', true],
] as const)('with the strategy %s and the tool connection %s, `connected` is %s', (connectionStrategy, connectionId, expected) => {
  const { tools } = aSurface(catalog, [{ alias: 'chat', integrationName: 'slack' }]);
  const instance = { id: 'i', displayName: 'Chat', connectionStrategy, connectionId: null } as SurfaceTool['instance'];
  const surface = surfaceOf(
    tools.map((tool) => ({ ...tool, instance, tool: { ...tool.tool, connectionId } })),
    catalog,
  );
  expect(describeAlias(catalog, surface, 'chat', { ...reader, connections: [OWN, SHARED] }).connected).toBe(expected);
});
