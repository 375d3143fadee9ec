import type { Context } from 'koa';
import { isDeeperThan } from '../../domain/is-deeper-than.ts';
import { BODY_MAX_DEPTH } from '../../domain/limits.ts';
import { cleanClientName } from '../../domain/oauth/client-name.ts';
import { isRecord } from '../../domain/unknown-values.ts';
import { readBytes } from '../middleware/read-bytes.ts';

const MAX_BYTES = 64 * 1024;

const IGNORED = new Set(['scope', 'id_token_signed_response_alg', 'default_acr_values', 'default_max_age', 'require_auth_time']);

/**
 * Reads the body of a client registration (RFC 7591). Removes settings that have no effect here and
 * that the library would refuse. A body that is too large or too deep becomes empty, so that the
 * library refuses it.
 */
export async function readRegistration(ctx: Context): Promise<string> {
  const bytes = await readBytes(ctx, MAX_BYTES);
  return acceptMetadata(bytes?.toString('utf8') ?? '');
}

/** Cleans a client metadata document like a registration. */
export function acceptMetadata(text: string): string {
  const body = parse(text);
  // Valid metadata is never nested this deep. The library refuses the empty body.
  if (isDeeperThan(BODY_MAX_DEPTH, body)) return '';
  if (!isRecord(body)) return text;
  const metadata = Object.fromEntries(Object.entries(body).filter(([name]) => !IGNORED.has(name)));
  const { client_name: name } = metadata;
  return JSON.stringify({
    grant_types: ['authorization_code', 'refresh_token'],
    ...(neverRedirects(metadata) && { response_types: [] }),
    ...metadata,
    ...(isNative(metadata) && { application_type: 'native' }),
    ...(typeof name === 'string' && { client_name: cleanClientName(name) }),
  });
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * Whether a client of the device flow has no redirect address. The default of `response_types`
 * would need one (RFC 7591 section 2).
 */
function neverRedirects({ grant_types: grants, redirect_uris: uris = [] }: Record<string, unknown>): boolean {
  return Array.isArray(grants) && grants.includes(DEVICE_CODE) && Array.isArray(uris) && uris.length === 0;
}

/** Returns null for invalid JSON, to which the authorization server answers `invalid_request`. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Whether a redirect address has no https. Such a client counts as native, because the library
 * checks `http:` addresses only for native apps (RFC 8252).
 */
function isNative({ redirect_uris: uris }: Record<string, unknown>): boolean {
  return Array.isArray(uris) && uris.some((uri) => typeof uri === 'string' && !uri.startsWith('https:'));
}
