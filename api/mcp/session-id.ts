import { createHmac, randomUUID } from 'node:crypto';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import { isRecord } from '../../domain/unknown-values.ts';
import { sameSecret, type Tokens } from '../../infra/tokens.ts';

/** The only protocol revision that has both sessions and URL elicitation. */
const REVISION = '2025-11-25';

/**
 * Returns a signed session id if the message is the `initialize` of a client that opens URLs and
 * asks for `REVISION`, else undefined (decision record 49). The id means only that the client opens
 * URLs.
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
 * Whether a session id says that the client opens URLs. False for an id that this service did not
 * sign.
 */
export function sessionOpensUrls(tokens: Tokens, sessionId: string): boolean {
  const [id = '', signature = '', ...rest] = sessionId.split('.');
  return signature !== '' && rest.length === 0 && sameSecret(signature, sign(tokens, id));
}

function sign(tokens: Tokens, id: string): string {
  return createHmac('sha256', tokens.key('mcp session that opens URLs')).update(id).digest('base64url');
}
