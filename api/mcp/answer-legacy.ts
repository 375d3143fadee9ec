import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  parseJSONRPCMessage,
  type RequestId,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Transport,
} from '@modelcontextprotocol/server';
import { stringifyAnswer } from './ready-tools.ts';

export interface LegacyAnswer {
  status: number;
  /** Absent where there is nothing to say. */
  json?: string;
}

const MAX_BATCH = 100;

/**
 * Answers a POST of the revisions up to 2025-11-25 with plain JSON, whatever it accepts and whether or not it opened with
 * initialize. Only requests are handed on: a request that a notification of the same batch cancels would never be answered.
 */
export async function answerLegacy(open: () => Server, body: unknown, protocolVersion: string | undefined): Promise<LegacyAnswer> {
  const batch = Array.isArray(body) ? body : [body];
  const messages = batch.length > 0 && batch.length <= MAX_BATCH ? parseAll(batch) : undefined;
  if (!messages) return refuse(-32600, `Invalid Request: send one JSON-RPC message, or an array of 1 to ${MAX_BATCH}`);

  const requests = messages.filter(isJSONRPCRequest);
  const malformed = requests.find((request) => request.method === 'initialize' && !isInitializeRequest(request));
  if (malformed) return refuse(-32602, 'Invalid params: initialize takes protocolVersion, capabilities and clientInfo', malformed.id);
  const opens = requests.some(isInitializeRequest);
  if (opens && messages.length > 1) return refuse(-32600, 'Invalid Request: initialize must be sent alone');
  if (!opens && protocolVersion && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    return refuse(-32000, `Unsupported MCP-Protocol-Version; supported are ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`);
  }
  if (new Set(requests.map(({ id }) => id)).size < requests.length)
    return refuse(-32600, 'Invalid Request: two requests of a batch have the same id');
  if (requests.length === 0) return { status: 202 };

  const answers = (await exchange(open(), requests)).map(stringifyAnswer);
  return { status: 200, json: Array.isArray(body) ? `[${answers.join(',')}]` : answers[0]! };
}

function parseAll(batch: unknown[]): JSONRPCMessage[] | undefined {
  try {
    return batch.map(parseJSONRPCMessage);
  } catch {
    return undefined;
  }
}

function refuse(code: number, message: string, id: RequestId | null = null): LegacyAnswer {
  return { status: 400, json: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) };
}

/** Connects a server for these requests alone and gives back its answers in their order. */
async function exchange(server: Server, requests: JSONRPCRequest[]): Promise<JSONRPCMessage[]> {
  const answers = new Map<RequestId | undefined, JSONRPCMessage>();
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if ('method' in message) return;
      answers.set(message.id, message);
      if (answers.size === requests.length) resolve();
    },
  };
  await server.connect(transport);
  for (const request of requests) transport.onmessage?.(request);
  await complete;
  await server.close();
  return requests.map(({ id }) => answers.get(id)!);
}
