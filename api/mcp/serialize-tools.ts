import type { JSONRPCMessage, Tool } from '@modelcontextprotocol/server';

/** A JSON text, or its bytes in pieces to send one after another. */
export type AnswerJson = string | readonly Buffer[];

const ready = new WeakMap<object, Buffer>();

/**
 * Serializes a tool list and returns the same array. `answerJson` reuses the bytes for every answer
 * that contains this array.
 */
export function serializeTools(tools: readonly Tool[]): readonly Tool[] {
  ready.set(tools, Buffer.from(JSON.stringify(tools)));
  return tools;
}

/** Returns the JSON of an answer. Does not copy the bytes of a serialized tool list. */
export function answerJson(message: JSONRPCMessage): AnswerJson {
  if (!('result' in message)) return JSON.stringify(message);
  const { tools, ...result } = message.result;
  const json = typeof tools === 'object' && tools !== null ? ready.get(tools) : undefined;
  if (json === undefined) return JSON.stringify(message);
  const head = `${JSON.stringify({ jsonrpc: message.jsonrpc, id: message.id }).slice(0, -1)},"result":{"tools":`;
  const rest = JSON.stringify(result).slice(1);
  return [Buffer.from(head), json, Buffer.from(`${rest === '}' ? '' : ','}${rest}}`)];
}

/** The JSON list of several answers. */
export function listJson(answers: readonly AnswerJson[]): AnswerJson {
  if (answers.every((answer) => typeof answer === 'string')) return `[${answers.join(',')}]`;
  const pieces = answers.flatMap((answer, index) => [Buffer.from(index === 0 ? '[' : ','), ...piecesOf(answer)]);
  return [...pieces, Buffer.from(']')];
}

/** The bytes of an answer, in pieces. */
export function piecesOf(answer: AnswerJson): readonly Buffer[] {
  return typeof answer === 'string' ? [Buffer.from(answer)] : answer;
}
