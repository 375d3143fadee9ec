import type { AuthMethod, Integration } from '../../integrations/definition.ts';
import { asksConsent } from './create-oauth-app.ts';

/** An auth method that is offered to the owner of an account. */
export interface Offer {
  method: AuthMethod;
  /**
   * False if the organization has not configured the OAuth app that the method needs. Also false if
   * the tokens of the method can be sent only through the API.
   */
  isReady: boolean;
}

/**
 * Returns the auth methods to offer for an integration; with `onlyKey`, only the method with that
 * key. `apps` names the integrations that have an OAuth app.
 */
export function offerMethods({ name, auth }: Pick<Integration, 'name' | 'auth'>, apps: readonly string[], onlyKey: string | null): Offer[] {
  return (auth ?? [])
    .filter(({ key }) => onlyKey === null || key === onlyKey)
    .map((method) => ({ method, isReady: asksConsent(method) ? apps.includes(name) : !isByConsent(method) }));
}

/**
 * Returns true for methods whose tokens come from the owner's consent, even if the integration
 * declares no consent URL. Without a consent URL, tokens can be sent only through the API.
 */
function isByConsent({ type }: AuthMethod): boolean {
  return type === 'OAUTH2' || type === 'PLATFORM_OAUTH2';
}
