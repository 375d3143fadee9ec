import { PassThrough, type Readable } from 'node:stream';
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
import { boundErrorAnswer } from './bound-error-answer.ts';
import { type AnswerJson, answerJson, listJson, piecesOf } from './serialize-tools.ts';

/** The HTTP answer to a POST. */
export interface LegacyAnswer {
  status: number;
  /** Absent if the answer has no body or is an event stream. */
  json?: AnswerJson;
  /** Server-sent events instead of JSON, for a call that reports progress. */
  events?: Readable;
}

const MAX_BATCH = 100;

/**
 * Answers a POST of the protocol revisions up to 2025-11-25. Ignores notifications, including
 * cancellations: a cancellation may reach another replica than its request did, and a cancelled
 * request in a batch would get no answer.
 */
export async function answerLegacy(
  open: () => Server,
  body: unknown,
  { protocolVersion, takesEvents }: { protocolVersion: string | undefined; takesEvents: boolean },
): Promise<LegacyAnswer> {
  const batch = Array.isArray(body) ? body : [body];
  const messages = batch.length > 0 && batch.length <= MAX_BATCH ? parseAll(batch) : undefined;
  if (!messages) return refuse(-32600, `Invalid Request: send one JSON-RPC message, or an array of 1 to ${MAX_BATCH}`);

  const requests = messages.filter(isJSONRPCRequest);
  const malformed = requests.find((request) => request.method === 'initialize' && !isInitializeRequest(request));
  if (malformed) return refuse(-32602, 'Invalid params: initialize needs protocolVersion, capabilities and clientInfo', malformed.id);
  const opens = requests.some(isInitializeRequest);
  if (opens && messages.length > 1) return refuse(-32600, 'Invalid Request: initialize must be sent alone');
  if (!opens && protocolVersion && !SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion)) {
    return refuse(-32000, `Unsupported MCP-Protocol-Version; supported are ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`);
  }
  if (new Set(requests.map(({ id }) => id)).size < requests.length)
    return refuse(-32600, 'Invalid Request: two requests of a batch have the same id');
  if (requests.length === 0) return { status: 202 };

  if (takesEvents && !Array.isArray(body)) return answerAtLength(open(), requests);
  const answers = (await exchange(open(), requests, () => {})).map(answerJson);
  return { status: 200, json: Array.isArray(body) ? listJson(answers) : answers[0]! };
}

async function answerAtLength(server: Server, requests: JSONRPCRequest[]): Promise<LegacyAnswer> {
  const events = new PassThrough();
  const begun = Promise.withResolvers<undefined>();
  const tell = (json: AnswerJson) => {
    if (!events.destroyed) events.write(Buffer.concat([EVENT_START, ...piecesOf(json), EVENT_END]));
  };
  const answered = exchange(server, requests, (message) => {
    tell(JSON.stringify(message));
    begun.resolve(undefined);
  }).then(([answer]) => answerJson(answer!));
  const json = await Promise.race([answered, begun.promise]);
  if (json !== undefined) return { status: 200, json };
  void answered.then(tell).finally(() => events.end());
  return { status: 200, events };
}

const EVENT_START = Buffer.from('event: message\ndata: ');
const EVENT_END = Buffer.from('\n\n');

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

/** Returns the answers in the order of the requests. */
async function exchange(server: Server, requests: JSONRPCRequest[], tell: (message: JSONRPCMessage) => void): Promise<JSONRPCMessage[]> {
  const answers = new Map<RequestId | undefined, JSONRPCMessage>();
  const { promise: complete, resolve } = Promise.withResolvers<void>();
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    send: async (message) => {
      if ('method' in message) return tell(message);
      answers.set(message.id, message);
      if (answers.size === requests.length) resolve();
    },
  };
  await server.connect(transport);
  for (const request of requests) transport.onmessage?.(request);
  await complete;
  // The `Server` object is left to the garbage collector. Closing it would create an Error, which
  // is expensive.
  return requests.map(({ id }) => boundErrorAnswer(answers.get(id)!));
}
