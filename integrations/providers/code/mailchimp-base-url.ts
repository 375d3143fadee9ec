import { ActionError, type AuthValue } from '../../definition.ts';

/**
 * The address of the data center of an account, such as us6. An API key ends with its name; OAuth
 * tokens have it in their data. Throws ActionError if it is in neither.
 */
export function mailchimpBaseUrl(auth: AuthValue): string {
  const name = auth.type === 'SECRET_TEXT' ? auth.secretText.split('-').at(-1) : 'data' in auth ? auth.data?.dc : undefined;
  if (typeof name === 'string' && /^[a-z]{2,3}\d{1,3}$/.test(name)) return `https://${name}.api.mailchimp.com/3.0`;
  throw new ActionError('The connected account does not say its data center, such as us6 at the end of an API key. Connect it again.', {
    reason: 'unauthorized',
  });
}
