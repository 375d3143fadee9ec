import { jest } from '@jest/globals';
import { aReceiver, type Receiver } from '../../support/receiver.ts';
import type { ApiBed } from '../api-bed.ts';
import { openChatBed } from './chat.ts';

const SECRET = 'open-sesame-4711';
const OPTIONS = '/api/v1/integrations/chat/properties/options';
const RESOLVE = '/api/v1/integrations/chat/properties/resolve';

let bed: ApiBed;
let thirdParty: Receiver;
let request: (fields?: object) => object;
beforeAll(async () => {
  thirdParty = await aReceiver();
  bed = await openChatBed(thirdParty.url);
  request = (fields) => ({ workspaceId: bed.workspaceId, actionName: 'send', propertyName: 'channel', input: { team: 'T1' }, ...fields });
});
afterAll(async () => {
  await bed.close();
  await thirdParty.close();
});
beforeEach(() => {
  thirdParty.received.length = 0;
  thirdParty.answerWith(() => ({ status: 200, body: '[{"label":"#general","value":"C1"}]' }));
});

const connect = (fields: object) =>
  bed.api.must(201).post('/api/v1/connections', { integrationName: 'chat', type: 'SECRET_TEXT', secretText: SECRET, ...fields });

describe('before an account is connected', () => {
  test('choices that need an account are disabled, and the third party gets no request', async () => {
    expect(await bed.api.must(200).post(OPTIONS, request())).toEqual({ options: [], disabled: true });
    expect(await bed.api.must(200).post(RESOLVE, request({ propertyName: 'form', input: { channel: 'C1' } }))).toMatchObject({
      disabled: true,
    });
    expect(thirdParty.received).toEqual([]);
  });

  test('choices from the schema are still returned, filtered by the search text', async () => {
    const all = [
      { label: 'low', value: 'low' },
      { label: 'high', value: 'high' },
    ];
    expect(await bed.api.must(200).post(OPTIONS, request({ propertyName: 'priority' }))).toEqual({ options: all, disabled: false });
    expect(await bed.api.must(200).post(OPTIONS, request({ propertyName: 'priority', searchValue: 'HI' }))).toEqual({
      options: [all[1]],
      disabled: false,
    });
    expect(await bed.api.must(200).post(OPTIONS, request({ propertyName: 'team' }))).toEqual({ options: [], disabled: false });
  });

  test('an input with a fixed schema resolves to that schema', async () => {
    expect(await bed.api.must(200).post(RESOLVE, request({ propertyName: 'settings' }))).toMatchObject({
      schema: { type: 'object', properties: { silent: { type: 'boolean' } } },
      props: { silent: { type: 'CHECKBOX', required: true } },
      disabled: false,
    });
  });

  test.each([
    ['channel', { team: 'T1' }],
    ['channel', {}],
    ['form', { channel: 'C1' }],
    ['priority', {}],
    ['settings', {}],
  ])('options and resolve agree on whether %s with %j is disabled', async (propertyName, input) => {
    const answers = await Promise.all([OPTIONS, RESOLVE].map((path) => bed.api.must(200).post(path, request({ propertyName, input }))));
    expect(answers.map((answer) => answer.disabled)).toEqual(Array(2).fill(['channel', 'form'].includes(propertyName)));
  });
});

describe('with accounts', () => {
  beforeAll(async () => {
    await connect({ externalId: 'main' });
    await connect({ externalId: 'adas', workspaceId: bed.workspaceId, endUserId: 'ada', secretText: 'adas-own-token' });
  });

  test('the request to the third party contains the account, the inputs and the search text', async () => {
    const answer = await bed.api.must(200).post(OPTIONS, request({ searchValue: 'gen' }));
    expect(answer).toEqual({ options: [{ label: '#general', value: 'C1' }], disabled: false });
    expect(thirdParty.received).toMatchObject([{ path: '/channels/T1?search=gen', headers: { authorization: `Bearer ${SECRET}` } }]);
  });

  test("the end user's own account is the default; the request can name another account", async () => {
    await bed.api.must(200).post(OPTIONS, request({ endUserId: 'ada' }));
    await bed.api.must(200).post(OPTIONS, request({ endUserId: 'ada', connectionExternalId: 'adas' }));
    await bed.api.must(200).post(OPTIONS, request({ connectionExternalId: 'main' }));
    expect(thirdParty.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer adas-own-token',
      'Bearer adas-own-token',
      `Bearer ${SECRET}`,
    ]);
    expect(await bed.api.post(OPTIONS, request({ connectionExternalId: 'nothing' }))).toMatchObject({
      status: 404,
      body: { code: 'CONNECTION_NOT_FOUND' },
    });
  });

  test.each([[undefined], [null], ['']])(
    'the third party gets no request while an input that the choices depend on is %p',
    async (team) => {
      expect(await bed.api.must(200).post(OPTIONS, request({ input: { team } }))).toEqual({ options: [], disabled: true });
      expect(thirdParty.received).toEqual([]);
    },
  );

  test.each([
    ['channel', { team: 'T1' }, false],
    ['channel', {}, true],
    ['form', { channel: 'C1' }, false],
    ['form', {}, true],
  ])('options and resolve agree on whether %s with %j is disabled', async (propertyName, input, disabled) => {
    thirdParty.answerWith(() => ({ status: 200, body: '[]' }));
    const answers = await Promise.all([OPTIONS, RESOLVE].map((path) => bed.api.must(200).post(path, request({ propertyName, input }))));
    expect(answers.map((answer) => answer.disabled)).toEqual([disabled, disabled]);
  });

  test('the fields of a dynamic input are returned as a schema and as props', async () => {
    thirdParty.answerWith(() => ({ status: 200, body: '["topic","body"]' }));
    const answer = await bed.api.must(200).post(RESOLVE, request({ propertyName: 'form', input: { channel: 'C1' } }));
    expect(answer).toMatchObject({
      schema: {
        type: 'object',
        properties: { topic: { type: 'string', maxLength: 50 }, body: { type: 'string' } },
        required: ['topic', 'body'],
      },
      props: { topic: { type: 'SHORT_TEXT', description: 'the topic', required: true }, body: { type: 'SHORT_TEXT' } },
      disabled: false,
    });
  });

  test("an error contains the third party's message without the quoted credentials", async () => {
    thirdParty.answerWith(() => ({ status: 403, body: `{"error":"bad token ${SECRET}"}` }));
    const { status, body } = await bed.api.post(OPTIONS, request());
    expect([status, body.code]).toEqual([400, 'ACTION_FAILED']);
    expect(body.error).toBe('Chat answered 403: {"error":"bad token [redacted]"}');
  });

  test('a third party that misses the deadline counts as failed', async () => {
    const deadline = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(deadline.signal);
    thirdParty.answerWith(() => new Promise(() => {}));
    const asked = bed.api.post(OPTIONS, request());
    await thirdParty.has(1);
    deadline.abort();
    expect(await asked).toMatchObject({
      status: 400,
      body: { code: 'ACTION_FAILED', error: expect.stringContaining('within 20 seconds') },
    });
    expect(timeout.mock.calls[0]).toEqual([20_000]);
    timeout.mockRestore();
  });

  test('a bug in the integration is reported as a failed action without details', async () => {
    const { status, body } = await bed.api.post(OPTIONS, request({ actionName: 'broken', propertyName: 'choice', input: {} }));
    expect([status, body]).toEqual([400, { error: 'The third party could not be asked.', code: 'ACTION_FAILED' }]);
  });

  test('a request can name an instance by id or alias; the instance must enable the action', async () => {
    const { connection } = await connect({ externalId: 'of-instance', secretText: 'instance-token' });
    const path = `/api/v1/workspaces/${bed.workspaceId}/integrations`;
    const fields = { integrationName: 'chat', connectionId: connection.id };
    const { integration } = await bed.api.must(201).post(path, { ...fields, alias: 'chat-a' });
    await bed.api.must(201).post(path, { ...fields, alias: 'chat-b', enabledActions: ['broken'] });
    await bed.api.must(200).post(OPTIONS, request({ workspaceIntegrationId: integration.id }));
    await bed.api.must(200).post(OPTIONS, request({ integrationAlias: 'chat-a' }));
    expect(thirdParty.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer instance-token', 'Bearer instance-token']);
    expect(await bed.api.post(OPTIONS, request({ integrationAlias: 'chat-b' }))).toMatchObject({
      status: 403,
      body: { code: 'ACTION_NOT_ALLOWED' },
    });
    expect(await bed.api.post(OPTIONS, request())).toMatchObject({ status: 409, body: { code: 'AMBIGUOUS_INTEGRATION' } });
  });
});

describe('unknown names', () => {
  test.each([
    ['integration', '/api/v1/integrations/nothing/properties/options', {}, 'INTEGRATION_NOT_FOUND'],
    ['action', OPTIONS, { actionName: 'nothing' }, 'ACTION_NOT_FOUND'],
    ['input', OPTIONS, { propertyName: 'nothing' }, 'NOT_FOUND'],
    ['input named like a method', OPTIONS, { propertyName: 'toString' }, 'NOT_FOUND'],
    ['workspace', OPTIONS, { workspaceId: '00000000-0000-4000-8000-000000000000' }, 'NOT_FOUND'],
  ])('an unknown %s answers 404', async (_, path, fields, code) => {
    expect(await bed.api.post(path, request(fields))).toMatchObject({ status: 404, body: { code } });
  });

  test('the error for an invalid body lists all issues', async () => {
    const { status, body } = await bed.api.post(OPTIONS, { workspaceId: 'x', input: [], colour: 1 });
    const keys =
      'workspaceId, actionName, propertyName, input, searchValue, connectionExternalId, workspaceIntegrationId, integrationAlias, endUserId';
    expect(status).toBe(400);
    expect(body.details.issues).toEqual([
      { path: 'workspaceId', message: 'expects a UUID' },
      { path: 'actionName', message: 'missing key "actionName": expects a string' },
      { path: 'propertyName', message: 'missing key "propertyName": expects a string' },
      { path: 'input', message: 'expects an object' },
      { path: 'colour', message: `unknown key "colour"; the keys are ${keys}` },
    ]);
  });
});
