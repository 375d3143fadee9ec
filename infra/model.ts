import { z } from 'zod';
import type { Config } from './config.ts';
import { openOutbound } from './outbound.ts';
import { OutboundError, type OutboundErrorKind } from './outbound-error.ts';

interface ModelQuestion<Answer> {
  /** Consists of letters, digits, `_` and `-`. */
  name: string;
  /** Must contain no text of callers. */
  instructions: string;
  /** Sent as JSON, so that each text stays within its quotes. */
  material: object;
  /** All its objects must be strict and all its fields required. */
  answer: z.ZodType<Answer>;
  timeoutMs: number;
}

/** Why a question was not answered. Contains no text of the question or of the endpoint. */
export class ModelError extends Error {
  override name = 'ModelError';
}

/** The operator's language model, at an OpenAI-compatible endpoint. */
export interface Model {
  /** Returns an answer that matches the schema. Rejects with a ModelError. */
  ask<Answer>(question: ModelQuestion<Answer>): Promise<Answer>;
  close(): Promise<void>;
}

/** The configured model, or undefined. */
export function openModel(settings: Config['model']): Model | undefined {
  if (!settings) return undefined;
  // The operator chose the endpoint, so private addresses are allowed.
  const outbound = openOutbound({ allowHttp: true, allowCidrs: ['0.0.0.0/0', '::/0'] });
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(settings.apiKey && { authorization: `Bearer ${settings.apiKey}` }),
  };
  return {
    ask: async (question) => {
      const request = { url: `${settings.baseUrl}/chat/completions`, method: 'POST', headers, body: bodyOf(settings.name, question) };
      const { status, body } = await outbound
        .request({ ...request, timeoutMs: question.timeoutMs, maxBytes: MAX_BYTES, cutsFailures: true })
        .catch((error: unknown) => {
          throw new ModelError(failureOf(error), { cause: error });
        });
      if (status !== 200) throw new ModelError(`its endpoint answered with status ${status}`);
      return readAnswer(body, question.answer);
    },
    close: () => outbound.close(),
  };
}

/** Far above the size of any expected answer. */
const MAX_BYTES = 256 * 1024;

function bodyOf(model: string, { name, instructions, material, answer }: ModelQuestion<unknown>): string {
  const { $schema: _, ...schema } = z.toJSONSchema(answer);
  return JSON.stringify({
    model,
    messages: [
      { role: 'system', content: instructions },
      { role: 'user', content: JSON.stringify(material) },
    ],
    response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
  });
}

const FAILURES: Partial<Record<OutboundErrorKind, string>> = {
  timeout: 'it did not answer in time',
  too_large: 'its answer is far longer than requested',
  bad_response: 'its answer is not HTTP or cannot be decoded',
  unreachable: 'its endpoint could not be reached',
};

function failureOf(error: unknown): string {
  return (error instanceof OutboundError && FAILURES[error.kind]) || 'its endpoint could not be asked';
}

const completion = z.object({
  choices: z.tuple([z.object({ message: z.object({ content: z.string() }) })]).rest(z.unknown()),
});

function readAnswer<Answer>(body: Buffer, answer: z.ZodType<Answer>): Answer {
  const envelope = completion.safeParse(parse(body.toString('utf8')));
  const read = envelope.success ? answer.safeParse(parse(envelope.data.choices[0].message.content)) : undefined;
  if (!read?.success) throw new ModelError('its answer does not have the requested shape');
  return read.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
