import { createEndUser } from '../../../../commands/end-users/create-end-user.ts';
import { deleteEndUser } from '../../../../commands/end-users/delete-end-user.ts';
import { updateEndUser } from '../../../../commands/end-users/update-end-user.ts';
import type { EndUser } from '../../../../domain/end-user.ts';
import { EMAIL_MAX_LENGTH, NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { hasRole } from '../../../../domain/member.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listEndUsers } from '../../../../store/end-users.ts';
import { newEndUser } from '../../../v1/end-users/schema.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { type Field, type FormSpec, formPage, submitForm } from '../form.ts';
import { type Filter, listView, nextPageOf, pageOf, readFilter, timeCell } from '../list.ts';
import { type RecordSpec, recordForm, recordPage } from '../record-page.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { namesOfWorkspaces, workspaceNames } from '../workspace-names.ts';
import { PEOPLE, personOf } from './person-of.ts';
import { describePerson } from './person-page.ts';

const TEXT: Filter = { label: 'Text' };
const newPerson = newEndUser.omit({ metadata: true });
const personChanges = newPerson.pick({ displayName: true, email: true });

/** Screens to manage people (end users in the API). */
export const peopleScreens: readonly Screen[] = [
  {
    ...{ path: PEOPLE, role: 'viewer', navigation: 'People' },
    get: peopleList,
  },
  {
    ...{ path: `${PEOPLE}/new`, role: 'admin', navigation: 'People' },
    get: async (visit) => formPage(await newSpec(visit)),
    post: async (visit) =>
      submitForm(await newSpec(visit), newPerson, visit.form, async ({ displayName = null, email = null, ...fields }) => {
        const { gateway, principal } = visit;
        const { id } = await createEndUser(gateway, principal, { ...fields, displayName, email, metadata: {} });
        return { seeOther: `${PEOPLE}/${id}`, done: `${displayName ?? fields.externalId} is created.` };
      }),
  },
  {
    ...{ path: `${PEOPLE}/{id}`, role: 'viewer', navigation: 'People' },
    get: async (visit) => {
      const person = await personOf(visit);
      return recordPage({
        ...(await describePerson(visit, person)),
        form: hasRole(visit.member.role, 'admin') ? settingsOf(person) : undefined,
      });
    },
  },
  {
    ...{ path: `${PEOPLE}/{id}/settings`, role: 'admin', navigation: 'People' },
    get: async (visit) => ({ seeOther: `${PEOPLE}/${(await personOf(visit)).id}` }),
    post: async (visit) => {
      const person = await personOf(visit);
      const spec = recordForm(await describePerson(visit, person), settingsOf(person));
      return submitForm(spec, personChanges, visit.form, async ({ displayName = null, email = null }) => {
        await updateEndUser(visit.gateway, actorOf(visit.principal), person, { displayName, email });
        return { seeOther: `${PEOPLE}/${person.id}`, done: `${displayName ?? person.externalId} is saved.` };
      });
    },
  },
  {
    ...{ path: `${PEOPLE}/{id}/delete`, role: 'admin', navigation: 'People' },
    get: deletionPage,
    post: async (visit) => {
      const person = await personOf(visit);
      await deleteEndUser(visit.gateway, actorOf(visit.principal), person);
      return { seeOther: PEOPLE, done: `${person.displayName ?? person.externalId} is deleted.` };
    },
  },
];

async function peopleList(visit: Visit): Promise<AppPage> {
  const { gateway, member, workspaceId, query } = visit;
  const page = pageOf(query);
  const { items, total } = await listEndUsers(gateway.db, { orgId: member.orgId, workspaceId, text: readFilter(query, TEXT) }, page);
  const places = items.map((person) => person.workspaceId);
  const workspaces = await namesOfWorkspaces(visit, places);
  const list = listView(visit, {
    ...{
      name: 'People',
      plural: 'people',
      about: 'Agents act for people, with their accounts. A person who signs in through an MCP client is added automatically.',
    },
    columns: ['Name', 'External id', 'Workspace', 'E-mail', 'Accounts', 'Created'],
    filters: [TEXT],
    rows: items.map((person) => [
      { href: `${PEOPLE}/${person.id}`, text: person.displayName ?? person.externalId },
      person.externalId,
      workspaces.get(person.workspaceId) ?? '–',
      person.email ?? '–',
      String(person.connectionCount),
      timeCell(person.createdAt),
    ]),
    create: hasRole(member.role, 'admin') ? { href: `${PEOPLE}/new`, label: 'New person' } : undefined,
    nextPage: nextPageOf(page, total),
  });
  return { title: 'People', template: 'layout/list-page', data: { title: 'People', list } };
}

async function deletionPage(visit: Visit): Promise<AppPage> {
  const { id, displayName, externalId } = await personOf(visit);
  const consequences = await consequencesOf(visit, 'endUser', id);
  const question = `Delete ${displayName ?? externalId}?`;
  return confirmPage({ question, consequences, button: 'Delete person', back: `${PEOPLE}/${id}` });
}

function fields(person?: Pick<EndUser, 'displayName' | 'email'>): Field[] {
  const optional = { isOptional: true } as const;
  return [
    { name: 'displayName', label: 'Display name', kind: 'text', maxLength: NAME_MAX_LENGTH, value: person?.displayName ?? '', ...optional },
    {
      ...{ name: 'email', label: 'E-mail', kind: 'email', maxLength: EMAIL_MAX_LENGTH, value: person?.email ?? '', autocomplete: 'off' },
      ...{ hint: 'If somebody signs in through an MCP client with this address, they are this person.', ...optional },
    },
  ];
}

async function newSpec(visit: Visit): Promise<FormSpec> {
  const options = [...(await workspaceNames(visit))].map(([value, label]) => ({ value, label }));
  return {
    title: 'New person',
    fields: [
      { name: 'workspaceId', label: 'Workspace', kind: 'select', options, value: visit.workspaceId ?? '' },
      {
        ...{ name: 'externalId', label: 'External id', kind: 'text', maxLength: NAME_MAX_LENGTH },
        hint: 'The id of the person in your own system. You can’t change the id later.',
      },
      ...fields(),
    ],
    button: 'Create person',
    cancel: PEOPLE,
    blames: {
      DUPLICATE: { field: 'externalId', problem: 'is taken in this workspace' },
      NOT_FOUND: { field: 'workspaceId', problem: 'is not one of your workspaces' },
    },
  };
}

function settingsOf(person: EndUser): NonNullable<RecordSpec['form']> {
  return { heading: 'Settings', action: `${PEOPLE}/${person.id}/settings`, spec: { fields: fields(person), button: 'Save' } };
}
