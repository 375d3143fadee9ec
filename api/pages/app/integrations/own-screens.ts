import { z } from 'zod';
import { deleteOwnIntegration } from '../../../../commands/integrations/delete-own-integration.ts';
import { refreshOwnIntegration } from '../../../../commands/integrations/refresh-own-integration.ts';
import { updateOwnIntegration } from '../../../../commands/integrations/update-own-integration.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { countIntegrationUse, type IntegrationUse } from '../../../../store/integration-use.ts';
import { ownChanges } from '../../../v1/integrations/import-schema.ts';
import { confirmPage } from '../confirm-page.ts';
import { consequencesOf } from '../consequences.ts';
import { formPage, submitForm } from '../form.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { DOCUMENT_FORM_MAX_BYTES } from './import-form.ts';
import { getIntegration } from './integration-page.ts';
import { INTEGRATIONS } from './integration-words.ts';
import { getOwn } from './own-of.ts';
import { settingsSpec } from './own-view.ts';
import { refreshForm, refreshSpec } from './refresh-form.ts';

const settingsForm = ownChanges
  .pick({ displayName: true, description: true, onChange: true })
  .extend({ refreshEverySeconds: z.coerce.number().pipe(ownChanges.shape.refreshEverySeconds.unwrap().unwrap()) });

/** Screens to manage a custom integration: settings, actions, source and deletion. */
export const ownScreens: readonly Screen[] = [
  {
    ...{ path: `${INTEGRATIONS}/{name}/settings`, role: 'admin', navigation: 'Integrations' },
    get: async (visit) => ({ seeOther: `${INTEGRATIONS}/${(await getOwn(visit)).name}` }),
    post: async (visit) => {
      const record = await getOwn(visit);
      return submitForm(settingsSpec(await getIntegration(visit), record), settingsForm, visit.form, async (fields) => {
        const changes = { ...fields, displayName: fields.displayName ?? null, description: fields.description ?? null };
        const { entry } = await updateOwnIntegration(visit.gateway, visit.principal, record.name, changes);
        return { seeOther: `${INTEGRATIONS}/${record.name}`, done: `${entry.displayName} is saved.` };
      });
    },
  },
  {
    ...{ path: `${INTEGRATIONS}/{name}/actions/{action}`, role: 'admin', navigation: 'Integrations' },
    post: async (visit) => {
      const { name } = await getOwn(visit);
      const action = visit.params.action!;
      const enabled = visit.form.get('enabled') !== 'no';
      await updateOwnIntegration(visit.gateway, visit.principal, name, { actions: { [action]: { enabled } } });
      return { seeOther: `${INTEGRATIONS}/${name}`, done: `${action} is ${enabled ? 'on' : 'off'}.` };
    },
  },
  {
    ...{ path: `${INTEGRATIONS}/{name}/refresh`, role: 'admin', navigation: 'Integrations', formMaxBytes: DOCUMENT_FORM_MAX_BYTES },
    get: async (visit) => formPage(refreshSpec(await getOwn(visit))),
    post: async (visit) => {
      const record = await getOwn(visit);
      return submitForm(refreshSpec(record), refreshForm(record), visit.form, async (request) => {
        const { pendingChanges } = await refreshOwnIntegration(visit.gateway, record, { ...request, by: actorOf(visit.principal) });
        const base = `${INTEGRATIONS}/${record.name}`;
        if (pendingChanges === 0) return { seeOther: base, done: 'The source is read again. No change waits for a decision.' };
        return {
          seeOther: `${base}/changes`,
          done: `${pendingChanges} ${pendingChanges === 1 ? 'change waits' : 'changes wait'} for a decision.`,
        };
      });
    },
  },
  {
    ...{ path: `${INTEGRATIONS}/{name}/delete`, role: 'admin', navigation: 'Integrations' },
    get: deletionPage,
    post: async (visit) => {
      const { name } = await getOwn(visit);
      await deleteOwnIntegration(visit.gateway, visit.principal, name, true);
      return { seeOther: INTEGRATIONS, done: `${name} is deleted.` };
    },
  },
];

const USES: Record<keyof IntegrationUse, [singular: string, plural: string]> = {
  connections: ['account', 'accounts'],
  workspaceIntegrations: ['integration of a workspace', 'integrations of workspaces'],
  mcpTools: ['tool of an MCP server', 'tools of MCP servers'],
  partials: ['preset', 'presets'],
  oauthApps: ['OAuth app', 'OAuth apps'],
};

async function deletionPage(visit: Visit): Promise<AppPage> {
  const { orgId, name } = await getOwn(visit);
  const { displayName } = await getIntegration(visit);
  const use = await countIntegrationUse(visit.gateway.db, orgId, name);
  const parts = (Object.keys(USES) as (keyof IntegrationUse)[])
    .filter((key) => use[key] > 0)
    .map((key) => `${use[key].toLocaleString('en')} ${USES[key][use[key] === 1 ? 0 : 1]}`);
  const deleted = parts.length > 0 ? `Deleted with it: ${new Intl.ListFormat('en').format(parts)}.` : 'Nothing uses it.';
  const consequences = [deleted, ...(await consequencesOf(visit, 'ownIntegration', name))];
  return confirmPage({ question: `Delete ${displayName}?`, consequences, button: 'Delete integration', back: `${INTEGRATIONS}/${name}` });
}
