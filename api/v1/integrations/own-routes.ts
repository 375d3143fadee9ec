import { z } from 'zod';
import { decideChange } from '../../../commands/integrations/decide-change.ts';
import { deleteOwnIntegration } from '../../../commands/integrations/delete-own-integration.ts';
import { getOwnRecord, type OwnIntegration } from '../../../commands/integrations/get-own-integration.ts';
import { importIntegration } from '../../../commands/integrations/import-integration.ts';
import { refreshOwnIntegration } from '../../../commands/integrations/refresh-own-integration.ts';
import { updateOwnIntegration } from '../../../commands/integrations/update-own-integration.ts';
import { IMPORT_BODY_MAX_BYTES } from '../../../domain/limits.ts';
import { assertMayDecide, assertOrgWide } from '../../../domain/principal.ts';
import type { ImportInput } from '../../../integrations/custom/importer.ts';
import { pageChanges } from '../../../store/custom-changes.ts';
import { Answer, notFound, type Route, route } from '../../route.ts';
import { deleted, uuid } from '../../schemas.ts';
import { changeReason, deleteQuery, importBody, ownChanges, refreshBody } from './import-schema.ts';
import { ownFacts, presentChange, writeIntegration } from './present-own.ts';
import { change, changesQuery, integration, report } from './schema.ts';

const one = {
  tag: 'Catalogue',
  path: '/api/v1/integrations/{name}',
  params: z.object({ name: z.string().describe('name of the integration') }),
} as const;
const writeErrors = ['INTEGRATION_NOT_FOUND', 'SCOPE_DENIED', 'NOT_CUSTOM'] as const;
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

/** Accept, reject. */
const decisions = (['accept', 'reject'] as const).map((verb) =>
  route({
    ...one,
    path: `/api/v1/integrations/{name}/changes/{id}/${verb}`,
    method: 'post',
    summary: verb === 'accept' ? 'Accept a change, which takes effect at once' : 'Reject a change',
    description: 'Needs an org-wide key that holds `approvals.decide`.',
    params: one.params.extend({ id: z.string() }),
    body: changeReason,
    answers: { 200: z.object({ change, integration }) },
    errors: [...writeErrors, 'APPROVAL_DECISION_SCOPE_REQUIRED', 'CHANGE_NOT_FOUND', 'CHANGE_ALREADY_DECIDED'],
    handle: async ({ gateway, principal, params, body }) => {
      const record = await getOwnRecord(gateway, principal, params.name, { decides: true });
      const id = uuid.safeParse(params.id);
      if (!id.success) throw notFound('CHANGE_NOT_FOUND');
      const decision = verb === 'accept' ? ('accepted' as const) : ('rejected' as const);
      const decided = await decideChange(gateway, record, { id: id.data, decision, decidedById: principal.id, reason: body?.reason });
      return answer(200, decided, { change: presentChange(decided.change) });
    },
  }),
);

/** Integrations that an organization imports (import contract). */
export const ownIntegrationRoutes: Route[] = [
  route({
    ...one,
    path: '/api/v1/integrations/import',
    params: z.object({}),
    method: 'post',
    summary: 'Import an integration: an OpenAPI document, an MCP server or a declarative document',
    description: 'Needs an org-wide key. The body may have 48 MiB. With `preview` nothing is stored, and the status is 200.',
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
      });
      return answer(body.preview ? 200 : 201, imported, { report: imported.report });
    },
  }),
  route({
    ...one,
    method: 'patch',
    summary: 'Change what an own integration shows and offers; null takes back',
    body: ownChanges,
    example: { actions: { delete_pet: { enabled: false }, list_pets: { category: 'read' } } },
    answers: { 200: oneIntegration },
    errors: [...writeErrors, 'NO_UPDATES', 'ACTION_NOT_FOUND'],
    handle: async ({ gateway, principal, params, body }) => answer(200, await updateOwnIntegration(gateway, principal, params.name, body)),
  }),
  route({
    ...one,
    method: 'delete',
    summary: 'Delete an own integration',
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
    summary: 'Read the document or server of an own integration again',
    description: 'What differs becomes a change that waits for a decision. The body may have 48 MiB.',
    body: refreshBody,
    example: { accept: true },
    largeField: largeDocument,
    answers: { 200: z.object({ integration, report, changes: z.array(change) }) },
    errors: [...writeErrors, 'APPROVAL_DECISION_SCOPE_REQUIRED', ...documentErrors],
    handle: async ({ gateway, principal, params, body }) => {
      const { accept = false, ...request } = body ?? {};
      const record = await getOwnRecord(gateway, principal, params.name, { decides: accept });
      if (accept) assertMayDecide(principal);
      const refreshed = await refreshOwnIntegration(gateway, record, { ...request, ...(accept && { acceptedBy: principal.id }) });
      return answer(200, refreshed, { report: refreshed.report, changes: refreshed.changes.map(presentChange) });
    },
  }),
  route({
    ...one,
    path: '/api/v1/integrations/{name}/changes',
    method: 'get',
    summary: 'List the changes of an own integration, newest first',
    query: changesQuery,
    answers: { 200: z.object({ changes: z.array(change), total: z.int() }) },
    errors: ['INTEGRATION_NOT_FOUND'],
    handle: async ({ gateway, principal, params, query: { status, ...page } }) => {
      const { customId } = await gateway.catalog.get(principal.orgId, params.name);
      if (customId === undefined) return { changes: [], total: 0 };
      const { items, total } = await pageChanges(gateway.db, customId, status, page);
      return { changes: items.map(presentChange), total };
    },
  }),
  ...decisions,
];

async function answer(status: number, own: OwnIntegration, more: object = {}): Promise<Answer> {
  const written = await writeIntegration(own.entry, ownFacts(own));
  const rest = JSON.stringify(more).slice(1, -1);
  return new Answer(status, `{"integration":${written}${rest && `,${rest}`}}`);
}
