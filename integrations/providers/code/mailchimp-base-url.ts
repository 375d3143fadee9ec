import { ActionError, type AuthValue } from '../../definition.ts';

/**
 * The base URL at the data center of an account, such as us6. An API key ends with the name of the
 * data center; the data of an OAuth connection contain it. Throws ActionError if the name is
 * missing.
 */
export function mailchimpBaseUrl(auth: AuthValue): string {
  const name = auth.type === 'SECRET_TEXT' ? auth.secretText.split('-').at(-1) : 'data' in auth ? auth.data?.dc : undefined;
  if (typeof name === 'string' && /^[a-z]{2,3}\d{1,3}$/.test(name)) return `https://${name}.api.mailchimp.com/3.0`;
  throw new ActionError('The connected account does not name its data center, such as us6 at the end of an API key. Connect it again.', {
    reason: 'unauthorized',
  });
}
