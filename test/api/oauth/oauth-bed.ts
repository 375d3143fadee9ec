import { createHash, randomBytes } from 'node:crypto';
import { freePort } from '../../../standalone/free-port.ts';
import { type Mailbox, openMailbox, readMail } from '../../support/mailbox.ts';
import { type ApiBed, type BedParts, openApiBed } from '../api-bed.ts';
import { aBrowser, type PlainBrowser } from './plain-browser.ts';

export interface OAuthBed extends ApiBed {
  mailbox: Mailbox;
}

/** A service and the mailbox that receives its mail. */
export type SignInBed = Pick<OAuthBed, 'apiUrl' | 'mailbox'>;

/** Opens the API with its authorization server, at a known address, and with a mail server. */
export async function openOAuthBed(env: Record<string, string> = {}, parts: BedParts = {}): Promise<OAuthBed> {
  const [mailbox, port] = await Promise.all([openMailbox(), freePort(0)]);
  const settings = { PORT: String(port), SMTP_URL: mailbox.url, MAIL_FROM: 'Gateway <gateway@example.com>', ...env };
  const bed = await openApiBed(settings, parts);
  return { ...bed, mailbox, close: () => Promise.all([bed.close(), mailbox.close()]).then(() => {}) };
}

/** Creates an MCP server that accepts OAuth. */
export async function aServer(bed: Pick<ApiBed, 'api' | 'workspaceId'>, fields: object = {}): Promise<{ id: string; mcpEndpoint: string }> {
  const body = { name: 'Helpdesk', workspaceId: bed.workspaceId, ...fields };
  return (await bed.api.must(201).post('/api/v1/mcp/servers', body)).server;
}

/**
 * Creates an end user with this e-mail address, by which `restricted` servers recognize the person.
 */
export async function aPerson(bed: Pick<ApiBed, 'api' | 'workspaceId'>, email: string): Promise<{ id: string; externalId: string }> {
  const body = { workspaceId: bed.workspaceId, externalId: `user of ${email}`, email };
  return (await bed.api.must(201).post('/api/v1/end-users', body)).endUser;
}

export const REDIRECT_URI = 'http://127.0.0.1:33418/callback';

/** Registers an OAuth client. */
export async function aClient(bed: Pick<ApiBed, 'apiUrl'>, fields: object = {}): Promise<{ client_id: string; client_secret?: string }> {
  const body = { client_name: 'Desk agent', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', ...fields };
  const answer = await fetch(`${bed.apiUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json() as Promise<{ client_id: string }>;
}

/** Builds an authorization request with PKCE. */
export function anAuthorization(
  bed: Pick<ApiBed, 'apiUrl'>,
  clientId: string,
  resource: string,
  parameters: Record<string, string | undefined> = {},
) {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(8).toString('hex');
  const sent = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT_URI, resource, state },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
    ...parameters,
  };
  const given = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { url: `${bed.apiUrl}/oauth/authorize?${new URLSearchParams(given)}`, state, verifier };
}

/** Signs in on the browser's current page, with the code that was mailed to this address. */
export async function signIn(bed: SignInBed, browser: PlainBrowser, email: string): Promise<void> {
  await browser.submit({ email });
  const mail = bed.mailbox.mails.findLast(({ to }) => to.includes(email.toLowerCase()));
  const code = /\d{6,8}/.exec(readMail(mail!.raw).text)![0];
  await browser.submit({ code });
}

/**
 * Follows an authorization request, with sign-in and consent if needed. Returns the address of the
 * client's redirect.
 */
export async function authorize(bed: SignInBed, url: string, email: string, browser = aBrowser()): Promise<URL> {
  await browser.open(url);
  if (browser.path === '/sign-in') await signIn(bed, browser, email);
  if (browser.path.startsWith('/oauth/interaction/')) await browser.submit({}, 'Allow');
  if (!browser.leftTo) throw new Error(`still at ${browser.url}: ${browser.html}`);
  return browser.leftTo;
}

/** Posts a form to an endpoint of the authorization server. */
export async function postForm(
  bed: Pick<ApiBed, 'apiUrl'>,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(bed.apiUrl + path, { method: 'POST', body: new URLSearchParams(fields), headers });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : undefined };
}

/** Completes a flow for one person and a client, by default a new client. */
export async function tokensFor(bed: SignInBed, server: { mcpEndpoint: string }, email: string, clientId?: string) {
  const client_id = clientId ?? (await aClient(bed)).client_id;
  const { url, verifier } = anAuthorization(bed, client_id, server.mcpEndpoint);
  const code = (await authorize(bed, url, email)).searchParams.get('code')!;
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id, code_verifier: verifier };
  const { status, body } = await postForm(bed, '/oauth/token', { ...exchange, resource: server.mcpEndpoint });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return { client_id, exchange, ...(body as { access_token: string; refresh_token: string; expires_in: number; scope: string }) };
}

/** Sends one JSON-RPC message to an MCP server. */
export async function callServer(server: { mcpEndpoint: string }, token: string | undefined, method = 'tools/list', params: object = {}) {
  const answer = await fetch(server.mcpEndpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: '*/*', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}
