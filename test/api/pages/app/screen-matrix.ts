import type { OrgRole } from '../../../../domain/policies/policy.ts';

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
  /** It waits. */
  approvalId: string;
}

/** The same answer for a role and all above it; 403 for those below. */
function from(least: OrgRole, status = 200): Expected {
  const roles = ['viewer', 'member', 'admin', 'owner'] as const;
  return Object.fromEntries(roles.map((role, index) => [role, index >= roles.indexOf(least) ? status : 403])) as Expected;
}

const key = ({ keyId }: ScreenIds) => ({ id: keyId });
const member = ({ memberId }: ScreenIds) => ({ id: memberId });

const approval = ({ approvalId }: ScreenIds) => ({ id: approvalId });

/** Every act of every screen, as `get /path` or `post /path`. A missing row fails the test. */
export const SCREEN_MATRIX: Record<string, ScreenRow> = {
  'get /': { expect: from('viewer') },
  'get /approvals': { expect: from('viewer') },
  'get /approvals/decide': { expect: from('member', 400) },
  'post /approvals/decide': { expect: from('member', 400) },
  'get /approvals/{id}': { params: approval, expect: from('viewer') },
  'post /approvals/{id}/decide': { params: approval, expect: from('member', 400) },
  'get /approvals/{id}/receipt': { params: approval, expect: from('viewer', 404) },
  'post /approvals/{id}/deliveries/{deliveryId}/send': { params: approval, expect: from('member', 404) },
  'get /account': { expect: from('viewer') },
  'post /account': { expect: from('viewer', 400) },
  'get /keys': { expect: from('viewer') },
  'get /keys/new': { expect: from('admin') },
  'post /keys/new': { expect: from('admin', 400) },
  'get /keys/{id}/delete': { params: key, expect: from('admin') },
  'post /keys/{id}/delete': { expect: from('admin', 404) },
  'get /settings/members': { expect: from('viewer') },
  'get /settings/members/new': { expect: from('admin') },
  'post /settings/members/new': { expect: from('admin', 400) },
  'get /settings/members/{id}': { params: member, expect: from('admin') },
  'post /settings/members/{id}': { params: member, fields: () => ({ role: 'viewer' }), expect: from('admin', 303) },
  'post /settings/members/{id}/invite': { params: member, expect: from('admin') },
  'get /settings/members/{id}/remove': { params: member, expect: from('admin') },
  'post /settings/members/{id}/remove': {
    params: ({ ownerId }) => ({ id: ownerId }),
    expect: from('owner', 303),
  },
  'post /account/sign-out-everywhere': { expect: from('viewer', 303) },
};
