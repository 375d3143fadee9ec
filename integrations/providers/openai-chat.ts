import { z } from 'zod';
import { endpoint } from '../provider.ts';
import { chatModels, completion, modelName, role, temperature, timeoutSeconds, usage } from './openai-shapes.ts';

/** What one asks the models that talk. */
export const chatActions = {
  ask_chatgpt: endpoint({
    displayName: 'Ask ChatGPT',
    description: 'Ask one question and get the answer as text',
    category: 'read',
    timeoutSeconds,
    input: z.object({
      prompt: z.string().min(1).max(500_000).describe('the question'),
      model: modelName.default('gpt-4o-mini'),
      temperature,
      maxTokens: z.int().min(1).max(1_000_000).optional().describe('how long the answer may be, in tokens, thinking included'),
      topP: z.number().min(0).max(1).optional().describe('0 to 1: only the likeliest words; instead of temperature'),
      frequencyPenalty: z.number().min(-2).max(2).optional().describe('above 0: fewer repeated words'),
      presencePenalty: z.number().min(-2).max(2).optional().describe('above 0: more new topics'),
      roles: z
        .array(z.strictObject({ role, content: z.string().max(500_000) }))
        .max(200)
        .optional()
        .describe('what was said before the question, instructions included'),
    }),
    output: z.object({ text: z.string(), model: z.string(), finishReason: z.string().nullish(), usage }),
    request: {
      method: 'POST',
      path: '/chat/completions',
      json: ({ prompt, model, temperature, maxTokens, topP, frequencyPenalty, presencePenalty, roles = [] }) => ({
        model,
        messages: [...roles, { role: 'user', content: prompt }],
        temperature,
        max_completion_tokens: maxTokens,
        top_p: topP,
        frequency_penalty: frequencyPenalty,
        presence_penalty: presencePenalty,
      }),
    },
    reads: completion,
    answer: ({ body: { choices, model, usage } }) => ({
      text: choices[0]!.message.content ?? '',
      model,
      finishReason: choices[0]!.finish_reason,
      usage,
    }),
    dynamic: { model: chatModels },
  }),

  chat_completion: endpoint({
    displayName: 'Chat completion',
    description: 'The next message of a conversation, with every choice that the model made',
    category: 'read',
    timeoutSeconds,
    input: z.object({
      model: modelName,
      messages: z
        .array(z.looseObject({ role, content: z.union([z.string(), z.array(z.record(z.string(), z.unknown())), z.null()]).optional() }))
        .min(1)
        .max(2000)
        .describe('the conversation so far; content is text or a list of parts'),
      temperature,
      max_completion_tokens: z.int().min(1).max(1_000_000).optional().describe('in tokens, thinking included'),
      top_p: z.number().min(0).max(1).optional(),
      n: z.int().min(1).max(10).optional().describe('how many choices'),
      stop: z
        .union([z.string(), z.array(z.string()).max(4)])
        .optional()
        .describe('where to end'),
      seed: z.int().optional().describe('the same seed mostly gives the same answer'),
      response_format: z.record(z.string(), z.unknown()).optional().describe('such as {"type":"json_object"}, or a JSON Schema'),
      tools: z.array(z.record(z.string(), z.unknown())).max(128).optional().describe('functions that the model may ask for'),
      tool_choice: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
      reasoning_effort: z.string().max(20).optional().describe('such as low, medium or high; only for models that reason'),
    }),
    output: completion,
    request: { method: 'POST', path: '/chat/completions', json: (input) => input },
    dynamic: { model: chatModels },
  }),
};
