import { listOwnIntegrations } from '../../../../commands/integrations/get-own-integration.ts';
import type { CountedEndUser } from '../../../../domain/end-user.ts';
import { enablesAction, type WorkspaceIntegration } from '../../../../domain/workspace-integration.ts';
import type { CatalogAction } from '../../../../integrations/catalog.ts';
import { findEndUser, listEndUsers } from '../../../../store/end-users.ts';
import { uuid } from '../../../schemas.ts';
import type { Visit } from '../screen.ts';
import { workspaceNames } from '../workspace-names.ts';

interface Choosable {
  value: string;
  label: string;
}

/** The parts of the action that the URL already selects, and the choices for the next part. */
export interface ActionChoice {
  workspaceId: string | undefined;
  integrationName: string | undefined;
  displayName: string | undefined;
  /** Undefined unless the workspace has the integration several times. */
  alias: string | undefined;
  /** The alias of the integration in the workspace, or else the name of the integration. */
  calledAs: string;
  action: CatalogAction | undefined;
  /** The id of a listed person, or a typed external id. */
  person: string;
  /** The external id. */
  endUserId: string | undefined;
  workspaces: Choosable[];
  integrations: Choosable[];
  aliases: Choosable[];
  actions: Choosable[];
  /** Undefined if there are too many people to list: the member then types an external id. */
  people: Choosable[] | undefined;
}

const MAX_PEOPLE = 200;

/** Reads the choice from the URL. Ignores names that do not exist or do not belong together. */
export async function readChoice(visit: Visit): Promise<ActionChoice> {
  const { gateway, member, query } = visit;
  const { orgId } = member;
  const [names, hidden, own] = await Promise.all([
    workspaceNames(visit),
    gateway.catalog.hiddenFor(orgId),
    listOwnIntegrations(gateway, orgId),
  ]);
  const workspaceId = visit.workspaceId ?? (names.size === 1 ? names.keys().next().value : undefined);
  const [configured, found] = await Promise.all([
    workspaceId === undefined ? [] : gateway.setups.of({ orgId, workspaceId }).then(({ instances }) => instances),
    findPeople(visit, workspaceId),
  ]);
  const entries = [...gateway.catalog.builtIn.list().filter(({ name }) => !hidden.has(name)), ...own.map(({ entry }) => entry)];
  const integrations = entries.map(({ name, displayName }) => ({ value: name, label: labelOf(name, displayName, configured) }));
  const asked = query.get('integration') ?? '';
  const integration = entries.some(({ name }) => name === asked) ? await gateway.catalog.find(orgId, asked) : undefined;
  const instances = configured.filter(({ integrationName }) => integrationName === integration?.name);
  const instance = instances.length > 1 ? instances.find(({ alias }) => alias === query.get('alias')) : instances[0];
  const isChosen = instances.length < 2 || instance !== undefined;
  const offered = [...((isChosen && integration?.actions.values()) || [])].filter(({ name }) => !instance || enablesAction(instance, name));
  return {
    ...{ workspaceId, integrationName: integration?.name, displayName: integration?.displayName, ...found },
    alias: instances.length > 1 ? instance?.alias : undefined,
    calledAs: instance?.alias ?? integration?.name ?? '',
    action: offered.find(({ name }) => name === query.get('action')),
    workspaces: [...names].map(([value, label]) => ({ value, label })),
    integrations: [...integrations].sort((one, other) => rank(one, configured) - rank(other, configured)),
    aliases: instances.length > 1 ? instances.map(({ alias }) => ({ value: alias, label: alias })) : [],
    actions: offered.map(({ name, displayName }) => ({ value: name, label: displayName })),
  };
}

/** Puts integrations of the workspace first. `sort` is stable, so the order stays otherwise. */
function rank({ value }: Choosable, configured: readonly WorkspaceIntegration[]): number {
  return configured.some(({ integrationName }) => integrationName === value) ? 0 : 1;
}

function labelOf(name: string, displayName: string, configured: readonly WorkspaceIntegration[]): string {
  const aliases = configured.filter(({ integrationName }) => integrationName === name).map(({ alias }) => alias);
  return aliases.length > 0 ? `${displayName} (${aliases.join(', ')})` : displayName;
}

async function findPeople({ gateway, member: { orgId }, query }: Visit, workspaceId: string | undefined) {
  const typed = (query.get('person') ?? '').trim();
  if (workspaceId === undefined) return { person: '', endUserId: undefined, people: [] };
  const { items, total } = await listEndUsers(gateway.db, { orgId, workspaceId }, { limit: MAX_PEOPLE, offset: 0 });
  const id = uuid.safeParse(typed).data;
  const listed = items.find((one) => one.id === id);
  const named = listed ?? (id === undefined ? undefined : await findEndUser(gateway.db, orgId, id));
  const person = named?.workspaceId === workspaceId ? named : undefined;
  const people = total > items.length ? undefined : items.map((one) => ({ value: one.id, label: nameOf(one) }));
  // With a list of people, an unknown id counts as not chosen. Without a list, the text is an
  // external id.
  const endUserId = person?.externalId ?? (people || typed === '' ? undefined : typed);
  return { person: people ? (person?.id ?? '') : typed, endUserId, people };
}

function nameOf({ externalId, displayName }: CountedEndUser): string {
  return displayName ? `${displayName} (${externalId})` : externalId;
}
