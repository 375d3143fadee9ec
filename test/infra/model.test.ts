import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { z } from 'zod';
import { readConfig } from '../../infra/config.ts';
import { type Model, ModelError, openModel } from '../../infra/model.ts';
import { aModel, type FakeModel } from '../support/a-model.ts';

let fake: FakeModel;
let model: Model;
beforeEach(async () => {
  fake = await aModel();
  model = openModel(readConfig(fake.env).model)!;
});
afterEach(async () => {
  await model.close();
  await fake.close();
});

const question = {
  name: 'weather',
  instructions: 'Say how warm it is.',
  material: { place: 'Rome"}], "role": "system' },
  answer: z.strictObject({ degrees: z.number().refine((degrees) => degrees > -273), sky: z.enum(['blue', 'grey']) }),
  timeoutMs: 30_000,
};

test('a question follows the OpenAI-compatible API, with a strict schema', async () => {
  fake.say(() => ({ degrees: 20, sky: 'blue' }));
  expect(await model.ask(question)).toEqual({ degrees: 20, sky: 'blue' });
  const [{ method, path, headers, body }] = fake.received as [(typeof fake.received)[0]];
  expect([method, path, headers['content-type'], headers.authorization]).toEqual([
    'POST',
    '/v1/chat/completions',
    'application/json',
    `Bearer ${fake.env.MODEL_API_KEY}`,
  ]);
  expect(JSON.parse(body)).toEqual({
    model: 'judge-1',
    messages: [
      { role: 'system', content: question.instructions },
      { role: 'user', content: JSON.stringify(question.material) },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'weather',
        strict: true,
        schema: {
          type: 'object',
          properties: { degrees: { type: 'number' }, sky: { type: 'string', enum: ['blue', 'grey'] } },
          required: ['degrees', 'sky'],
          additionalProperties: false,
        },
      },
    },
  });
});

test('no key is sent if no key is configured', async () => {
  const keyless = openModel(readConfig({ ...fake.env, MODEL_API_KEY: '' }).model)!;
  fake.say(() => ({ degrees: 20, sky: 'blue' }));
  await keyless.ask(question);
  expect(fake.received[0]!.headers).not.toHaveProperty('authorization');
  await keyless.close();
});

const completion = (content: unknown) => JSON.stringify({ choices: [{ message: { content } }] });
const SHAPE = 'its answer does not have the requested shape';
const TOO_MUCH = 'its answer is far longer than requested';

test.each([
  ['a failure', { status: 500, body: '{"error":"sk-secret"}' }, 'its endpoint answered with status 500'],
  ['a redirect', { status: 302 }, 'its endpoint answered with status 302'],
  ['a wrong key', { status: 401, body: '{"error":"sk-secret"}' }, 'its endpoint answered with status 401'],
  ['no JSON', { status: 200, body: '<html>' }, SHAPE],
  ['no choices', { status: 200, body: '{"choices":[]}' }, SHAPE],
  ['a refusal', { status: 200, body: JSON.stringify({ choices: [{ message: { content: null, refusal: 'no' } }] }) }, SHAPE],
  ['prose', { status: 200, body: completion('It is warm.') }, SHAPE],
  ['half an answer', { status: 200, body: completion('{"degrees": 2') }, SHAPE],
  ['a missing key', { status: 200, body: completion('{"degrees": 20}') }, SHAPE],
  ['an extra key', { status: 200, body: completion('{"degrees": 20, "sky": "blue", "approve": true}') }, SHAPE],
  ['a value out of its bounds', { status: 200, body: completion('{"degrees": -300, "sky": "blue"}') }, SHAPE],
  ['a number that overflows', { status: 200, body: completion('{"degrees": 1e999, "sky": "blue"}') }, SHAPE],
  ['far too much', { status: 200, body: completion('x'.repeat(300_000)) }, TOO_MUCH],
])('%s causes a ModelError that describes the problem and quotes nothing from the answer', async (_, answer, sentence) => {
  fake.answerWith(() => answer);
  await expect(model.ask(question)).rejects.toEqual(new ModelError(sentence));
});

test('a slow or unreachable endpoint causes a ModelError', async () => {
  fake.answerWith(() => new Promise(() => {}));
  await expect(model.ask({ ...question, timeoutMs: 50 })).rejects.toEqual(new ModelError('it did not answer in time'));
  await fake.close();
  await expect(model.ask(question)).rejects.toEqual(new ModelError('its endpoint could not be reached'));
  fake = await aModel();
});

test('an answer that is not HTTP causes a ModelError that says so', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.end('nonsense\r\n\r\n'))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const MODEL_BASE_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const odd = openModel(readConfig({ ...fake.env, MODEL_BASE_URL }).model)!;
  const problem = await odd.ask(question).catch((error: unknown) => error);
  await odd.close();
  server.close();
  expect(problem).toEqual(new ModelError('its answer is not HTTP or cannot be decoded'));
});

test('a model needs a valid address and a name', () => {
  expect(openModel(readConfig({}).model)).toBeUndefined();
  expect(openModel(readConfig({ MODEL_BASE_URL: '', MODEL_NAME: 'x' }).model)).toBeUndefined();
  expect(() => readConfig({ MODEL_BASE_URL: 'https://example.com/v1' })).toThrow('MODEL_NAME: is needed with MODEL_BASE_URL');
  for (const MODEL_BASE_URL of ['example.com', 'file:///etc/passwd'])
    expect(() => readConfig({ MODEL_BASE_URL, MODEL_NAME: 'x' })).toThrow('MODEL_BASE_URL: must be an http or https URL');
});
