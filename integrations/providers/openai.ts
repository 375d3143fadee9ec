import { z } from 'zod';
import { bearer, endpoint, provider } from '../provider.ts';
import { chatActions } from './openai-chat.ts';
import { FILE_MAX_BYTES, modelList, modelName, modelsNamed, openaiError, timeoutSeconds, usage } from './openai-shapes.ts';

export const openai = provider({
  name: 'openai',
  displayName: 'OpenAI',
  description: 'Ask the models of OpenAI for text, images, speech and embeddings',
  logoUrl: null,
  categories: ['AI'],
  auth: [
    {
      key: 'api-key',
      type: 'SECRET_TEXT',
      displayName: 'API key',
      description: 'A secret key from platform.openai.com, page API keys',
    },
  ],
  baseUrl: 'https://api.openai.com/v1',
  authenticate: bearer,
  errors: openaiError,
  actions: {
    ...chatActions,

    generate_image: endpoint({
      displayName: 'Generate image',
      description: 'Draw images from a description; answers them as base64 or, for older models, as addresses that end after an hour',
      category: 'write',
      timeoutSeconds,
      maxBytes: FILE_MAX_BYTES,
      input: z.object({
        prompt: z.string().min(1).max(32_000).describe('what to draw'),
        model: modelName.default('gpt-image-1'),
        n: z.int().min(1).max(4).default(1).describe('how many images'),
        size: z.string().max(20).optional().describe('such as 1024x1024, 1536x1024 or auto; the sizes depend on the model'),
        quality: z.string().max(20).optional().describe('such as low, medium, high or auto; the values depend on the model'),
        background: z.enum(['transparent', 'opaque', 'auto']).optional(),
        output_format: z.enum(['png', 'jpeg', 'webp']).optional().describe('jpeg is the smallest'),
      }),
      output: z.object({
        images: z.array(z.object({ base64: z.string().nullish(), url: z.string().nullish(), revisedPrompt: z.string().nullish() })),
      }),
      request: { method: 'POST', path: '/images/generations', json: (input) => input },
      reads: z.object({
        data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish(), revised_prompt: z.string().nullish() })),
      }),
      answer: ({ body }) => ({
        images: body.data.map(({ b64_json, url, revised_prompt }) => ({ base64: b64_json, url, revisedPrompt: revised_prompt })),
      }),
      dynamic: { model: modelsNamed(/image|dall-e/) },
    }),

    text_to_speech: endpoint({
      displayName: 'Text to speech',
      description: 'Speak a text; answers the sound as base64',
      category: 'write',
      timeoutSeconds,
      maxBytes: FILE_MAX_BYTES,
      format: 'bytes',
      input: z.object({
        text: z.string().min(1).max(4096),
        model: modelName.default('gpt-4o-mini-tts'),
        voice: z.string().min(1).max(40).default('alloy').describe('such as alloy, echo, nova, onyx or shimmer'),
        format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav']).default('mp3'),
        speed: z.number().min(0.25).max(4).optional().describe('1 is the usual speed'),
      }),
      output: z.object({ audio: z.string().describe('base64'), contentType: z.string(), sizeBytes: z.number() }),
      request: {
        method: 'POST',
        path: '/audio/speech',
        json: ({ text, format, ...rest }) => ({ ...rest, input: text, response_format: format }),
      },
      reads: z.instanceof(Buffer),
      answer: ({ body, headers }) => ({
        audio: body.toString('base64'),
        contentType: headers['content-type'] ?? 'application/octet-stream',
        sizeBytes: body.length,
      }),
      dynamic: { model: modelsNamed(/tts/) },
    }),

    create_embedding: endpoint({
      displayName: 'Create embedding',
      description: 'Turn texts into vectors whose distance says how near their meanings are',
      category: 'read',
      timeoutSeconds,
      maxBytes: FILE_MAX_BYTES,
      input: z.object({
        input: z
          .union([z.string().min(1).max(100_000), z.array(z.string().min(1).max(100_000)).min(1).max(256)])
          .describe('a text or several'),
        model: modelName.default('text-embedding-3-small'),
        dimensions: z.int().min(1).max(10_000).optional().describe('how long the vectors are'),
      }),
      output: z.object({ embeddings: z.array(z.array(z.number())).describe('in the order of the texts'), model: z.string(), usage }),
      request: { method: 'POST', path: '/embeddings', json: (input) => ({ ...input, encoding_format: 'float' }) },
      reads: z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })), model: z.string(), usage }),
      answer: ({ body: { data, model, usage } }) => ({
        embeddings: data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding),
        model,
        usage,
      }),
      dynamic: { model: modelsNamed(/embedding/) },
    }),

    list_models: endpoint({
      displayName: 'List models',
      description: 'The models that the key may use',
      category: 'read',
      input: z.object({}),
      output: z.object({ models: modelList.shape.data }),
      request: { path: '/models' },
      reads: modelList,
      answer: ({ body }) => ({ models: body.data }),
    }),
  },
});
