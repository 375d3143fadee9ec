import { z } from 'zod';
import { type AddedMember, addMember } from '../../../../commands/members/add-member.ts';
import { inviteMember } from '../../../../commands/members/invite-member.ts';
import { removeMember } from '../../../../commands/members/remove-member.ts';
import type { InvitedMember } from '../../../../commands/members/send-invitation.ts';
import { updateMember } from '../../../../commands/members/update-member.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { EMAIL_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { type Member, manageableRoles, ROLE_NAMES, type SignedInMember } from '../../../../domain/member.ts';
import { nameOfPerson, type UserPerson } from '../../../../domain/person.ts';
import type { OrgRole } from '../../../../domain/policies/policy.ts';
import { findListedMember, listMembers } from '../../../../store/memberships.ts';
import { found } from '../../../route.ts';
import { name, uuid } from '../../../schemas.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { type Field, type FormSpec, formPage, formView, submitForm } from '../form.ts';
import { type Cell, listView, type RowButton, timeCell } from '../list.ts';
import { askForRecentSignIn } from '../recent-sign-in.ts';
import type { AppPage, Done, Screen, Visit } from '../screen.ts';
import { secretPage } from '../secret-page.ts';

const BASE = '/settings/members';

/** Screens that list, invite, change and remove members of the organization. */
export const memberScreens: readonly Screen[] = [
  {
    ...{ path: BASE, role: 'viewer', navigation: 'Settings', settings: 'Members' },
    get: async (visit) => {
      const members = await listMembers(visit.gateway.db, visit.member.orgId);
      const roles = manageableRoles(visit.member.role);
      const mayManage = roles.length > 0;
      const list = listView(visit, {
        ...{ name: 'Members', plural: 'members', about: 'Members sign in to this dashboard.' },
        columns: ['Name', 'Role', 'Joined', ...(mayManage ? ['Actions'] : [])],
        rows: members.map((member) => rowOf(member, visit.member, mayManage, roles.includes(member.role))),
        create: mayManage ? { href: `${BASE}#invite`, label: 'Invite a member' } : undefined,
      });
      const invite = mayManage ? formView({ ...inviteSpec(visit.member), cancel: undefined }) : undefined;
      return { title: 'Settings', template: 'settings/members', data: { list, invite, base: BASE } };
    },
  },
  {
    ...{ path: `${BASE}/new`, role: 'admin', navigation: 'Settings' },
    get: async (visit) => formPage(inviteSpec(visit.member)),
    post: async (visit) => {
      const schema = z.strictObject({ email: z.email().max(EMAIL_MAX_LENGTH), role: z.enum(manageableRoles(visit.member.role)) });
      return submitForm(inviteSpec(visit.member), schema, visit.form, async ({ email, role }) => {
        const ask = role === 'owner' ? askForRecentSignIn(visit, visit.form) : undefined;
        return (
          ask ?? afterAdding(await addMember(visit.gateway, visit.principal, { email, role, name: null }, visit.member.role === 'owner'))
        );
      });
    },
  },
  {
    ...{ path: `${BASE}/{id}`, role: 'admin', navigation: 'Settings' },
    get: async (visit) => formPage(changeSpec(visit.member, await getMember(visit))),
    post: async (visit) => {
      const member = await getMember(visit);
      const schema = z.strictObject({ name: name.optional(), role: z.enum(manageableRoles(visit.member.role)) });
      return submitForm(changeSpec(visit.member, member), schema, visit.form, async (changes) => {
        const ask = member.role === 'owner' || changes.role === 'owner' ? askForRecentSignIn(visit, visit.form) : undefined;
        if (ask) return ask;
        await updateMember(visit.gateway, visit.principal, member.id, changes, assertMay(visit.member));
        return { seeOther: BASE, done: `${nameOfPerson(member)} is saved.` };
      });
    },
  },
  {
    ...{ path: `${BASE}/{id}/invite`, role: 'admin', navigation: 'Settings' },
    post: async (visit) => {
      const member = await getMember(visit);
      if (!mayInvite(visit.member, member)) throw new GatewayError('SCOPE_DENIED', 'This needs the role Owner.');
      const isForOwners = member.role === 'owner' || member.joinedAt !== null;
      const ask = isForOwners ? askForRecentSignIn(visit, visit.form) : undefined;
      return ask ?? linkPage(await inviteMember(visit.gateway, visit.principal, member.id, assertMay(visit.member)));
    },
  },
  {
    ...{ path: `${BASE}/{id}/remove`, role: 'admin', navigation: 'Settings' },
    get: async (visit) => removalPage(visit, await getMember(visit)),
    post: async (visit) => {
      const member = await getMember(visit);
      const ask = member.role === 'owner' ? askForRecentSignIn(visit, visit.form) : undefined;
      if (ask) return ask;
      try {
        await removeMember(visit.gateway, visit.principal, member.id, assertMay(visit.member));
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'LAST_OWNER') return await removalPage(visit, member, error.message);
        throw error;
      }
      return { seeOther: BASE, done: `${nameOfPerson(member)} is removed.` };
    },
  },
];

async function getMember({ gateway, member, params }: Visit): Promise<Member> {
  const id = uuid.safeParse(params.id);
  const other = found(id.success ? await findListedMember(gateway.db, member.orgId, id.data) : undefined);
  assertMay(member)(other);
  return other;
}

/**
 * Returns a check of the member's role. Commands repeat it in their transaction, because the role
 * can change meanwhile.
 */
function assertMay(by: SignedInMember): (member: UserPerson) => void {
  return ({ role }) => {
    if (!manageableRoles(by.role).includes(role)) throw new GatewayError('SCOPE_DENIED', 'This needs the role Owner.');
  };
}

/**
 * Whether `by` may create a sign-in link for a member. After the first sign-in only owners may:
 * with the link, an admin could decide in the member's name.
 */
function mayInvite(by: SignedInMember, { hasSignedIn }: Member): boolean {
  return !hasSignedIn || by.role === 'owner';
}

function rowOf(member: Member, viewer: SignedInMember, mayManage: boolean, mayChange: boolean): Cell[] {
  const shown = nameOfPerson(member);
  const named = member.id === viewer.id ? `${shown} (you)` : shown;
  const state: Cell = member.joinedAt ? timeCell(member.joinedAt) : { state: 'Invited', tone: 'waiting' };
  const path = `${BASE}/${member.id}`;
  const text = { text: named, hint: member.displayName === null ? '' : member.email };
  const label = member.joinedAt ? 'New sign-in link' : 'Invite again';
  const first: Cell = mayChange ? { href: path, ...text } : text;
  const buttons: RowButton[] = [
    ...(mayInvite(viewer, member) && member.id !== viewer.id ? [{ label, name: `${label}: ${shown}`, action: `${path}/invite` }] : []),
    { label: 'Remove', about: shown, href: `${path}/remove` },
  ];
  return [first, ROLE_NAMES[member.role], state, ...(mayManage ? [mayChange ? { buttons } : '–'] : [])];
}

const ROLES_HINT =
  'Viewers read. Reviewers also decide approvals, if the policy permits it. Admins also configure everything. Owners also manage owners.';

function roleField(by: SignedInMember, value: OrgRole): Field {
  const options = manageableRoles(by.role).map((role) => ({ value: role, label: ROLE_NAMES[role] }));
  return { name: 'role', label: 'Role', kind: 'select', options, value, hint: ROLES_HINT };
}

function inviteSpec(by: SignedInMember): FormSpec {
  return {
    title: 'Invite a member',
    fields: [{ name: 'email', label: 'E-mail', kind: 'email', maxLength: EMAIL_MAX_LENGTH, autocomplete: 'off' }, roleField(by, 'member')],
    button: 'Invite a member',
    cancel: BASE,
  };
}

function changeSpec(by: SignedInMember, member: Member): FormSpec {
  return {
    title: nameOfPerson(member),
    intro: 'A lower role signs this member out.',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', isOptional: true, maxLength: NAME_MAX_LENGTH, value: member.displayName ?? '' },
      roleField(by, member.role),
    ],
    button: 'Save',
    cancel: BASE,
    blames: { LAST_OWNER: { field: 'role', problem: 'must stay: this is the last owner. Make somebody else an owner first' } },
  };
}

function afterAdding({ member, signInLink, emailSent }: AddedMember): AppPage | Done {
  if (signInLink !== null) return linkPage({ member, signInLink, emailSent });
  const shown = nameOfPerson(member);
  const done = emailSent
    ? `${shown} is invited: we mailed the sign-in link to ${member.email}.`
    : `${shown} is a member, but has signed in before, so an owner must create the sign-in link.`;
  return { seeOther: BASE, done };
}

function linkPage({ member, signInLink, emailSent }: InvitedMember): AppPage {
  const sent = emailSent ? `We mailed the link to ${member.email}.` : 'The link was not mailed. Give it to this member yourself.';
  const secret = {
    about: `With this link ${nameOfPerson(member)} can sign in once, within 7 days. ${sent}`,
    label: 'Sign-in link',
    value: signInLink,
  };
  return secretPage('Invite a member', secret, { href: BASE, label: 'Back to members' }, 'The link is created.');
}

async function removalPage(visit: Visit, member: Member, problem?: string): Promise<AppPage> {
  const shown = nameOfPerson(member);
  const consequences = [
    `${shown} is signed out and can no longer decide. Links that were sent to them stop working.`,
    ...(await consequencesOf(visit, 'member', member.id)),
    'Their decisions stay. You can invite them again.',
  ];
  return confirmPage({ question: `Remove ${shown}?`, consequences, problem, button: 'Remove member', back: BASE });
}
