import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { openOrgCatalog } from '../../commands/integrations/org-catalog.ts';
import { INTEGRATIONS, openCatalog } from '../../integrations/catalog.ts';
import { action, integration } from '../../integrations/definition.ts';
import { findCallByKey } from '../../store/calls.ts';
import { type ApiBed, openApiBed } from './api-bed.ts';

/** The output is a bigint, which JSON cannot contain. */
const odd = integration({
  name: 'odd',
  displayName: 'Odd',
  description: 'For tests',
  logoUrl: null,
  categories: ['DEVELOPER_TOOLS'],
  auth: null,
  actions: {
    count: action({
      displayName: 'Count',
      description: 'Counts',
      category: 'write',
      input: z.object({}),
      output: z.object({ count: z.unknown() }),
      run: () => ({ count: 1n }),
    }),
  },
});

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
  bed.gateway.catalog = openOrgCatalog(bed.gateway.db, openCatalog([...INTEGRATIONS, odd]));
});
afterAll(() => bed?.close());

const send = (idempotencyKey?: string) =>
  fetch(`${bed.apiUrl}/api/v1/actions/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bed.plainKey}`, 'content-type': 'application/json', 'x-request-id': 'request-4711' },
    body: JSON.stringify({ workspaceId: bed.workspaceId, integrationName: 'odd', actionName: 'count', input: {}, idempotencyKey }),
  });

test('an output that cannot be written as JSON gets an error answer with the request id', async () => {
  const answer = await send();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/json; charset=utf-8']);
  expect(answer.headers.get('x-request-id')).toBe('request-4711');
  expect(await answer.json()).toMatchObject({ code: 'INTERNAL_ERROR' });
});

test('a call whose outcome cannot be stored gets the same error on each repeat', async () => {
  const key = randomUUID();
  for (const answer of [await send(key), await send(key)]) {
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'ACTION_FAILED', details: { reason: 'not_kept' } });
  }
  expect(await findCallByKey(bed.gateway.db, bed.workspaceId, key)).toMatchObject({ status: 'failed' });
});
