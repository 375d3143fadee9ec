import type { AuthValue } from '../../definition.ts';
import type { Outgoing } from '../../provider-request.ts';

/**
 * Sends the key of a project in the header `apikey`. Older keys, which are JSON Web Tokens, are
 * also sent as a bearer token; newer keys must not be.
 * https://supabase.com/docs/guides/getting-started/api-keys
 */
export function supabaseKey(request: Outgoing, auth: AuthValue): Outgoing {
  const key = auth.type === 'CUSTOM_AUTH' ? String(auth.props.apiKey) : '';
  const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(key);
  return { ...request, headers: { ...request.headers, apikey: key, ...(isToken && { authorization: `Bearer ${key}` }) } };
}
