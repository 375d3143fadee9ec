import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuthValue } from '../../../integrations/definition.ts';
import { type Fake, openFake, options, providerNamed, run } from './provider-bed.ts';

const KEY = 'sk-proj-s3cret-s3cret';
const auth: AuthValue = { type: 'SECRET_TEXT', secretText: KEY };
const openai = providerNamed('openai');
let fake: Fake;

beforeAll(async () => {
  fake = await openFake('https://api.openai.com');
});
afterAll(() => fake.close());

const call = (name: string, input: object) => run(openai, name, input, { auth, outbound: fake.outbound });

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1727701994,
  model: 'gpt-4o-mini-2024-07-18',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Four.', refusal: null }, logprobs: null, finish_reason: 'stop' }],
  usage: { prompt_tokens: 28, completion_tokens: 2, total_tokens: 30 },
  system_fingerprint: 'fp_1',
};

describe('actions', () => {
  test('ask_chatgpt sends the question after the earlier messages, and returns text', async () => {
    fake.answers({ body: completion });
    const roles = [{ role: 'system', content: 'Be brief.' }];
    expect(await call('ask_chatgpt', { prompt: '2 + 2?', roles, temperature: 0.2, maxTokens: 50 })).toEqual({
      text: 'Four.',
      model: 'gpt-4o-mini-2024-07-18',
      finishReason: 'stop',
      usage: completion.usage,
    });
    expect(fake.seen).toEqual([
      {
        method: 'POST',
        url: '/v1/chat/completions',
        headers: expect.objectContaining({ authorization: `Bearer ${KEY}`, 'content-type': 'application/json; charset=utf-8' }),
        body: {
          model: 'gpt-4o-mini',
          messages: [...roles, { role: 'user', content: '2 + 2?' }],
          temperature: 0.2,
          max_completion_tokens: 50,
        },
      },
    ]);
  });

  test('chat_completion sends its input unchanged, and keeps all fields of a choice', async () => {
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{}' } }];
    const choices = [{ index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }];
    fake.answers({ body: { ...completion, choices } });
    const input = {
      model: 'gpt-4o',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Add' }] },
        { role: 'assistant', content: null, tool_calls },
        { role: 'tool', content: '4', tool_call_id: 'call_1' },
      ],
      tools: [{ type: 'function', function: { name: 'add' } }],
      n: 1,
    };
    expect(await call('chat_completion', input)).toEqual({
      id: 'chatcmpl-1',
      model: completion.model,
      choices,
      usage: completion.usage,
    });
    expect(fake.seen[0]!.body).toEqual(input);
  });

  test('generate_image', async () => {
    fake.answers({ body: { created: 1, data: [{ b64_json: 'aW1hZ2U=', revised_prompt: 'A red fox' }] } });
    expect(await call('generate_image', { prompt: 'a fox', size: '1024x1024', output_format: 'jpeg' })).toEqual({
      images: [{ base64: 'aW1hZ2U=', revisedPrompt: 'A red fox' }],
    });
    expect(fake.seen).toMatchObject([
      {
        url: '/v1/images/generations',
        body: { prompt: 'a fox', model: 'gpt-image-1', n: 1, size: '1024x1024', output_format: 'jpeg' },
      },
    ]);
  });

  test('an image of several MB is read', async () => {
    const b64_json = 'A'.repeat(6 * 1024 * 1024);
    fake.answers({ body: { data: [{ b64_json }] } });
    const { images } = (await call('generate_image', { prompt: 'a fox' })) as { images: { base64: string }[] };
    expect(images[0]!.base64).toHaveLength(b64_json.length);
  });

  test('text_to_speech returns the audio as base64', async () => {
    fake.answers({ headers: { 'content-type': 'audio/mpeg' }, body: Buffer.from([255, 251, 0]) });
    expect(await call('text_to_speech', { text: 'Hello', speed: 1.5 })).toEqual({
      audio: '//sA',
      contentType: 'audio/mpeg',
      sizeBytes: 3,
    });
    expect(fake.seen).toMatchObject([
      { url: '/v1/audio/speech', body: { model: 'gpt-4o-mini-tts', input: 'Hello', voice: 'alloy', response_format: 'mp3', speed: 1.5 } },
    ]);
  });

  test('create_embedding returns the vectors in the order of the texts', async () => {
    const data = [
      { object: 'embedding', index: 1, embedding: [0.2] },
      { object: 'embedding', index: 0, embedding: [0.1] },
    ];
    fake.answers({ body: { data, model: 'text-embedding-3-small', usage: { total_tokens: 2 } } });
    expect(await call('create_embedding', { input: ['a', 'b'], dimensions: 1 })).toEqual({
      embeddings: [[0.1], [0.2]],
      model: 'text-embedding-3-small',
      usage: { total_tokens: 2 },
    });
    expect(fake.seen).toMatchObject([
      {
        url: '/v1/embeddings',
        body: { input: ['a', 'b'], model: 'text-embedding-3-small', dimensions: 1, encoding_format: 'float' },
      },
    ]);
  });

  test('list_models', async () => {
    fake.answers({ body: { object: 'list', data: [{ id: 'gpt-4o', object: 'model', created: 1, owned_by: 'openai' }] } });
    expect(await call('list_models', {})).toEqual({ models: [{ id: 'gpt-4o', created: 1, owned_by: 'openai' }] });
    expect(fake.seen).toMatchObject([{ method: 'GET', url: '/v1/models', body: '' }]);
  });
});

describe('failures', () => {
  const ask = () => call('ask_chatgpt', { prompt: 'x' }).catch((error) => error);

  test('the error for a 401 hides the key, also in its masked form', async () => {
    const message = `Incorrect API key provided: ${KEY}, also known as sk-pr*************cret.`;
    fake.answers({ status: 401, body: { error: { message, type: 'invalid_request_error', param: null, code: 'invalid_api_key' } } });
    const error = await ask();
    expect(error).toMatchObject({
      code: 'ACTION_FAILED',
      message:
        'OpenAI refused the credentials of the connected account; connect it again: ' +
        'Incorrect API key provided: [redacted], also known as [redacted] (invalid_api_key)',
      details: { status: 401, code: 'invalid_api_key', reason: 'unauthorized' },
    });
  });

  test('an invalid parameter is reported with message and type', async () => {
    const message = "Unsupported parameter: 'temperature' is not supported with this model.";
    fake.answers({ status: 400, body: { error: { message, type: 'invalid_request_error', code: null } } });
    expect(await ask()).toMatchObject({
      message: `OpenAI answered 400 Bad Request: ${message} (invalid_request_error)`,
      details: { status: 400, code: 'invalid_request_error' },
    });
  });
});

test('the choices of a model are the models that the action can use', async () => {
  const data = ['gpt-4o', 'gpt-4o-audio-preview', 'o3', 'dall-e-3', 'gpt-image-1', 'text-embedding-3-small', 'tts-1'].map((id) => ({ id }));
  fake.answers({ body: { data } });
  const modelsOf = async (name: string, search?: string) =>
    (await options(openai, `${name}.model`, {}, { auth, outbound: fake.outbound, ...(search && { search }) })).map(({ value }) => value);
  expect(await modelsOf('ask_chatgpt')).toEqual(['gpt-4o', 'o3']);
  expect(await modelsOf('chat_completion', 'O3')).toEqual(['o3']);
  expect(await modelsOf('generate_image')).toEqual(['dall-e-3', 'gpt-image-1']);
  expect(await modelsOf('create_embedding')).toEqual(['text-embedding-3-small']);
  expect(await modelsOf('text_to_speech')).toEqual(['tts-1']);
});
