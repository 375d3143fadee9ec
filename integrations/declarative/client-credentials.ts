import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Outbound, OutboundResponse } from '../../domain/outbound.ts';
import { ActionError, type AuthValue } from '../definition.ts';
import { type Authenticate, basicToken } from '../provider-auth.ts';
import { isObject } from '../schema/evaluation.ts';
import type { ClientCredentials } from './document.ts';
import { accountValues, fillAddress } from './fill-address.ts';

interface Client {
  clientId: string;
  clientSecret: string;
}

/** Used if the answer contains no lifetime. */
const LIFETIME_SECONDS = 300;
const EARLY_SECONDS = 60;
const TIMEOUT_MS = 15_000;

interface Grant extends Omit<ClientCredentials, 'tokenUrl'>, Client {
  tokenUrl: string;
  outbound: Outbound;
}

/** Concurrent calls for the same token share one request. */
const tokens = new LRUCache<string, string, Grant>({
  max: 10_000,
  async fetchMethod(_, __, { context, options }) {
    const { token, seconds } = await askForToken(context);
    options.ttl = Math.max(1, (seconds - EARLY_SECONDS) * 1000);
    return token;
  },
});

/**
 * Authenticates with an access token that the authorization server issues to the account's client
 * (RFC 6749, section 4.4).
 */
export function withClientCredentials({ tokenUrl, ...grant }: ClientCredentials): Authenticate {
  return async (request, auth, _, { outbound }) => {
    const asked = { ...grant, ...clientOf(auth), tokenUrl: fillAddress(tokenUrl, accountValues(auth)) };
    const key = createHash('sha256').update(JSON.stringify(asked)).digest('base64');
    const kept = tokens.get(key);
    const token = kept ?? (await tokens.forceFetch(key, { context: { ...asked, outbound } }));
    return {
      ...request,
      headers: { ...request.headers, authorization: `Bearer ${token}` },
      secrets: [token],
      ...(kept !== undefined && { forget: () => forget(key, token) }),
    };
  };
}

/** Another call may have replaced the token already. */
function forget(key: string, token: string): void {
  if (tokens.peek(key) === token) tokens.delete(key);
}

function clientOf(auth: AuthValue): Client {
  const { clientId, clientSecret } = auth.type === 'CUSTOM_AUTH' ? auth.props : {};
  if (typeof clientId !== 'string' || typeof clientSecret !== 'string')
    throw new ActionError('The connected account has no clientId and clientSecret. Connect it again.', { reason: 'unauthorized' });
  return { clientId, clientSecret };
}

/** Has its own time limit, because several calls may wait for the token. */
async function askForToken({ tokenUrl, scopes = [], clientAuth = 'basic', clientId, clientSecret, outbound }: Grant) {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scopes.length > 0 && { scope: scopes.join(' ') }) });
  const isBasic = clientAuth === 'basic';
  if (!isBasic) for (const [name, value] of Object.entries({ client_id: clientId, client_secret: clientSecret })) form.set(name, value);
  const basic = basicToken({ username: encodeURIComponent(clientId), password: encodeURIComponent(clientSecret) });
  const response = await outbound.request({
    url: tokenUrl,
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(isBasic && { authorization: `Basic ${basic}` }),
    },
    body: form.toString(),
    timeoutMs: TIMEOUT_MS,
  });
  return readToken(response);
}

function readToken({ status, body }: OutboundResponse): { token: string; seconds: number } {
  const answer = parse(body.toString());
  const { access_token: token, expires_in: seconds } = answer;
  if (status >= 200 && status < 300 && typeof token === 'string' && token !== '')
    return { token, seconds: Number(seconds) > 0 ? Number(seconds) : LIFETIME_SECONDS };
  const said = /^[\w.-]{1,100}$/.test(String(answer.error)) ? ` (${answer.error})` : '';
  throw new ActionError(`The authorization server issued no token: it answered ${status}${said}.`, {
    status,
    ...((status === 400 || status === 401) && { reason: 'unauthorized' }),
  });
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
