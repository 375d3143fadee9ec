import type { AuthMethod, Integration } from '../../integrations/definition.ts';
import { asksConsent } from './create-oauth-app.ts';

/** An auth method that is offered to the owner of an account. */
export interface Offer {
  method: AuthMethod;
  /**
   * False if the OAuth app of the method is missing, or if its tokens can be sent only through the
   * API.
   */
  isReady: boolean;
}

/**
 * The auth methods to offer for an integration; with `onlyKey`, only that method. `apps` names the
 * integrations that have an OAuth app.
 */
export function offerMethods({ name, auth }: Pick<Integration, 'name' | 'auth'>, apps: readonly string[], onlyKey: string | null): Offer[] {
  return (auth ?? [])
    .filter(({ key }) => onlyKey === null || key === onlyKey)
    .map((method) => ({ method, isReady: asksConsent(method) ? apps.includes(name) : !isByConsent(method) }));
}

function isByConsent({ type }: AuthMethod): boolean {
  return type === 'OAUTH2' || type === 'PLATFORM_OAUTH2';
}
