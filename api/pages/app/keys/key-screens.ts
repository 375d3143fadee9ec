import { z } from 'zod';
import { deleteApiKey } from '../../../../commands/access/delete-api-key.ts';
import { grantApiKey } from '../../../../commands/access/grant-api-key.ts';
import type { ApiKey, KeyPermissions } from '../../../../domain/api-key.ts';
import { NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findApiKey, listApiKeys } from '../../../../store/api-keys.ts';
import { found } from '../../../route.ts';
import { name, uuid } from '../../../schemas.ts';
import { showTime } from '../../layout/show-time.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { endOfDay } from '../days.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import { type Cell, type Filter, listView, readFilter, timeCell } from '../list.ts';
import { askForRecentSignIn } from '../recent-sign-in.ts';
import { recordPage } from '../record-page.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { secretPage } from '../secret-page.ts';
import { namesOfWorkspaces, workspaceNames } from '../workspace-names.ts';

const BASE = '/keys';
const NAME: Filter = { label: 'Name' };

/** Screens that list, create, show and delete the API keys of the organization. */
export const keyScreens: readonly Screen[] = [
  {
    ...{ path: BASE, role: 'viewer', navigation: 'API keys' },
    get: async (visit) => {
      const { gateway, member } = visit;
      const keys = await listApiKeys(gateway.db, member.orgId);
      const mayManage = hasRole(member.role, 'admin');
      const wanted = readFilter(visit.query, NAME).toLowerCase();
      const shown = keys.filter(({ name }) => name.toLowerCase().includes(wanted));
      const workspaces = await namesOfWorkspaces(visit, shown.flatMap(workspacesOf));
      const list = listView(visit, {
        ...{ name: 'API keys', plural: 'keys', about: 'Backends need a key to call the gateway.' },
        columns: ['Name', ...FACTS, ...(mayManage ? ['Actions'] : [])],
        filters: [NAME],
        rows: shown.map((key) => rowOf(key, workspaces, mayManage)),
        create: mayManage ? { href: `${BASE}/new`, label: 'New key' } : undefined,
      });
      return { title: 'API keys', template: 'layout/list-page', data: { title: 'API keys', list } };
    },
  },
  {
    ...{ path: `${BASE}/new`, role: 'admin', navigation: 'API keys' },
    get: async (visit) => formPage(specOf(await workspaceNames(visit))),
    post: async (visit) =>
      submitForm(specOf(await workspaceNames(visit)), newKey, visit.form, async ({ name, workspaces, decide, expires }) => {
        const permissions = permissionsOf(workspaces, decide);
        const isOwner = visit.member.role === 'owner';
        const ask = isOwner && managesMembers(permissions) ? askForRecentSignIn(visit, visit.form) : undefined;
        if (ask) return ask;
        const expiresAt = expires === undefined ? null : endOfDay(expires);
        const request = { name, permissions, expiresAt, managesOwners: isOwner };
        return createdPage(await grantApiKey(visit.gateway, visit.principal, request));
      }),
  },
  {
    ...{ path: `${BASE}/{id}`, role: 'viewer', navigation: 'API keys' },
    get: async (visit) => keyPage(visit, await getKey(visit)),
  },
  {
    ...{ path: `${BASE}/{id}/delete`, role: 'admin', navigation: 'API keys' },
    get: deletionPage,
    post: async (visit) => {
      const key = await getKey(visit);
      await deleteApiKey(visit.gateway, visit.principal, key.id);
      return { seeOther: BASE, done: `${key.name} is deleted.` };
    },
  },
];

const newKey = z.strictObject({
  name,
  workspaces: z.array(uuid),
  decide: z.boolean(),
  expires: z.iso
    .date()
    .refine((day) => endOfDay(day) > new Date(), 'is in the past')
    .optional(),
});

function permissionsOf(workspaceIds: string[], decide: boolean): KeyPermissions {
  const scope = workspaceIds.length > 0 ? { scope: 'workspace' as const, workspaceIds } : {};
  return { ...scope, ...(decide && { approvals: { decide } }) };
}

/** Whether a key may manage members. A key that an owner creates may then also manage owners. */
function managesMembers({ scope, approvals }: KeyPermissions): boolean {
  return scope !== 'workspace' && approvals?.decide === true;
}

async function getKey({ gateway, member, params }: Visit): Promise<ApiKey> {
  const id = uuid.safeParse(params.id);
  return found(id.success ? await findApiKey(gateway.db, member.orgId, id.data) : undefined);
}

const FACTS = ['Workspaces', 'Decides', 'Expires', 'Last used'] as const;

function factsOf(key: ApiKey, workspaces: Map<string, string>): Cell[] {
  const { permissions, expiresAt, lastUsedAt } = key;
  const isExpired = expiresAt !== null && expiresAt <= new Date();
  return [
    permissions.scope === 'workspace' ? namesOf(workspacesOf(key), workspaces) : 'All workspaces',
    permissions.approvals?.decide ? 'Yes' : 'No',
    isExpired ? { state: 'Expired', tone: 'bad' } : timeCell(expiresAt),
    timeCell(lastUsedAt),
  ];
}

function rowOf(key: ApiKey, workspaces: Map<string, string>, mayManage: boolean): Cell[] {
  const { id, name, keyPrefix } = key;
  const cells: Cell[] = [{ href: `${BASE}/${id}`, text: name, hint: `${keyPrefix}…` }, ...factsOf(key, workspaces)];
  return mayManage ? [...cells, { buttons: [{ label: 'Delete', about: name, href: `${BASE}/${id}/delete` }] }] : cells;
}

async function keyPage(visit: Visit, key: ApiKey): Promise<AppPage> {
  const cells = factsOf(key, await namesOfWorkspaces(visit, workspacesOf(key)));
  return recordPage({
    title: key.name,
    facts: [
      { name: 'Begins with', cell: key.keyPrefix },
      ...FACTS.map((name, index) => ({ name, cell: cells[index]! })),
      { name: 'Created', cell: timeCell(key.createdAt) },
    ],
    ending: hasRole(visit.member.role, 'admin') ? { label: 'Delete', href: `${BASE}/${key.id}/delete` } : undefined,
  });
}

function workspacesOf({ permissions }: ApiKey): readonly string[] {
  return permissions.workspaceIds ?? [];
}

/** Deleted workspaces are no longer in the scope of the key. */
function namesOf(ids: readonly string[], workspaces: Map<string, string>): string {
  const names = ids.flatMap((id) => workspaces.get(id) ?? []);
  return names.length > 0 ? names.join(', ') : 'None';
}

function specOf(workspaces: Map<string, string>): FormSpec {
  return {
    title: 'New key',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', maxLength: NAME_MAX_LENGTH, hint: 'Who uses the key, such as "Billing backend".' },
      {
        ...{ name: 'workspaces', label: 'Workspaces', kind: 'checks', hint: 'With none chosen, the key reaches all workspaces.' },
        options: [...workspaces].map(([value, label]) => ({ value, label })),
      },
      {
        ...{ name: 'decide', label: 'May decide approvals', kind: 'check' },
        hint: 'The holder of such a key can approve gated calls. If the key is for all workspaces, the holder can also manage members. Never give such a key to an agent.',
      },
      {
        name: 'expires',
        label: 'Expires',
        kind: 'date',
        isOptional: true,
        hint: 'The last day of the key, in UTC. Empty: the key never expires.',
      },
    ],
    button: 'Create key',
    cancel: BASE,
  };
}

function createdPage({ apiKey, plainKey }: { apiKey: ApiKey; plainKey: string }): AppPage {
  const secret = { about: `You see the key of ${apiKey.name} only now. We don’t store it.`, label: 'API key', value: plainKey };
  return secretPage('New key', secret, { href: BASE, label: 'Back to API keys' }, `${apiKey.name} is created.`);
}

async function deletionPage(visit: Visit): Promise<AppPage> {
  const { id, name, lastUsedAt } = await getKey(visit);
  const use = lastUsedAt ? `The key was last used on ${showTime(lastUsedAt).words}.` : 'The key was never used.';
  const consequences = [use, ...(await consequencesOf(visit, 'apiKey', id))];
  return confirmPage({ question: `Delete ${name}?`, consequences, button: 'Delete key', back: `${BASE}/${id}` });
}
