import { createHmac, randomUUID } from 'node:crypto';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { isRecord } from '../../domain/unknown-values.ts';
import { sameSecret, type Tokens } from '../../infra/tokens.ts';

/** The only revision with sessions in which clients can open URLs. */
const REVISION = '2025-11-25';

/**
 * The session id for the answer to this message (decision 0049). Undefined unless the message is
 * the `initialize` of a client that opens URLs. The id says just that. Every replica can verify it
 * by its signature, so no session is stored.
 */
export function sessionIdFor(tokens: Tokens, message: unknown): string | undefined {
  // Checked first, because a message can be large.
  if (!isRecord(message) || message.method !== 'initialize' || !isInitializeRequest(message)) return undefined;
  const { protocolVersion, capabilities } = message.params;
  if (protocolVersion !== REVISION || capabilities.elicitation?.url === undefined) return undefined;
  const id = randomUUID();
  return `${id}.${sign(tokens, id)}`;
}

/** Whether the client that sends this session id opens URLs. False for any other text. */
export function sessionOpensUrls(tokens: Tokens, sessionId: string): boolean {
  const [id = '', signature = '', ...rest] = sessionId.split('.');
  return signature !== '' && rest.length === 0 && sameSecret(signature, sign(tokens, id));
}

function sign(tokens: Tokens, id: string): string {
  return createHmac('sha256', tokens.key('mcp session that opens URLs')).update(id).digest('base64url');
}
