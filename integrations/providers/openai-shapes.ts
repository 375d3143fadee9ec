import { z } from 'zod';
import { choices } from '../provider.ts';

export const openaiError = z
  .object({ error: z.object({ message: z.string().nullish(), code: z.string().nullish(), type: z.string().nullish() }) })
  .transform(({ error: { message, code, type } }) => ({ message, code: code ?? type }));

/** Answers take their time. */
export const timeoutSeconds = 110;
export const FILE_MAX_BYTES = 16 * 1024 * 1024;

export const role = z.enum(['system', 'developer', 'user', 'assistant', 'tool']);
export const temperature = z
  .number()
  .min(0)
  .max(2)
  .optional()
  .describe('0 to 2: how freely the model words its answer; some models know one value');
export const modelName = z.string().min(1).max(200);
export const usage = z.record(z.string(), z.unknown()).nullish().describe('tokens used');

export const message = z.looseObject({ role: z.string(), content: z.string().nullish() });
export const completion = z.object({
  id: z.string(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.number(), message, finish_reason: z.string().nullish() })).min(1),
  usage,
});

export const modelList = z.object({
  data: z.array(z.object({ id: z.string(), created: z.number().nullish(), owned_by: z.string().nullish() })),
});

/** The list does not say what a model is for; its name does. */
export function modelsNamed(wanted: RegExp, unwanted?: RegExp) {
  return choices({
    request: { path: '/models' },
    reads: modelList,
    options: ({ data }) =>
      data
        .filter(({ id }) => wanted.test(id) && !unwanted?.test(id))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(({ id }) => ({ label: id, value: id })),
  });
}
export const chatModels = modelsNamed(/^(gpt-|o\d|chatgpt-)/, /audio|realtime|image|tts|transcribe|instruct|search/);
