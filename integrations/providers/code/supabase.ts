import type { AuthValue } from '../../definition.ts';
import type { Outgoing } from '../../provider-request.ts';

/**
 * The key of a project in `apikey`. Keys of the older kind are JSON Web Tokens, which the services
 * behind want as a bearer too; newer ones (`sb_secret_…`) are refused there.
 * https://supabase.com/docs/guides/getting-started/api-keys
 */
export function supabaseKey(request: Outgoing, auth: AuthValue): Outgoing {
  const key = auth.type === 'CUSTOM_AUTH' ? String(auth.props.apiKey) : '';
  const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(key);
  return { ...request, headers: { ...request.headers, apikey: key, ...(isToken && { authorization: `Bearer ${key}` }) } };
}
