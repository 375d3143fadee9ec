import type { OrgRole } from '../../../../domain/policies/policy.ts';
import type { ConnectedRecords } from './connected-records.ts';

/**
 * What a role gets from a screen: `200` a page, `303` a redirect, `400` a form that says what is
 * missing, `403` "You may not do this", `404` nothing of that id.
 */
type Expected = Record<OrgRole, number>;

export interface ScreenRow {
  /** Values of the parameters of the path. Default: an unknown id, which is 404 to all who may. */
  params?: (ids: ScreenIds) => Record<string, string>;
  /** The posted form. Default: empty. */
  fields?: (ids: ScreenIds) => Record<string, string>;
  expect: Expected;
}

/** Records that rows may name, of the members' organization. */
export interface ScreenIds {
  /** A viewer and an owner who are nobody else. */
  memberId: string;
  ownerId: string;
  workspaceId: string;
  keyId: string;
  serverId: string;
  /** It waits. */
  approvalId: string;
  /** It waits. */
  runId: string;
  policyId: string;
  connected: ConnectedRecords;
}

/** The same answer for a role and all above it; 403 for those below. */
function from(least: OrgRole, status = 200): Expected {
  const roles = ['viewer', 'member', 'admin', 'owner'] as const;
  return Object.fromEntries(roles.map((role, index) => [role, index >= roles.indexOf(least) ? status : 403])) as Expected;
}

const key = ({ keyId }: ScreenIds) => ({ id: keyId });
const http = () => ({ name: 'http' });
const own = () => ({ name: 'tasks' });
const server = ({ serverId }: ScreenIds) => ({ id: serverId });
const member = ({ memberId }: ScreenIds) => ({ id: memberId });

const run = ({ runId }: ScreenIds) => ({ id: runId });
const policy = ({ policyId }: ScreenIds) => ({ id: policyId });
const workspace = ({ workspaceId }: ScreenIds) => ({ id: workspaceId });
const instance = ({ workspaceId, connected: { alias } }: ScreenIds) => ({ id: workspaceId, alias });
const connection = ({ connected: { connectionId } }: ScreenIds) => ({ id: connectionId });
const person = ({ connected: { personId } }: ScreenIds) => ({ id: personId });

const approval = ({ approvalId }: ScreenIds) => ({ id: approvalId });

/** Every act of every screen, as `get /path` or `post /path`. A missing row fails the test. */
export const SCREEN_MATRIX: Record<string, ScreenRow> = {
  'get /': { expect: from('viewer') },
  'get /go': { expect: from('viewer') },
  'get /waiting': { expect: from('viewer') },
  'get /approvals': { expect: from('viewer') },
  'get /approvals/decide': { expect: from('member', 400) },
  'post /approvals/decide': { expect: from('member', 400) },
  'get /approvals/{id}': { params: approval, expect: from('viewer') },
  'post /approvals/{id}/decide': { params: approval, expect: from('member', 400) },
  'get /approvals/{id}/receipt': { params: approval, expect: from('viewer', 404) },
  'post /approvals/{id}/deliveries/{deliveryId}/send': { params: approval, expect: from('member', 404) },
  'get /runs': { expect: from('viewer') },
  'get /runs/{id}': { params: run, expect: from('viewer') },
  'get /runs/{id}/cancel': { params: run, expect: from('admin') },
  'post /runs/{id}/cancel': { expect: from('admin', 404) },
  'get /policies': { expect: from('viewer') },
  'get /policies/new': { expect: from('admin') },
  'post /policies/new': { expect: from('admin', 400) },
  'get /policies/new/check': { expect: from('admin', 303) },
  'post /policies/new/check': { expect: from('admin', 400) },
  'get /policies/new/test': { expect: from('admin', 303) },
  'post /policies/new/test': { expect: from('admin', 400) },
  'get /policies/{id}': { params: policy, expect: from('viewer') },
  'get /policies/{id}/save': { params: policy, expect: from('admin', 303) },
  'post /policies/{id}/save': { params: policy, expect: from('admin', 400) },
  'get /policies/{id}/check': { params: policy, expect: from('admin', 303) },
  'post /policies/{id}/check': { params: policy, expect: from('admin', 400) },
  'get /policies/{id}/test': { params: policy, expect: from('admin', 303) },
  'post /policies/{id}/test': { params: policy, expect: from('admin', 400) },
  'post /policies/{id}/versions/{version}/restore': { params: (ids) => ({ ...policy(ids), version: '1' }), expect: from('admin', 303) },
  'get /policies/{id}/stop-asking': { params: policy, expect: from('admin', 404) },
  'post /policies/{id}/stop-asking': { params: policy, expect: from('admin', 404) },
  'post /policies/{id}/turn-off': { params: policy, expect: from('admin', 303) },
  'post /policies/{id}/turn-on': { params: policy, expect: from('admin', 303) },
  'get /policies/{id}/delete': { params: policy, expect: from('admin') },
  'post /policies/{id}/delete': { expect: from('admin', 404) },
  'get /runs/{id}/replay': { params: run, expect: from('admin') },
  'post /runs/{id}/replay': { params: run, expect: from('admin', 400) },
  'get /account': { expect: from('viewer') },
  'post /account': { expect: from('viewer', 400) },
  'get /workspaces': { expect: from('viewer') },
  'get /workspaces/new': { expect: from('admin') },
  'post /workspaces/new': { expect: from('admin', 400) },
  'get /workspaces/{id}': { params: workspace, expect: from('viewer') },
  'get /workspaces/{id}/settings': { params: workspace, expect: from('admin', 303) },
  'post /workspaces/{id}/settings': { params: workspace, expect: from('admin', 400) },
  'get /workspaces/{id}/delete': { params: workspace, expect: from('admin') },
  'post /workspaces/{id}/delete': { expect: from('admin', 404) },
  'get /workspaces/{id}/integrations/{alias}': { params: instance, expect: from('viewer') },
  'get /workspaces/{id}/integrations/{alias}/settings': { params: instance, expect: from('admin', 303) },
  'post /workspaces/{id}/integrations/{alias}/settings': { params: instance, expect: from('admin', 400) },
  'get /workspaces/{id}/integrations/{alias}/remove': { params: instance, expect: from('admin') },
  'post /workspaces/{id}/integrations/{alias}/remove': { expect: from('admin', 404) },
  'get /connections': { expect: from('viewer') },
  'get /connections/new': { expect: from('admin') },
  'post /connections/new': { expect: from('admin', 400) },
  'get /connections/{id}': { params: connection, expect: from('viewer') },
  'get /connections/{id}/reconnect': { params: connection, expect: from('admin', 303) },
  'post /connections/{id}/reconnect': { params: connection, expect: from('admin') },
  'get /connections/{id}/disconnect': { params: connection, expect: from('admin') },
  'post /connections/{id}/disconnect': { expect: from('admin', 404) },
  'get /people': { expect: from('viewer') },
  'get /people/new': { expect: from('admin') },
  'post /people/new': { expect: from('admin', 400) },
  'get /people/{id}': { params: person, expect: from('viewer') },
  'get /people/{id}/settings': { params: person, expect: from('admin', 303) },
  'post /people/{id}/settings': { params: person, fields: () => ({ displayName: 'Ada' }), expect: from('admin', 303) },
  'post /people/{id}/connect-link': { params: person, expect: from('admin') },
  'post /people/{id}/invite': { params: person, expect: from('admin', 400) },
  'get /people/{id}/delete': { params: person, expect: from('admin') },
  'post /people/{id}/delete': { expect: from('admin', 404) },
  'get /keys': { expect: from('viewer') },
  'get /keys/new': { expect: from('admin') },
  'post /keys/new': { expect: from('admin', 400) },
  'get /keys/{id}': { params: key, expect: from('viewer') },
  'get /keys/{id}/delete': { params: key, expect: from('admin') },
  'post /keys/{id}/delete': { expect: from('admin', 404) },
  'get /integrations': { expect: from('viewer') },
  'get /integrations/{name}': { params: http, expect: from('viewer') },
  'get /integrations/{name}/add': { params: http, expect: from('admin', 303) },
  'post /integrations/{name}/add': { params: http, expect: from('admin', 400) },
  'get /integrations/import': { expect: from('admin') },
  'post /integrations/import': { expect: from('admin', 400) },
  'get /integrations/import/preview': { expect: from('admin', 303) },
  'post /integrations/import/preview': { expect: from('admin', 400) },
  'get /integrations/{name}/settings': { params: own, expect: from('admin', 303) },
  'post /integrations/{name}/settings': { params: own, expect: from('admin', 400) },
  'post /integrations/{name}/actions/{action}': { params: own, expect: from('admin', 404) },
  'get /integrations/{name}/refresh': { params: own, expect: from('admin') },
  'post /integrations/{name}/refresh': { params: own, expect: from('admin', 400) },
  'get /integrations/{name}/delete': { params: own, expect: from('admin') },
  'post /integrations/{name}/delete': { expect: from('admin', 404) },
  'get /integrations/{name}/changes': { params: own, expect: from('viewer') },
  'get /integrations/{name}/changes/{id}': { params: own, expect: from('viewer', 404) },
  'get /integrations/{name}/changes/{id}/decide': { params: own, expect: from('admin', 303) },
  'post /integrations/{name}/changes/{id}/decide': { params: own, expect: from('admin', 400) },
  'get /servers': { expect: from('viewer') },
  'get /servers/new': { expect: from('admin') },
  'post /servers/new': { expect: from('admin', 400) },
  'get /servers/{id}': { params: server, expect: from('viewer') },
  'get /servers/{id}/settings': { params: server, expect: from('admin', 303) },
  'post /servers/{id}/settings': { params: server, expect: from('admin', 400) },
  'get /servers/{id}/tokens': { params: server, expect: from('viewer') },
  'get /servers/{id}/tokens/new': { params: server, expect: from('admin', 303) },
  'post /servers/{id}/tokens/new': { params: server, expect: from('admin', 400) },
  'get /servers/{id}/tokens/bearer/{tokenId}/revoke': { params: server, expect: from('admin', 404) },
  'post /servers/{id}/tokens/bearer/{tokenId}/revoke': { params: server, expect: from('admin', 404) },
  'get /servers/{id}/tokens/oauth/{tokenId}/revoke': { params: server, expect: from('admin', 404) },
  'post /servers/{id}/tokens/oauth/{tokenId}/revoke': { params: server, expect: from('admin', 404) },
  'get /servers/{id}/replace-token': { params: server, expect: from('admin') },
  'post /servers/{id}/replace-token': { params: server, expect: from('admin', 409) },
  'get /servers/{id}/suspend': { params: server, expect: from('admin') },
  'post /servers/{id}/suspend': { params: server, expect: from('admin', 303) },
  'post /servers/{id}/resume': { params: server, expect: from('admin', 303) },
  'get /servers/{id}/delete': { params: server, expect: from('admin') },
  'post /servers/{id}/delete': { expect: from('admin', 404) },
  'get /webhooks': { expect: from('viewer') },
  'post /webhooks/send-failed': { expect: from('member', 400) },
  'get /webhooks/endpoints/{id}/rotate': { expect: from('admin', 404) },
  'post /webhooks/endpoints/{id}/rotate': { expect: from('admin', 404) },
  'get /webhooks/deliveries/{id}': { expect: from('viewer', 404) },
  'post /webhooks/deliveries/{id}/send': { expect: from('member', 404) },
  'get /activity': { expect: from('viewer') },
  'get /activity/export.csv': { expect: from('viewer') },
  'get /activity/export.jsonl': { expect: from('viewer') },
  'post /activity/verify': { expect: from('viewer', 303) },
  'get /playground': { expect: from('admin') },
  'get /playground/action': { expect: from('admin') },
  'get /playground/program': { expect: from('admin') },
  'post /playground/program': { expect: from('admin', 400) },
  'get /playground/program/words': { expect: from('admin', 404) },
  'post /playground/action': { expect: from('admin', 400) },
  'get /settings': { expect: from('viewer', 303) },
  'get /settings/organization': { expect: from('viewer') },
  'post /settings/organization': { expect: from('owner', 400) },
  'get /settings/quotas': { expect: from('viewer') },
  'get /settings/keys': { expect: from('owner') },
  'get /settings/keys/encryption/rotate': { expect: from('owner') },
  'post /settings/keys/encryption/rotate': { expect: from('owner', 303) },
  'get /settings/keys/signing/rotate': { expect: from('owner') },
  'post /settings/keys/signing/rotate': { expect: from('owner', 303) },
  'get /settings/oauth-apps': { expect: from('viewer') },
  'get /settings/oauth-apps/new': { expect: from('admin') },
  'post /settings/oauth-apps/new': { expect: from('admin', 400) },
  'get /settings/oauth-apps/{id}/delete': { expect: from('admin', 404) },
  'post /settings/oauth-apps/{id}/delete': { expect: from('admin', 404) },
  'get /settings/members': { expect: from('viewer') },
  'get /settings/members/new': { expect: from('admin') },
  'post /settings/members/new': { expect: from('admin', 400) },
  'get /settings/members/{id}': { params: member, expect: from('admin') },
  'post /settings/members/{id}': { params: member, fields: () => ({ role: 'viewer' }), expect: from('admin', 303) },
  'post /settings/members/{id}/invite': { params: member, expect: from('owner') }, // has joined
  'get /settings/members/{id}/remove': { params: member, expect: from('admin') },
  'post /settings/members/{id}/remove': {
    params: ({ ownerId }) => ({ id: ownerId }),
    expect: from('owner', 303),
  },
  'post /account/sign-out-everywhere': { expect: from('viewer', 303) },
};
