import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { createConnectSession, type OpenedConnectSession } from '../../../../commands/connect/create-connect-session.ts';
import { offerMethods } from '../../../../commands/connections/offer-methods.ts';
import { getWorkspace } from '../../../../commands/workspaces/get-workspace.ts';
import { CONNECTION_SCOPES } from '../../../../domain/connection.ts';
import { validationError } from '../../../../domain/errors.ts';
import { NAME_MAX_LENGTH } from '../../../../domain/limits.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { listCustomIntegrations } from '../../../../store/custom-integrations.ts';
import { listOauthAppIntegrations } from '../../../../store/oauth-apps.ts';
import { listWorkspaces } from '../../../../store/workspaces.ts';
import { notFound } from '../../../route.ts';
import { endUserId, name, uuid } from '../../../schemas.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { secretPage } from '../secret-page.ts';
import { workspaceNames } from '../workspace-names.ts';
import { CONNECTIONS } from './connection-cells.ts';
import { connectionOf } from './connection-of.ts';

const TITLE = 'Connect an account';

const newAccount = z.strictObject({
  integrationName: name,
  workspaceId: uuid,
  scope: z.enum(CONNECTION_SCOPES),
  endUserId: endUserId.optional(),
  connectionName: name.optional(),
  externalId: name.optional(),
});

/** "Connect an account" and "Reconnect". Each creates a link that can connect one account, once. */
export const connectScreens: readonly Screen[] = [
  {
    ...{ path: `${CONNECTIONS}/new`, role: 'admin', navigation: 'Connections' },
    get: async (visit) => formPage(await connectSpec(visit)),
    post: async (visit) => submitForm(await connectSpec(visit), newAccount, visit.form, (account) => connect(visit, account)),
  },
  {
    ...{ path: `${CONNECTIONS}/{id}/reconnect`, role: 'admin', navigation: 'Connections' },
    get: async (visit) => ({ seeOther: `${CONNECTIONS}/${(await connectionOf(visit)).id}` }),
    post: async (visit) => {
      const { id, displayName, integrationName, externalId, scope, workspaceId, endUserExternalId, authMethodKey } =
        await connectionOf(visit);
      const account = { integrationName, externalId, scope, authMethodKey, connectionName: displayName, endUserId: endUserExternalId };
      const place = workspaceId ?? (await anyWorkspace(visit));
      const opened = await open(visit, { ...account, workspaceId: place });
      return linkPage(
        `Reconnect ${displayName}`,
        opened,
        'The account gets new credentials. Nothing else changes.',
        `${CONNECTIONS}/${id}`,
      );
    },
  },
];

async function connect(visit: Visit, account: z.output<typeof newAccount>): Promise<AppPage> {
  const { integrationName, scope, endUserId: person = null } = account;
  if (scope === 'USER' && person === null) throw validationError([{ path: 'endUserId', message: 'is missing: say whose account it is' }]);
  if (scope !== 'USER' && person !== null) throw validationError([{ path: 'endUserId', message: 'fits only "One person"' }]);
  const { id: workspaceId } = await getWorkspace(visit.gateway, visit.principal, account.workspaceId);
  const integration = await visit.gateway.catalog.get(visit.member.orgId, integrationName);
  const connectionName = account.connectionName ?? integration.displayName;
  const externalId = account.externalId ?? `${integrationName}-${randomUUID().slice(0, 8)}`;
  const opened = await open(visit, {
    integrationName,
    scope,
    workspaceId,
    connectionName,
    externalId,
    endUserId: person,
    authMethodKey: null,
  });
  return linkPage(TITLE, opened, 'Open it yourself, or send it to the owner of the account.', CONNECTIONS);
}

type Account = Pick<
  Parameters<typeof createConnectSession>[2],
  'integrationName' | 'scope' | 'workspaceId' | 'connectionName' | 'externalId' | 'endUserId' | 'authMethodKey'
>;

function open({ gateway, member, principal }: Visit, account: Account): Promise<OpenedConnectSession> {
  const rest = { workspaceIntegrationId: null, successRedirectUri: null, errorRedirectUri: null };
  return createConnectSession(gateway, actorOf(principal), { orgId: member.orgId, ...rest, ...account });
}

/** A connect link needs a workspace even for an account of the whole organization. */
async function anyWorkspace({ gateway, member, workspaceId }: Visit): Promise<string> {
  if (workspaceId !== undefined) return workspaceId;
  const [first] = (await listWorkspaces(gateway.db, { orgId: member.orgId }, { limit: 1, offset: 0 })).items;
  if (!first) throw notFound('NOT_FOUND', 'workspace');
  return first.id;
}

function linkPage(title: string, { connectUrl }: OpenedConnectSession, hint: string, back: string): AppPage {
  const about = `The link works once, within an hour, and connects one account. ${hint}`;
  const secret = { about, label: 'Connect link', value: connectUrl, open: 'Open it here' };
  const label = back === CONNECTIONS ? 'Back to connections' : 'Back to the account';
  return secretPage(title, secret, { href: back, label }, 'The link is created.');
}

async function connectableIntegrations({ gateway, member: { orgId } }: Visit) {
  const [own, apps] = await Promise.all([listCustomIntegrations(gateway.db, orgId), listOauthAppIntegrations(gateway.db, orgId)]);
  const catalog = await gateway.catalog.of(
    orgId,
    own.map((integration) => integration.name),
  );
  return catalog
    .list()
    .filter((integration) => offerMethods(integration, apps, null).some(({ isReady }) => isReady))
    .map(({ name: value, displayName: label }) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

async function connectSpec(visit: Visit): Promise<FormSpec> {
  const { query, workspaceId } = visit;
  const [integrations, workspaces] = await Promise.all([connectableIntegrations(visit), workspaceNames(visit)]);
  return {
    title: TITLE,
    intro: 'This form creates a link. Send the link to the owner of the account, or open it yourself. You never see the password or key.',
    fields: [
      {
        ...{
          name: 'integrationName',
          label: 'Integration',
          kind: 'select',
          options: [{ value: '', label: 'Choose one' }, ...integrations],
          value: query.get('integration') ?? '',
        },
        hint: 'An integration that needs an OAuth app appears here when the app exists.',
      },
      {
        ...{ name: 'workspaceId', label: 'Workspace', kind: 'select', value: workspaceId ?? '' },
        options: [...workspaces].map(([value, label]) => ({ value, label })),
      },
      {
        ...{ name: 'scope', label: 'Whose', kind: 'radios', value: 'WORKSPACE' },
        options: [
          { value: 'WORKSPACE', label: 'The workspace', hint: 'Its calls may use the account.' },
          { value: 'ORGANIZATION', label: 'The whole organization', hint: 'Calls in every workspace may use the account.' },
          { value: 'USER', label: 'One person', hint: 'Only calls for this person use the account.' },
        ],
      },
      {
        name: 'endUserId',
        label: 'Person',
        kind: 'text',
        isOptional: true,
        maxLength: NAME_MAX_LENGTH,
        hint: 'The external id of the person, if the account is for one person.',
      },
      {
        name: 'connectionName',
        label: 'Name',
        kind: 'text',
        isOptional: true,
        maxLength: NAME_MAX_LENGTH,
        hint: 'Empty: the name of the integration.',
      },
      {
        ...{ name: 'externalId', label: 'External id', kind: 'text', isOptional: true, maxLength: NAME_MAX_LENGTH },
        hint: 'Your own id for the account. An account with the same id is replaced. Empty: a new id.',
      },
    ],
    button: TITLE,
    cancel: CONNECTIONS,
    blames: {
      NOT_FOUND: { field: 'workspaceId', problem: 'is not one of your workspaces' },
      INTEGRATION_NOT_FOUND: { field: 'integrationName', problem: 'is not in the catalogue' },
    },
  };
}
