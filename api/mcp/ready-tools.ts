import type { JSONRPCMessage, Tool } from '@modelcontextprotocol/server';

const ready = new WeakMap<object, string>();

/** Serializes a tool list once. Answers that contain the same array reuse the JSON. */
export function readyTools(tools: readonly Tool[]): readonly Tool[] {
  ready.set(tools, JSON.stringify(tools));
  return tools;
}

/** The JSON of an answer, with the cached JSON of its tool list. */
export function stringifyAnswer(message: JSONRPCMessage): string {
  if (!('result' in message)) return JSON.stringify(message);
  const { tools, ...result } = message.result;
  const json = typeof tools === 'object' && tools !== null ? ready.get(tools) : undefined;
  if (json === undefined) return JSON.stringify(message);
  const rest = JSON.stringify(result).slice(1);
  return `${JSON.stringify({ jsonrpc: message.jsonrpc, id: message.id }).slice(0, -1)},"result":{"tools":${json}${rest === '}' ? '' : ','}${rest}}`;
}
