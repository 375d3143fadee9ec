import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';
import { type Fake, openFake } from './provider-bed.ts';

let bed: ApiBed;
let fake: Fake;

beforeAll(async () => {
  [bed, fake] = await Promise.all([openApiBed(), openFake('https://slack.com')]);
  Object.assign(bed.gateway, { outbound: fake.outbound });
});
afterAll(() => Promise.all([bed.close(), fake.close()]));

test('a connected account works, and an account that the provider refuses gets the status ERROR', async () => {
  const { workspaceId } = bed;
  const account = {
    integrationName: 'slack',
    externalId: 'team',
    displayName: 'Team',
    type: 'SECRET_TEXT',
    secretText: 'xoxb-s3cret',
    workspaceId,
  };
  const created = await bed.api.post('/api/v1/connections', { ...account, scope: 'WORKSPACE' });
  expect(created.status).toBe(201);
  const send = () =>
    bed.api.post('/api/v1/actions/execute', {
      ...{ integrationName: 'slack', actionName: 'send_channel_message', workspaceId },
      input: { channel: 'C1', text: 'Hi' },
    });

  fake.answers({ body: { ok: true, channel: 'C1', ts: '1.1' } });
  expect(await send()).toMatchObject({ status: 200, body: { success: true, output: { channel: 'C1', ts: '1.1' } } });
  expect(fake.seen).toMatchObject([{ headers: { authorization: 'Bearer xoxb-s3cret' }, body: { channel: 'C1', text: 'Hi' } }]);

  fake.answers({ body: { ok: false, error: 'token_revoked' } });
  expect(await send()).toMatchObject({
    status: 400,
    body: { code: 'ACTION_FAILED', details: { code: 'token_revoked', reason: 'unauthorized' } },
  });
  const id = (created.body as { connection: { id: string } }).connection.id;
  expect((await bed.api.get(`/api/v1/connections?id=${id}`)).body).toMatchObject({ connection: { status: 'ERROR' } });
});
