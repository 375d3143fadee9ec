import type { ConnectSession } from '../../../domain/connect-session.ts';
import type { Config } from '../../../infra/config.ts';

/** The message to the page that opened a connect page as a popup (contract decisions 8). */
export interface PopupResult {
  type: 'gateway-connect-result';
  status: 'COMPLETED' | 'FAILED';
  connectionId: string | null;
  integrationName: string;
  externalId: string | null;
  error: string | null;
}

interface PopupEnd {
  result: PopupResult;
  /** The only origins that receive the message. */
  origins: readonly string[];
  next: string | undefined;
}

/**
 * A script that marks the forms of a popup. The answer to a marked form is a page with
 * `TELL_OPENER` instead of a redirect to the caller's site.
 */
export const MARK_POPUP = `if (window.opener) for (const form of document.forms) {
  const mark = document.createElement('input');
  Object.assign(mark, { type: 'hidden', name: 'popup', value: '1' });
  form.append(mark);
}`;

/** A script that posts the result to an opener of a listed origin, and then opens `next`. */
export const TELL_OPENER = `const { result, origins, next } = JSON.parse(document.querySelector('[data-connect-end]').dataset.connectEnd);
if (window.opener) for (const origin of origins) window.opener.postMessage(result, origin);
if (next) location.replace(next);`;

/** The value of `data-connect-end` for `TELL_OPENER`. */
export function endOf(end: PopupEnd): string {
  return JSON.stringify(end);
}

/** Whether a form was sent from a popup. */
export function isMarked(form: URLSearchParams): boolean {
  return form.get('popup') === '1';
}

/** The result of a session; undefined for an open session. */
export function resultOf({ status, connectionId, integrationName, externalId, error }: ConnectSession): PopupResult | undefined {
  if (status !== 'COMPLETED' && status !== 'FAILED') return undefined;
  return { type: 'gateway-connect-result', status, connectionId, integrationName, externalId, error };
}

/** The origins that may receive a result: those of the session's redirects and CORS_ORIGINS. */
export function openerOrigins({ corsOrigins }: Pick<Config, 'corsOrigins'>, session?: ConnectSession): string[] {
  const addresses = [session?.successRedirectUri, session?.errorRedirectUri, ...corsOrigins];
  const known = addresses.filter((address): address is string => typeof address === 'string' && URL.canParse(address));
  return [...new Set(known.map((address) => new URL(address).origin))].filter((origin) => origin !== 'null');
}
