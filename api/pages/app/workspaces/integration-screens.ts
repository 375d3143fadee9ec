import { z } from 'zod';
import { removeWorkspaceIntegration } from '../../../../commands/workspace-integrations/remove-workspace-integration.ts';
import { updateWorkspaceIntegration } from '../../../../commands/workspace-integrations/update-workspace-integration.ts';
import { hasRole } from '../../../../domain/member.ts';
import { CONNECTION_STRATEGIES } from '../../../../domain/policies/policy.ts';
import { actorOf } from '../../../../domain/principal.ts';
import type { Workspace } from '../../../../domain/workspace.ts';
import { PERSISTENCE_SCOPES, type WorkspaceIntegration } from '../../../../domain/workspace-integration.ts';
import { findWorkspaceIntegrationByAlias } from '../../../../store/workspace-integrations.ts';
import { found } from '../../../route.ts';
import { alias, name, uuid } from '../../../schemas.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { submitForm } from '../form.ts';
import { recordForm, recordPage } from '../record-page.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { describeInstance, nameOfInstance, pathOfInstance } from './integration-page.ts';
import { WORKSPACES, workspaceOf } from './workspace-of.ts';

const PATH = `${WORKSPACES}/{id}/integrations/{alias}`;

const settings = z.strictObject({
  alias,
  displayName: name.optional(),
  connectionStrategy: z.enum(CONNECTION_STRATEGIES),
  connectionId: uuid.optional(),
  state: z.enum(PERSISTENCE_SCOPES).optional(),
  allowed: z.enum(['all', 'some', 'none']),
  enabledActions: z.array(name).default([]),
});

/** Screens that show, change and remove an integration in a workspace. */
export const workspaceIntegrationScreens: readonly Screen[] = [
  {
    ...{ path: PATH, role: 'viewer', navigation: 'Workspaces' },
    get: async (visit) => {
      const { record, form } = await describe(visit);
      return recordPage({ ...record, form: hasRole(visit.member.role, 'admin') ? form : undefined });
    },
  },
  {
    ...{ path: `${PATH}/settings`, role: 'admin', navigation: 'Workspaces' },
    get: async (visit) => ({ seeOther: pathOfInstance((await instanceOf(visit)).instance) }),
    post: async (visit) => {
      const { instance, record, form } = await describe(visit);
      return submitForm(
        recordForm(record, form),
        settings,
        visit.form,
        async ({ allowed, enabledActions, state, displayName = null, connectionId = null, ...rest }) => {
          const actions = { all: null, some: enabledActions, none: [] }[allowed];
          const updated = await updateWorkspaceIntegration(visit.gateway, actorOf(visit.principal), instance, {
            ...rest,
            displayName,
            connectionId,
            enabledActions: actions,
            ...(state && state !== 'external' && { settings: { ...instance.settings, persistence: { scope: state } } }),
          });
          return { seeOther: pathOfInstance(updated), done: `${await nameOfInstance(visit, updated)} is saved.` };
        },
      );
    },
  },
  {
    ...{ path: `${PATH}/remove`, role: 'admin', navigation: 'Workspaces' },
    get: removalPage,
    post: async (visit) => {
      const { workspace, instance } = await instanceOf(visit);
      await removeWorkspaceIntegration(visit.gateway, actorOf(visit.principal), instance);
      return { seeOther: `${WORKSPACES}/${workspace.id}`, done: `${await nameOfInstance(visit, instance)} is removed.` };
    },
  },
];

async function instanceOf(visit: Visit): Promise<{ workspace: Workspace; instance: WorkspaceIntegration }> {
  const workspace = await workspaceOf(visit);
  const named = alias.safeParse(visit.params.alias);
  const { db } = visit.gateway;
  const instance = found(named.success ? await findWorkspaceIntegrationByAlias(db, workspace.orgId, workspace.id, named.data) : undefined);
  return { workspace, instance };
}

async function describe(visit: Visit) {
  const { workspace, instance } = await instanceOf(visit);
  return { instance, ...(await describeInstance(visit, workspace, instance)) };
}

async function removalPage(visit: Visit): Promise<AppPage> {
  const { workspace, instance } = await instanceOf(visit);
  const consequences = await consequencesOf(visit, 'workspaceIntegration', instance.id);
  return confirmPage({
    question: `Remove ${await nameOfInstance(visit, instance)}?`,
    consequences: [`It leaves the workspace ${workspace.name}. Its alias there is ${instance.alias}.`, ...consequences],
    button: 'Remove integration',
    back: pathOfInstance(instance),
  });
}
