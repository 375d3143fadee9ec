import { addWorkspaceIntegration } from '../../../../commands/workspace-integrations/add-workspace-integration.ts';
import { getWorkspace } from '../../../../commands/workspaces/get-workspace.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { formPage, submitForm } from '../form.ts';
import type { Screen } from '../screen.ts';
import { addForm } from './add-form.ts';
import { getIntegration, integrationSpec } from './integration-page.ts';
import { INTEGRATIONS } from './integration-words.ts';

/** Screens that show an integration and add it to a workspace. */
export const integrationScreens: readonly Screen[] = [
  {
    ...{ path: `${INTEGRATIONS}/{name}`, role: 'viewer', navigation: 'Integrations' },
    get: async (visit) => formPage(await integrationSpec(visit, await getIntegration(visit))),
  },
  {
    ...{ path: `${INTEGRATIONS}/{name}/add`, role: 'admin', navigation: 'Integrations' },
    get: async (visit) => ({ seeOther: `${INTEGRATIONS}/${(await getIntegration(visit)).name}` }),
    post: async (visit) => {
      const { gateway, principal, form } = visit;
      const entry = await getIntegration(visit);
      return submitForm(await integrationSpec(visit, entry), addForm, form, async (fields) => {
        const workspace = await getWorkspace(gateway, principal, fields.workspaceId);
        const added = await addWorkspaceIntegration(gateway, actorOf(principal), {
          ...{ orgId: workspace.orgId, workspaceId: workspace.id, integrationName: entry.name, alias: fields.alias ?? entry.name },
          ...{ displayName: null, connectionStrategy: fields.connectionStrategy, connectionId: fields.connectionId ?? null },
          ...{ enabledActions: null, settings: {}, sortOrder: 0 },
        });
        return { seeOther: `${INTEGRATIONS}/${entry.name}`, done: `${entry.displayName} is added to ${workspace.name} as ${added.alias}.` };
      });
    },
  },
];
