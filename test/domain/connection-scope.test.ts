import { ownerIssues, scopeOf } from '../../domain/connection-scope.ts';

test('the scope is the one asked for, else USER with an end user, else ORGANIZATION', () => {
  expect(scopeOf({})).toBe('ORGANIZATION');
  expect(scopeOf({ workspaceId: 'w' })).toBe('ORGANIZATION');
  expect(scopeOf({ endUserId: 'u' })).toBe('USER');
  expect(scopeOf({ endUserId: 'u', scope: 'WORKSPACE' })).toBe('WORKSPACE');
});

test.each([
  ['an organization', {}, []],
  ['an organization, from a workspace', { workspaceId: 'w' }, []],
  ['an organization with an end user', { scope: 'ORGANIZATION', endUserId: 'u' }, ['endUserId']],
  ['a workspace', { scope: 'WORKSPACE', workspaceId: 'w' }, []],
  ['a workspace unnamed', { scope: 'WORKSPACE' }, ['workspaceId']],
  ['a workspace with an end user', { scope: 'WORKSPACE', workspaceId: 'w', endUserId: 'u' }, ['endUserId']],
  ['an end user', { workspaceId: 'w', endUserId: 'u' }, []],
  ['an end user of no workspace', { endUserId: 'u' }, ['workspaceId']],
  ['nobody', { scope: 'USER' }, ['workspaceId', 'endUserId']],
  ['an instance of no workspace', { workspaceIntegrationId: 'i' }, ['workspaceId']],
] as const)('%s: what is missing or contradicts', (_, owner, paths) => {
  expect(ownerIssues(owner).map(({ path }) => path)).toEqual(paths);
});
