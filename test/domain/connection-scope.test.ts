import { ownerIssues, scopeOf } from '../../domain/connection-scope.ts';

const orgWide = { workspaceIds: 'all' } as const;
const ofWorkspace = { workspaceIds: ['w'] };

test.each([
  ['no field, by an org-wide key', {}, orgWide, 'ORGANIZATION'],
  ['a workspace, by an org-wide key', { workspaceId: 'w' }, orgWide, 'ORGANIZATION'],
  ['no field, by a workspace key', {}, ofWorkspace, 'ORGANIZATION'],
  ['a workspace, by a workspace key', { workspaceId: 'w' }, ofWorkspace, 'WORKSPACE'],
  ['an end user', { workspaceId: 'w', endUserId: 'u' }, orgWide, 'USER'],
  ['an end user, by a workspace key', { workspaceId: 'w', endUserId: 'u' }, ofWorkspace, 'USER'],
  ['another scope', { workspaceId: 'w', endUserId: 'u', scope: 'WORKSPACE' }, orgWide, 'WORKSPACE'],
  ['the organization, by a workspace key', { workspaceId: 'w', scope: 'ORGANIZATION' }, ofWorkspace, 'ORGANIZATION'],
] as const)('the default scope for %s', (_, owner, key, scope) => expect(scopeOf(owner, key)).toBe(scope));

test.each([
  ['an organization', {}, []],
  ['an organization, from a workspace', { workspaceId: 'w' }, []],
  ['an organization with an end user', { scope: 'ORGANIZATION', endUserId: 'u' }, ['endUserId']],
  ['a workspace', { scope: 'WORKSPACE', workspaceId: 'w' }, []],
  ['a workspace connection without a workspace', { scope: 'WORKSPACE' }, ['workspaceId']],
  ['a workspace with an end user', { scope: 'WORKSPACE', workspaceId: 'w', endUserId: 'u' }, ['endUserId']],
  ['an end user', { workspaceId: 'w', endUserId: 'u' }, []],
  ['an end user without a workspace', { endUserId: 'u' }, ['workspaceId']],
  ['USER without an end user', { scope: 'USER' }, ['workspaceId', 'endUserId']],
  ['an instance without a workspace', { workspaceIntegrationId: 'i' }, ['workspaceId']],
] as const)('%s: missing and contradictory fields', (_, owner, paths) => {
  expect(ownerIssues(owner).map(({ path }) => path)).toEqual(paths);
});
