import type { ConnectSession } from '../../../domain/connect-session.ts';

/**
 * The redirect URI of the caller with the outcome in its query. Undefined for an open session, or
 * without such a URI.
 */
export function returnAddress(session: ConnectSession): string | undefined {
  if (session.status === 'COMPLETED') {
    return withQuery(session.successRedirectUri, { status: 'success', connectionId: session.connectionId ?? '' });
  }
  return session.status === 'FAILED' ? withQuery(session.errorRedirectUri, { status: 'error', error: session.error ?? '' }) : undefined;
}

function withQuery(uri: string | null, parameters: Record<string, string>): string | undefined {
  if (uri === null) return undefined;
  const url = new URL(uri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}
