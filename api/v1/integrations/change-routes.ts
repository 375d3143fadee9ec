import { z } from 'zod';
import { decideChange } from '../../../commands/integrations/decide-change.ts';
import { getChange } from '../../../commands/integrations/get-change.ts';
import { getOwnRecord } from '../../../commands/integrations/get-own-integration.ts';
import { changeDigest } from '../../../commands/integrations/shown-change.ts';
import { pageChanges } from '../../../store/custom-changes.ts';
import { findCustomIntegration } from '../../../store/custom-integrations.ts';
import { Answer, notFound, type Route, route } from '../../route.ts';
import { page, uuid } from '../../schemas.ts';
import { answer, one, writeErrors } from './answer-own.ts';
import { changeDecision } from './import-schema.ts';
import { presentChange } from './present-change.ts';
import { change, changesQuery, integration, wholeChange } from './schema.ts';

const params = one.params.extend({ id: z.string() });

function changeId(id: string): string {
  const parsed = uuid.safeParse(id);
  if (!parsed.success) throw notFound('CHANGE_NOT_FOUND');
  return parsed.data;
}

const decisions = (['accept', 'reject'] as const).map((verb) =>
  route({
    ...one,
    path: `/api/v1/integrations/{name}/changes/{id}/${verb}`,
    method: 'post',
    summary: verb === 'accept' ? 'Accept a change; the change takes effect immediately' : 'Reject a change',
    description:
      'Needs an org-wide key that holds `approvals.decide`. The content of a change is fixed: a refresh that finds other content creates another change.',
    params,
    body: changeDecision,
    answers: { 200: z.object({ change, integration }) },
    errors: [...writeErrors, 'APPROVAL_DECISION_SCOPE_REQUIRED', 'CHANGE_NOT_FOUND', 'CHANGE_ALREADY_DECIDED', 'CHANGE_CONFLICT'],
    handle: async ({ gateway, principal, params, body }) => {
      const record = await getOwnRecord(gateway, principal, params.name, { decides: true });
      const decision = verb === 'accept' ? ('accepted' as const) : ('rejected' as const);
      const decided = await decideChange(gateway, record, { id: changeId(params.id), decision, by: principal, ...body });
      return answer(200, decided, { change: presentChange(decided.change, decided.record) });
    },
  }),
);

/** Changes of custom integrations, and the decisions about them (import contract 5). */
export const changeRoutes: Route[] = [
  route({
    ...one,
    path: '/api/v1/integrations/{name}/changes',
    method: 'get',
    isCompressible: true,
    summary: 'List the changes of a custom integration, newest first',
    description: 'A large change is shown in part: `complete` is false, and `fieldCount` counts all its fields.',
    query: changesQuery,
    answers: { 200: z.object({ changes: z.array(change), total: z.int() }) },
    errors: ['INTEGRATION_NOT_FOUND'],
    handle: async ({ gateway, principal, params, query: { status, ...page } }) => {
      const { customId } = await gateway.catalog.get(principal.orgId, params.name);
      const record = customId === undefined ? undefined : await findCustomIntegration(gateway.db, principal.orgId, params.name);
      if (!record) return { changes: [], total: 0 };
      const { items, total } = await pageChanges(gateway.db, record.id, status, page);
      return { changes: items.map((item) => presentChange(item, record)), total };
    },
  }),
  route({
    ...one,
    path: '/api/v1/integrations/{name}/changes/{id}',
    method: 'get',
    isCompressible: true,
    summary: 'Read a change in full',
    description:
      'Every field of a pending change, with whole values, in pages. A page ends after about a million characters, so it may have fewer fields than `limit`: for the next page, add the number of its fields to `offset`.',
    params,
    query: page,
    answers: { 200: wholeChange },
    errors: ['INTEGRATION_NOT_FOUND', 'CHANGE_NOT_FOUND', 'DOCUMENT_TOO_COMPLEX'],
    handle: async ({ gateway, principal, params: { name, id }, query }) => {
      const { customId } = await gateway.catalog.get(principal.orgId, name);
      if (customId === undefined) throw notFound('CHANGE_NOT_FOUND');
      const read = await getChange(gateway, { orgId: principal.orgId, name, customId }, changeId(id), query);
      const digest = changeDigest(read.change, read.record.head);
      const rest = JSON.stringify({ change: presentChange(read.change, read.record), total: read.total, digest });
      return new Answer(200, `{"fields":${read.fields},${rest.slice(1)}`);
    },
  }),
  ...decisions,
];
