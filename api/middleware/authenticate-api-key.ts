import type { Context } from 'koa';
import { authenticateKey, authenticateKeyAndRead, type KeyedRecord } from '../../commands/access/authenticate-key.ts';
import type { Gateway } from '../../commands/gateway.ts';
import type { KeyPrincipal } from '../../domain/principal.ts';

/**
 * Returns the principal of the request's API key. Throws the same UNAUTHORIZED for every bad
 * credential.
 */
export async function authenticateApiKey(gateway: Gateway, ctx: Context): Promise<KeyPrincipal> {
  return authenticateKey(gateway, bearerToken(ctx) ?? '');
}

/** Like `authenticateApiKey`, and reads a record in the same database round trip. */
export async function authenticateAndRead<Row>(
  gateway: Gateway,
  ctx: Context,
  read: Parameters<typeof authenticateKeyAndRead<Row>>[2],
): Promise<KeyedRecord<Row>> {
  return authenticateKeyAndRead(gateway, bearerToken(ctx) ?? '', read);
}

/** The token of `Authorization: Bearer <token>`. Undefined if the header is absent or malformed. */
export function bearerToken(ctx: Context): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(ctx.get('Authorization'))?.[1];
}
