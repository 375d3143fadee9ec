import type { AuthValue } from '../../definition.ts';
import type { Outgoing } from '../../provider-request.ts';

/**
 * Sends the key of a project in `apikey`. Older keys are JSON Web Tokens, which the services also
 * require as a bearer token. They refuse newer keys (`sb_secret_…`) there.
 * https://supabase.com/docs/guides/getting-started/api-keys
 */
export function supabaseKey(request: Outgoing, auth: AuthValue): Outgoing {
  const key = auth.type === 'CUSTOM_AUTH' ? String(auth.props.apiKey) : '';
  const isToken = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(key);
  return { ...request, headers: { ...request.headers, apikey: key, ...(isToken && { authorization: `Bearer ${key}` }) } };
}
