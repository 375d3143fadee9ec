import { z } from 'zod';
import { deleteOwnIntegration } from '../../../commands/integrations/delete-own-integration.ts';
import { getOwnRecord } from '../../../commands/integrations/get-own-integration.ts';
import { importIntegration } from '../../../commands/integrations/import-integration.ts';
import { refreshOwnIntegration } from '../../../commands/integrations/refresh-own-integration.ts';
import { updateOwnIntegration } from '../../../commands/integrations/update-own-integration.ts';
import { IMPORT_BODY_MAX_BYTES } from '../../../domain/limits.ts';
import { actorOf, assertMayDecide, assertOrgWide } from '../../../domain/principal.ts';
import type { ImportInput } from '../../../integrations/custom/importer.ts';
import { type Route, route } from '../../route.ts';
import { deleted } from '../../schemas.ts';
import { answer, one, writeErrors } from './answer-own.ts';
import { deleteQuery, importBody, ownChanges, refreshBody } from './import-schema.ts';
import { writeChanges } from './present-change.ts';
import { change, integration, previewDigest, report } from './schema.ts';

const documentErrors = [
  'DOCUMENT_INVALID',
  'DOCUMENT_UNSUPPORTED',
  'DOCUMENT_TOO_LARGE',
  'DOCUMENT_TOO_COMPLEX',
  'TOO_MANY_ACTIONS',
  'NOTHING_TO_IMPORT',
  'ADDRESS_NOT_ALLOWED',
  'FETCH_FAILED',
  'SERVER_REQUIRED',
] as const;
const largeDocument = { field: 'document', maxBytes: IMPORT_BODY_MAX_BYTES, authorize: assertOrgWide } as const;
const oneIntegration = z.object({ integration });

const IMPORT_EXAMPLE = {
  kind: 'openapi',
  name: 'pets',
  url: 'https://api.example.com/openapi.json',
  select: { tags: ['pets'] },
  onChange: 'block',
};

/** Integrations that an organization imports (import contract). */
export const ownIntegrationRoutes: Route[] = [
  route({
    ...one,
    path: '/api/v1/integrations/import',
    params: z.object({}),
    method: 'post',
    summary: 'Import an integration: an OpenAPI document, an MCP server or a declarative document',
    description: 'Needs an org-wide key. The body may have up to 48 MiB. With `preview` nothing is stored, and the status is 200.',
    body: importBody,
    example: IMPORT_EXAMPLE,
    largeField: largeDocument,
    answers: { 201: z.object({ integration, report }), 200: z.object({ integration, report }) },
    errors: ['SCOPE_DENIED', 'DUPLICATE', 'QUOTA_EXCEEDED', ...documentErrors],
    handle: async ({ gateway, principal, body }) => {
      assertOrgWide(principal);
      const { auth, ...request } = body;
      const imported = await importIntegration(gateway, {
        ...request,
        ...(auth !== undefined && { auth: auth as ImportInput['auth'] }),
        orgId: principal.orgId,
        by: actorOf(principal),
      });
      return answer(body.preview ? 200 : 201, imported, { report: imported.report });
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary:
      'Change the settings of a custom integration; null restores the imported value, or the default of refreshEverySeconds and onChange',
    body: ownChanges,
    example: { actions: { delete_pet: { enabled: false }, list_pets: { category: 'read' } } },
    answers: { 200: oneIntegration },
    errors: [...writeErrors, 'NO_UPDATES', 'ACTION_NOT_FOUND'],
    handle: async ({ gateway, principal, params, body }) => answer(200, await updateOwnIntegration(gateway, principal, params.name, body)),
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete a custom integration',
    query: deleteQuery,
    answers: { 200: deleted },
    errors: [...writeErrors, 'INTEGRATION_IN_USE'],
    handle: async ({ gateway, principal, params, query }) => {
      return { deleted: true, id: await deleteOwnIntegration(gateway, principal, params.name, query.force) };
    },
  }),
  route({
    ...one,
    path: '/api/v1/integrations/{name}/refresh',
    method: 'post',
    summary: 'Read the document or server of a custom integration again',
    description:
      'Differences become pending changes. With `accept`, they take effect immediately; with `preview`, nothing is stored. The body may have up to 48 MiB.',
    body: refreshBody,
    example: { accept: true },
    largeField: largeDocument,
    answers: { 200: z.object({ integration, report, changes: z.array(change), digest: previewDigest }) },
    errors: [...writeErrors, 'APPROVAL_DECISION_SCOPE_REQUIRED', 'CHANGE_CONFLICT', ...documentErrors],
    handle: async ({ gateway, principal, params, body }) => {
      const { accept = false, ...request } = body ?? {};
      const record = await getOwnRecord(gateway, principal, params.name, { decides: accept });
      if (accept) assertMayDecide(principal);
      const refreshed = await refreshOwnIntegration(gateway, record, {
        ...request,
        by: actorOf(principal),
        ...(accept && { acceptedBy: principal }),
      });
      const { report, changes, digest } = refreshed;
      return answer(
        200,
        refreshed,
        { report, ...(digest !== undefined && { digest }) },
        { changes: await writeChanges(changes, refreshed.record) },
      );
    },
  }),
];
