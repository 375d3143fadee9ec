import type { AuthValue } from '../../definition.ts';

/**
 * The host for a key. Keys of the free plan end in `:fx` and have another host.
 * https://developers.deepl.com/docs/getting-started/auth
 */
export function deeplHost(auth: AuthValue): string {
  const isFree = auth.type === 'SECRET_TEXT' && auth.secretText.endsWith(':fx');
  return isFree ? 'https://api-free.deepl.com' : 'https://api.deepl.com';
}
