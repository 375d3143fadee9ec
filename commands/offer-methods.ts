import type { AuthMethod, Integration } from '../integrations/definition.ts';
import { asksConsent } from './create-oauth-app.ts';

/** A way to connect, as somebody may be offered it. */
export interface Offer {
  method: AuthMethod;
  /** False where consent would be asked and the organization has configured no OAuth app for it. */
  isReady: boolean;
}

/** The ways to link an account of an integration, or the one of them that is asked for. `apps` are the integrations that have an OAuth app. */
export function offerMethods({ name, auth }: Pick<Integration, 'name' | 'auth'>, apps: readonly string[], onlyKey: string | null): Offer[] {
  return (auth ?? [])
    .filter(({ key }) => onlyKey === null || key === onlyKey)
    .map((method) => ({ method, isReady: asksConsent(method) ? apps.includes(name) : !isByConsent(method) }));
}

/** Also where the integration does not say how consent is asked: then nobody can enter anything, and only the API takes the tokens. */
function isByConsent({ type }: AuthMethod): boolean {
  return type === 'OAUTH2' || type === 'PLATFORM_OAUTH2';
}
