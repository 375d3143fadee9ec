import { GatewayError } from '../../domain/errors.ts';
import type { OauthAccount } from '../../domain/oauth/oauth-endpoints.ts';
import type { Outbound, OutboundResponse } from '../../domain/outbound.ts';
import { textAt } from '../../integrations/declarative/value-at.ts';

/**
 * The third party's data about a newly connected account, such as the id of its site. Throws
 * ACTION_FAILED unless exactly one account matches.
 */
export async function lookUpAccount(
  outbound: Outbound,
  { url, prefix = 'Bearer ', match = {}, data }: OauthAccount,
  accessToken: string,
  props: Readonly<Record<string, unknown>>,
): Promise<Record<string, string>> {
  const response = await outbound.request({ url, headers: { accept: 'application/json', authorization: prefix + accessToken } });
  const host = new URL(url).hostname;
  const items = itemsOf(response, host);
  const wanted = Object.entries(match).filter(([prop]) => props[prop] !== undefined);
  const fitting = items.filter((item) => wanted.every(([prop, path]) => plain(textAt(item, path)) === plain(String(props[prop]))));
  const found = new Map(fitting.map((item) => [JSON.stringify(pick(item, data)), item]));
  const [item] = found.values();
  if (item === undefined || found.size > 1) throw ambiguous(host, Object.values(match), fitting.length > 1 ? fitting : items);
  return pick(item, data);
}

function itemsOf({ status, body }: OutboundResponse, host: string): unknown[] {
  if (status < 200 || status > 299) throw new GatewayError('ACTION_FAILED', `${host} did not describe the account: it answered ${status}.`);
  try {
    return [JSON.parse(body.toString())].flat();
  } catch {
    throw new GatewayError('ACTION_FAILED', `${host} did not describe the account: its answer is not JSON.`);
  }
}

function pick(item: unknown, paths: OauthAccount['data']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([name, path]) => {
      const text = textAt(item, path);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** Addresses of the same place can differ in case and in a slash at the end. */
function plain(text: string | undefined): string | undefined {
  return text?.toLowerCase().replace(/\/+$/, '');
}

const MAX_NAMED = 20;

function ambiguous(host: string, paths: readonly string[], items: readonly unknown[]): GatewayError {
  const names = items.slice(0, MAX_NAMED).map((item) => paths.map((path) => textAt(item, path)).join(' '));
  const said = names.length > 0 ? `It names ${[...new Set(names)].join(', ')}` : 'It names none';
  return new GatewayError('ACTION_FAILED', `${host} does not identify the requested account. ${said}.`);
}
