import { createHmac, randomUUID } from 'node:crypto';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { isRecord } from '../../domain/unknown-values.ts';
import { sameSecret, type Tokens } from '../../infra/tokens.ts';

/** The only protocol revision that has both sessions and URL elicitation. */
const REVISION = '2025-11-25';

/**
 * Returns a session id if the message is the `initialize` of a client that opens URLs and asks for
 * `REVISION`. Returns undefined for any other message (decision record 49). The session id means
 * only that the client opens URLs. The id is signed, so every replica can verify it and no session
 * is stored.
 */
export function sessionIdFor(tokens: Tokens, message: unknown): string | undefined {
  // These checks come first, because validating a large message is slow.
  if (!isRecord(message) || message.method !== 'initialize' || !isInitializeRequest(message)) return undefined;
  const { protocolVersion, capabilities } = message.params;
  if (protocolVersion !== REVISION || capabilities.elicitation?.url === undefined) return undefined;
  const id = randomUUID();
  return `${id}.${sign(tokens, id)}`;
}

/**
 * Whether the client that sends this session id opens URLs. False for an id that this service did
 * not sign.
 */
export function sessionOpensUrls(tokens: Tokens, sessionId: string): boolean {
  const [id = '', signature = '', ...rest] = sessionId.split('.');
  return signature !== '' && rest.length === 0 && sameSecret(signature, sign(tokens, id));
}

function sign(tokens: Tokens, id: string): string {
  return createHmac('sha256', tokens.key('mcp session that opens URLs')).update(id).digest('base64url');
}
