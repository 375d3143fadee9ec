import { z } from 'zod';
import { renameOrg } from '../../../../commands/access/rename-org.ts';
import { NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findListedOrg } from '../../../../store/orgs.ts';
import { found } from '../../../route.ts';
import { name } from '../../../schemas.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import { timeCell } from '../list.ts';
import { forbiddenPage } from '../problem-pages.ts';
import { askForRecentSignIn } from '../recent-sign-in.ts';
import type { Screen, Visit } from '../screen.ts';

const PATH = '/settings/organization';

/** `/app/settings` and the page of the organization. */
export const organizationScreens: readonly Screen[] = [
  {
    ...{ path: PATH, role: 'viewer', navigation: 'Settings', settings: 'Organization' },
    get: async (visit) => formPage(await specOf(visit)),
    post: async (visit) => {
      if (!hasRole(visit.member.role, 'owner')) return forbiddenPage('owner');
      const ask = askForRecentSignIn(visit, visit.form);
      if (ask) return ask;
      return submitForm(await specOf(visit), z.strictObject({ name }), visit.form, async (fields) => {
        await renameOrg(visit.gateway, visit.principal, fields.name);
        return { seeOther: PATH, done: 'The organization is saved.' };
      });
    },
  },
  { ...{ path: '/settings', role: 'viewer', navigation: 'Settings' }, get: async () => ({ seeOther: PATH }) },
];

async function specOf({ gateway, member }: Visit): Promise<FormSpec> {
  const org = found(await findListedOrg(gateway.db, member.orgId));
  return {
    title: 'Settings',
    fields: [
      {
        name: 'name',
        label: 'Name',
        kind: 'text',
        maxLength: NAME_MAX_LENGTH,
        value: org.name,
        hint: 'Approval pages and mails show this name.',
      },
    ],
    button: 'Save',
    template: 'settings/organization',
    data: { org: { ...org, created: timeCell(org.createdAt) }, mayChange: hasRole(member.role, 'owner') },
  };
}
