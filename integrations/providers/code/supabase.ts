import type { AuthValue } from '../../definition.ts';
import type { Outgoing } from '../../provider-request.ts';

/**
 * Sends the key of a project in the header `apikey`. Supabase requires older keys, which are JSON
 * Web Tokens, as a bearer token too, and refuses newer keys (`sb_secret_…`) as a bearer token.
 * https://supabase.com/docs/guides/getting-started/api-keys
 */
export function supabaseKey(request: Outgoing, auth: AuthValue): Outgoing {
  const key = auth.type === 'CUSTOM_AUTH' ? String(auth.props.apiKey) : '';
  const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(key);
  return { ...request, headers: { ...request.headers, apikey: key, ...(isToken && { authorization: `Bearer ${key}` }) } };
}
