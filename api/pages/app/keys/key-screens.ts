import { z } from 'zod';
import { deleteApiKey } from '../../../../commands/access/delete-api-key.ts';
import { grantApiKey } from '../../../../commands/access/grant-api-key.ts';
import type { ApiKey, KeyPermissions } from '../../../../domain/api-key.ts';
import { NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { findApiKey, listApiKeys } from '../../../../store/api-keys.ts';
import { listWorkspaces } from '../../../../store/workspaces.ts';
import { found } from '../../../route.ts';
import { name, uuid } from '../../../schemas.ts';
import { showTime } from '../../layout/show-time.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import { type Cell, listView, timeCell } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { secretPage } from '../secret-page.ts';

const BASE = '/keys';
/** As many as an API key can name. */
const MAX_WORKSPACES = 1000;

/** API keys of the organization: list, create, delete. */
export const keyScreens: readonly Screen[] = [
  {
    ...{ path: BASE, role: 'viewer', navigation: 'API keys' },
    get: async (visit) => {
      const { gateway, member } = visit;
      const [keys, workspaces] = [await listApiKeys(gateway.db, member.orgId), await workspaceNames(visit)];
      const mayManage = hasRole(member.role, 'admin');
      const list = listView(visit, {
        ...{ name: 'API keys', plural: 'API keys', about: 'Backends call the gateway with one.' },
        columns: ['Name', 'Workspaces', 'Decides', 'Expires', 'Last used', ...(mayManage ? ['Actions'] : [])],
        rows: keys.map((key) => rowOf(key, workspaces, mayManage)),
        create: mayManage ? { href: `${BASE}/new`, label: 'New API key' } : undefined,
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
        const request = { name, permissions, expiresAt: expires === undefined ? null : endOfDay(expires) };
        return createdPage(await grantApiKey(visit.gateway, visit.principal, request));
      }),
  },
  {
    ...{ path: `${BASE}/{id}/delete`, role: 'admin', navigation: 'API keys' },
    get: async (visit) => deletionPage(await getKey(visit)),
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
    .refine((day) => endOfDay(day) > new Date(), 'is over already')
    .optional(),
});

/** The end of a day in UTC: a key still works on the day that it is given. */
function endOfDay(day: string): Date {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000);
}

function permissionsOf(workspaceIds: string[], decide: boolean): KeyPermissions {
  const scope = workspaceIds.length > 0 ? { scope: 'workspace' as const, workspaceIds } : {};
  return { ...scope, ...(decide && { approvals: { decide } }) };
}

async function getKey({ gateway, member, params }: Visit): Promise<ApiKey> {
  const id = uuid.safeParse(params.id);
  return found(id.success ? await findApiKey(gateway.db, member.orgId, id.data) : undefined);
}

async function workspaceNames({ gateway, member }: Visit): Promise<Map<string, string>> {
  const { items } = await listWorkspaces(gateway.db, { orgId: member.orgId }, { limit: MAX_WORKSPACES, offset: 0 });
  return new Map(items.map(({ id, name }) => [id, name]));
}

function rowOf({ id, name, keyPrefix, permissions, expiresAt, lastUsedAt }: ApiKey, workspaces: Map<string, string>, mayManage: boolean) {
  const isExpired = expiresAt !== null && expiresAt <= new Date();
  const cells: Cell[] = [
    { text: name, hint: `${keyPrefix}…` },
    permissions.scope === 'workspace' ? namesOf(permissions.workspaceIds ?? [], workspaces) : 'All workspaces',
    permissions.approvals?.decide ? 'Yes' : 'No',
    isExpired ? { state: 'Expired', tone: 'bad' } : timeCell(expiresAt),
    timeCell(lastUsedAt),
  ];
  return mayManage ? [...cells, { buttons: [{ label: 'Delete', name: `Delete ${name}`, href: `${BASE}/${id}/delete` }] }] : cells;
}

/** Names of workspaces that exist; a deleted one has left the scope of the key. */
function namesOf(ids: readonly string[], workspaces: Map<string, string>): string {
  const names = ids.flatMap((id) => workspaces.get(id) ?? []);
  return names.length > 0 ? names.join(', ') : 'None';
}

function specOf(workspaces: Map<string, string>): FormSpec {
  return {
    title: 'New API key',
    fields: [
      { name: 'name', label: 'Name', kind: 'text', maxLength: NAME_MAX_LENGTH, hint: 'Who uses it, such as “Billing backend”.' },
      {
        ...{ name: 'workspaces', label: 'Workspaces', kind: 'checks', hint: 'With none chosen, the key reaches all workspaces.' },
        options: [...workspaces].map(([value, label]) => ({ value, label })),
      },
      {
        ...{ name: 'decide', label: 'May decide approvals', kind: 'check' },
        hint: 'Who holds the key can then let gated calls through. Give it to no agent.',
      },
      { name: 'expires', label: 'Expires', kind: 'date', isOptional: true, hint: 'Its last day, in UTC. Empty: it never expires.' },
    ],
    button: 'Create API key',
    cancel: BASE,
  };
}

function createdPage({ apiKey, plainKey }: { apiKey: ApiKey; plainKey: string }): AppPage {
  const secret = { about: `The key of ${apiKey.name} is shown this once. It is stored nowhere.`, label: 'API key', value: plainKey };
  return secretPage('New API key', secret, { href: BASE, label: 'Back to API keys' });
}

function deletionPage({ name, lastUsedAt }: ApiKey): AppPage {
  const use = lastUsedAt ? `It was last used on ${showTime(lastUsedAt).words}.` : 'It was never used.';
  const question = `Delete ${name}?`;
  const consequences = [`Requests with this key are refused at once. ${use}`, 'Approvals and records of its calls stay.'];
  return {
    title: question,
    template: 'layout/confirm',
    data: { question, consequences, button: 'Delete API key', keep: 'Keep it', back: BASE },
  };
}
