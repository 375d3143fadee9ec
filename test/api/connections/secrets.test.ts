import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { createApp } from '../../../api/app.ts';
import type { ApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';
import { openAccountsBed } from './accounts-bed.ts';

const PATH = '/api/v1/connections';
const MARK = 'zq4711x';

/** Every secret value contains MARK. */
const SECRETS = {
  SECRET_TEXT: { secretText: `${MARK}-text` },
  BASIC_AUTH: { username: `${MARK}-user`, password: `${MARK}-password` },
  CUSTOM_AUTH: { props: { region: 'eu', apiKey: `${MARK}-key` } },
  OAUTH2: { accessToken: `${MARK}-access`, refreshToken: `${MARK}-refresh`, data: { instance: `${MARK}-data` } },
  PLATFORM_OAUTH2: { accessToken: `${MARK}-access`, tokenType: 'Bearer', expiresIn: 60 },
};

let bed: ApiBed;
beforeAll(async () => {
  bed = await openAccountsBed();
});
afterAll(() => bed.close());

test('answers, errors, logs and tables contain no plain credential', async () => {
  const logs: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logs.push(line) });
  const server = createApp({ ...bed.gateway, logger }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = checkedCaller(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, bed.plainKey);
  const answers: string[] = [];
  const note = async (answer: Promise<{ status: number; body: unknown }>, status: number) => {
    const { status: actual, body } = await answer;
    expect(actual).toBe(status);
    answers.push(JSON.stringify(body));
  };

  const { workspaceId } = bed;
  for (const [type, secrets] of Object.entries(SECRETS)) {
    const body = { integrationName: 'chat', externalId: type, workspaceId, endUserId: 'ada', type, ...secrets };
    await note(api.post(PATH, body), 201);
    await note(api.post(PATH, body), 409);
    await note(api.post(PATH, { ...body, authMethodKey: 'no such' }), 400);
    await note(api.post(PATH, { ...body, type: 'BASIC_AUTH', secretText: `${MARK}-misplaced` }), 400);
    await note(api.post(PATH, { ...body, workspaceId: '00000000-0000-4000-8000-000000000000' }), 404);
  }
  const wrong = { region: `${MARK}-mars`, apiKey: { nested: `${MARK}-nested` }, port: `${MARK}-port` };
  await note(api.post(PATH, { integrationName: 'chat', externalId: 'x', type: 'CUSTOM_AUTH', props: wrong }), 400);
  await note(api.get(PATH), 200);
  await note(api.post(`${PATH}/resolve`, { integrationName: 'chat', externalId: 'OAUTH2', workspaceId, endUserId: 'ada' }), 200);
  await note(api.get(`/api/v1/workspaces/${workspaceId}/integrations`), 200);
  server.close();
  server.closeAllConnections();

  expect(answers.join()).toContain('PLATFORM_OAUTH2');
  expect(answers.join()).not.toContain(MARK);
  expect(logs.join()).toContain(PATH);
  expect(logs.join()).not.toContain(MARK);
  const rows = await everyRow();
  expect(rows).toContain('PLATFORM_OAUTH2');
  for (const form of [MARK, Buffer.from(MARK).toString('hex'), Buffer.from(MARK).toString('base64').slice(0, 9)])
    expect(rows).not.toContain(form);
});

async function everyRow(): Promise<string> {
  const { db } = bed.gateway;
  const tables: { name: string }[] = await db('pg_tables').select('tablename as name').where({ schemaname: 'public' });
  const dumps = await Promise.all(tables.map(({ name }) => db.raw('select t::text as row from ?? t', [name])));
  return dumps.flatMap(({ rows }) => rows.map(({ row }: { row: string }) => row)).join('\n');
}
