import type { z } from 'zod';
import type { OutboundRequest } from '../../domain/outbound.ts';
import { ActionError } from '../definition.ts';
import type { httpInput } from './http.ts';

export type HttpInput = z.output<typeof httpInput>;

/** The request that an input describes. Throws ActionError where its parts do not fit together. */
export async function buildHttpRequest(input: HttpInput): Promise<Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>> {
  const headers = new Map(Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const content = await buildContent(input, headers.get('content-type'));
  if (content?.contentType) headers.set('content-type', content.contentType);
  const authorization = buildAuthorization(input);
  if (authorization) headers.set('authorization', authorization);
  return { url: withQuery(input), method: input.method, headers: Object.fromEntries(headers), body: content?.body };
}

function withQuery({ url, queryParams = {} }: HttpInput): string {
  const parsed = URL.parse(url);
  if (!parsed) throw new ActionError('url is not a valid URL. It needs to be absolute, such as https://example.com/path.');
  for (const [name, values] of Object.entries(queryParams)) {
    for (const value of [values].flat()) parsed.searchParams.append(name, String(value));
  }
  return parsed.href;
}

function buildAuthorization({ authType, authFields = {} }: HttpInput): string | undefined {
  if (authType === 'NONE') return undefined;
  if (authType === 'BEARER_TOKEN') {
    if (!authFields.token) throw new ActionError('authType BEARER_TOKEN needs authFields.token.');
    return `Bearer ${authFields.token}`;
  }
  if (authFields.username === undefined || authFields.password === undefined)
    throw new ActionError('authType BASIC needs authFields.username and authFields.password.');
  return `Basic ${Buffer.from(`${authFields.username}:${authFields.password}`).toString('base64')}`;
}

/** `contentType` is absent where the caller's own header stands. */
interface Content {
  body: string | Uint8Array;
  contentType?: string | undefined;
}

async function buildContent({ body, body_type }: HttpInput, given: string | undefined): Promise<Content | undefined> {
  const type = body_type ?? (body === undefined ? 'none' : typeof body === 'string' ? 'raw' : 'json');
  if (type === 'none') return undefined;
  if (body === undefined) throw new ActionError(`body_type ${type} needs a body.`);
  if (type === 'json') return { body: JSON.stringify(body), contentType: given ?? 'application/json' };
  if (type === 'form_data') return buildForm(body, given);
  if (typeof body !== 'string') throw new ActionError('body_type raw needs a body that is a string.');
  return { body, contentType: given ?? 'text/plain;charset=UTF-8' };
}

async function buildForm(body: unknown, given: string | undefined): Promise<Content> {
  const fields = formFields(body);
  if (given?.toLowerCase().startsWith('application/x-www-form-urlencoded')) return { body: new URLSearchParams(fields).toString() };
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new Response(form);
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType: encoded.headers.get('content-type') ?? undefined };
}

function formFields(body: unknown): [string, string][] {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ActionError('body_type form_data needs a body that is an object of fields.');
  return Object.entries(body).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, formValue(name, value)]));
}

function formValue(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ActionError(`body.${name}: a form field is a string, a number, true or false, or a list of them.`);
}
