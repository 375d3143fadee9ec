import { createWorkspace } from '../../../../commands/workspaces/create-workspace.ts';
import { deleteWorkspace } from '../../../../commands/workspaces/delete-workspace.ts';
import { renameWorkspace } from '../../../../commands/workspaces/rename-workspace.ts';
import { NAME_MAX_LENGTH, SLUG } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { actorOf } from '../../../../domain/principal.ts';
import type { Workspace } from '../../../../domain/workspace.ts';
import { countWorkspaceParts, listWorkspaces } from '../../../../store/workspaces.ts';
import { newWorkspace } from '../../../v1/workspaces/schema.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { type Field, type FormSpec, formPage, submitForm } from '../form.ts';
import { type Filter, listView, nextPageOf, pageOf, readFilter, timeCell } from '../list.ts';
import { type RecordSpec, recordForm, recordPage } from '../record-page.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { slugOf } from './slug-of.ts';
import { WORKSPACES, workspaceOf } from './workspace-of.ts';
import { workspaceParts } from './workspace-parts.ts';

const TEXT: Filter = { label: 'Text' };
const TAKEN = { DUPLICATE: { field: 'slug', problem: 'is taken by another workspace' } } as const;

/** Screens to manage workspaces. */
export const workspaceScreens: readonly Screen[] = [
  {
    ...{ path: WORKSPACES, role: 'viewer', navigation: 'Workspaces' },
    get: workspaceList,
  },
  {
    ...{ path: `${WORKSPACES}/new`, role: 'admin', navigation: 'Workspaces' },
    get: async () => formPage(NEW),
    post: async ({ gateway, member, principal, form }) =>
      submitForm(NEW, newWorkspace.partial({ slug: true }), form, async ({ name, slug = slugOf(name) }) => {
        const { id } = await createWorkspace(gateway, actorOf(principal), { orgId: member.orgId, name, slug });
        return { seeOther: `${WORKSPACES}/${id}`, done: `${name} is created.` };
      }),
  },
  {
    ...{ path: `${WORKSPACES}/{id}`, role: 'viewer', navigation: 'Workspaces' },
    get: async (visit) => recordPage(await describe(visit, await workspaceOf(visit))),
  },
  {
    ...{ path: `${WORKSPACES}/{id}/settings`, role: 'admin', navigation: 'Workspaces' },
    get: async (visit) => ({ seeOther: `${WORKSPACES}/${(await workspaceOf(visit)).id}` }),
    post: async (visit) => {
      const workspace = await workspaceOf(visit);
      const record = await describe(visit, workspace);
      return submitForm(recordForm(record, settingsOf(workspace)), newWorkspace, visit.form, async (changes) => {
        await renameWorkspace(visit.gateway, actorOf(visit.principal), { orgId: workspace.orgId, id: workspace.id, ...changes });
        return { seeOther: `${WORKSPACES}/${workspace.id}`, done: `${changes.name} is saved.` };
      });
    },
  },
  {
    ...{ path: `${WORKSPACES}/{id}/delete`, role: 'admin', navigation: 'Workspaces' },
    get: deletionPage,
    post: async (visit) => {
      const { id, name } = await workspaceOf(visit);
      await deleteWorkspace(visit.gateway, visit.principal, id);
      return { seeOther: WORKSPACES, done: `${name} is deleted.` };
    },
  },
];

async function workspaceList(visit: Visit): Promise<AppPage> {
  const { gateway, member, workspaceId, query } = visit;
  const page = pageOf(query);
  const filter = { orgId: member.orgId, text: readFilter(query, TEXT), ...(workspaceId && { ids: [workspaceId] }) };
  const { items, total } = await listWorkspaces(gateway.db, filter, page);
  const ids = items.map(({ id }) => id);
  const parts = await countWorkspaceParts(gateway.db, member.orgId, ids);
  const list = listView(visit, {
    ...{ name: 'Workspaces', plural: 'workspaces', about: 'A workspace keeps integrations, people and their accounts apart from others.' },
    columns: ['Name', 'Slug', 'Integrations', 'MCP servers', 'Created'],
    filters: [TEXT],
    rows: items.map(({ id, name, slug, createdAt }) => {
      const { integrations = 0, servers = 0 } = parts.get(id) ?? {};
      return [{ href: `${WORKSPACES}/${id}`, text: name }, slug, String(integrations), String(servers), timeCell(createdAt)];
    }),
    create: hasRole(member.role, 'admin') ? { href: `${WORKSPACES}/new`, label: 'New workspace' } : undefined,
    nextPage: nextPageOf(page, total),
  });
  return { title: 'Workspaces', template: 'layout/list-page', data: { title: 'Workspaces', list } };
}

async function describe(visit: Visit, workspace: Workspace): Promise<RecordSpec> {
  const { facts, parts } = await workspaceParts(visit, workspace);
  const mayManage = hasRole(visit.member.role, 'admin');
  return {
    ...{ title: workspace.name, facts, parts },
    acts: visit.workspaceId === workspace.id ? [] : [{ label: 'Show only this workspace', href: `?workspace=${workspace.id}` }],
    form: mayManage ? settingsOf(workspace) : undefined,
    ending: mayManage ? { label: 'Delete', href: `${WORKSPACES}/${workspace.id}/delete` } : undefined,
  };
}

async function deletionPage(visit: Visit): Promise<AppPage> {
  const { id, name } = await workspaceOf(visit);
  const consequences = await consequencesOf(visit, 'workspace', id);
  return confirmPage({ question: `Delete ${name}?`, consequences, button: 'Delete workspace', back: `${WORKSPACES}/${id}` });
}

function fields(workspace?: Workspace): Field[] {
  const hint = 'The short name of the workspace in URLs and code: a-z, 0-9 and -.';
  return [
    { name: 'name', label: 'Name', kind: 'text', maxLength: NAME_MAX_LENGTH, value: workspace?.name ?? '' },
    {
      ...{ name: 'slug', label: 'Slug', kind: 'text', maxLength: SLUG.maxLength, value: workspace?.slug ?? '' },
      ...{ isOptional: !workspace, hint: workspace ? hint : `${hint} Leave it empty to make it from the name.` },
    },
  ];
}

const NEW: FormSpec = { title: 'New workspace', fields: fields(), button: 'Create workspace', cancel: WORKSPACES, blames: TAKEN };

function settingsOf(workspace: Workspace): NonNullable<RecordSpec['form']> {
  const spec = { fields: fields(workspace), button: 'Save', blames: TAKEN };
  return { heading: 'Settings', action: `${WORKSPACES}/${workspace.id}/settings`, spec };
}
