import { z } from 'zod';
import { addMember } from '../../../commands/members/add-member.ts';
import { inviteMember } from '../../../commands/members/invite-member.ts';
import { memberRights } from '../../../commands/members/member-rights.ts';
import { removeMember } from '../../../commands/members/remove-member.ts';
import { updateMember } from '../../../commands/members/update-member.ts';
import { listMembers } from '../../../store/memberships.ts';
import { type Route, route } from '../../route.ts';
import { deleted, emptyBody, idParams } from '../../schemas.ts';
import { presentMember } from './present.ts';
import { member, memberChanges, newMember, signInLink } from './schema.ts';

const all = { tag: 'Members', path: '/api/v1/members' } as const;
const one = { tag: 'Members', path: '/api/v1/members/{id}', params: idParams } as const;

const DENIED = ['SCOPE_DENIED', 'APPROVAL_DECISION_SCOPE_REQUIRED'] as const;

const LINK_OF_ADDED =
  'signs the member in once, within 7 days; shown only in this answer. Null if an admin created the key and the person has signed in before. Then an owner, or a key that an owner created, must invite the person again';

/** Members of the organization, who sign in to the dashboard (contract decisions 7, Members). */
export const memberRoutes: Route[] = [
  route({
    ...all,
    method: 'get',
    isCompressible: true,
    summary: 'List the members of the organization',
    answers: { 200: z.object({ members: z.array(member), total: z.int() }) },
    errors: DENIED,
    handle: async ({ gateway, principal }) => {
      (await memberRights(gateway, principal)).assertMay();
      const members = await listMembers(gateway.db, principal.orgId);
      return { members: members.map(presentMember), total: members.length };
    },
  }),
  route({
    ...all,
    method: 'post',
    summary: 'Add a member; the sign-in link is shown only once',
    description: 'If this installation sends e-mail, the member also gets the link by e-mail.',
    body: newMember,
    answers: { 201: z.object({ member, signInLink: signInLink.nullable().describe(LINK_OF_ADDED) }) },
    errors: [...DENIED, 'DUPLICATE'],
    handle: async ({ gateway, principal, body }) => {
      const { assertMay, managesOwners } = await memberRights(gateway, principal);
      assertMay(body);
      const added = await addMember(gateway, principal, body, managesOwners);
      return { member: presentMember(added.member), signInLink: added.signInLink };
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change the role or the name of a member',
    description: 'A lower role ends the sessions of the member. The role of the last owner cannot be changed.',
    body: memberChanges,
    answers: { 200: z.object({ member }) },
    errors: [...DENIED, 'NOT_FOUND', 'LAST_OWNER'],
    handle: async ({ gateway, principal, params, body }) => {
      const { assertMay } = await memberRights(gateway, principal);
      const given = body.role === undefined ? [] : [{ role: body.role }];
      const changed = await updateMember(gateway, principal, params.id, body, ({ role }) => assertMay({ role }, ...given));
      return { member: presentMember(changed) };
    },
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Remove a member; their sessions end immediately',
    description: 'Their decisions stay valid. The last owner cannot be removed.',
    answers: { 200: deleted },
    errors: [...DENIED, 'NOT_FOUND', 'LAST_OWNER'],
    handle: async ({ gateway, principal, params: { id } }) => {
      const { assertMay } = await memberRights(gateway, principal);
      await removeMember(gateway, principal, id, ({ role }) => assertMay({ role }));
      return { deleted: true, id };
    },
  }),
  route({
    ...one,
    path: `${one.path}/invite`,
    method: 'post',
    summary: 'Invite a member again; earlier sign-in links become invalid',
    body: emptyBody,
    answers: { 200: z.object({ member, signInLink, emailSent: z.boolean().describe('whether the mail server accepted the mail') }) },
    errors: [...DENIED, 'NOT_FOUND'],
    handle: async ({ gateway, principal, params }) => {
      const { assertMay } = await memberRights(gateway, principal);
      const invited = await inviteMember(gateway, principal, params.id, assertMay);
      return { ...invited, member: presentMember(invited.member) };
    },
  }),
];
