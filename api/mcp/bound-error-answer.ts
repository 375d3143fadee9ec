import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { boundError } from '../../domain/bound-error.ts';
import { isRecord } from '../../domain/unknown-values.ts';

/**
 * Limits the size of a JSON-RPC error, because the MCP library quotes the request in its errors.
 */
export function boundErrorAnswer(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const { message: sentence, data, ...error } = message.error;
  const bounded = boundError({ message: sentence, ...(isRecord(data) && { details: data }) });
  return { ...message, error: { ...error, message: bounded.message, ...(bounded.details && { data: bounded.details }) } };
}
