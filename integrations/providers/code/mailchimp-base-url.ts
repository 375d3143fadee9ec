import { ActionError, type AuthValue } from '../../definition.ts';

/**
 * The base URL at the account's data center. Throws ActionError if the account does not name one.
 */
export function mailchimpBaseUrl(auth: AuthValue): string {
  const name = auth.type === 'SECRET_TEXT' ? auth.secretText.split('-').at(-1) : 'data' in auth ? auth.data?.dc : undefined;
  if (typeof name === 'string' && /^[a-z]{2,3}\d{1,3}$/.test(name)) return `https://${name}.api.mailchimp.com/3.0`;
  throw new ActionError('The connected account does not name its data center, such as us6 at the end of an API key. Connect it again.', {
    reason: 'unauthorized',
  });
}
