import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Tokens } from '../../infra/tokens.ts';
import type { StateOwner } from '../../store/kv-entries.ts';

/** Permission to fetch one file until `expiresAt`. */
export interface Download {
  owner: StateOwner;
  path: string;
  expiresAt: Date;
}

/** Returns a signed token, which is stored nowhere. */
export function signDownload(tokens: Pick<Tokens, 'key'>, { owner, path, expiresAt }: Download): string {
  const claims = [owner.orgId, owner.workspaceId, owner.scope, owner.scopeKey, path, expiresAt.getTime()];
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${payload}.${signature(tokens, payload).toString('base64url')}`;
}

/**
 * Returns the download that a token permits; undefined for a forged, malformed or expired token.
 */
export function verifyDownload(tokens: Pick<Tokens, 'key'>, token: string, now: Date): Download | undefined {
  const [payload = '', given = '', ...rest] = token.split('.');
  const expected = signature(tokens, payload);
  const signed = Buffer.from(given, 'base64url');
  if (rest.length > 0 || signed.length !== expected.length || !timingSafeEqual(signed, expected)) return undefined;

  const [orgId, workspaceId, scope, scopeKey, path, expiresAt] = JSON.parse(Buffer.from(payload, 'base64url').toString());
  if (expiresAt <= now.getTime()) return undefined;
  return { owner: { orgId, workspaceId, scope, scopeKey }, path, expiresAt: new Date(expiresAt) };
}

function signature(tokens: Pick<Tokens, 'key'>, payload: string): Buffer {
  return createHmac('sha256', tokens.key('file download')).update(payload).digest();
}
