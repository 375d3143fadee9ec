import type { OutboundRequest } from '../../../domain/outbound.ts';
import { addressOf, bodyTypeOf, type HttpInput } from './http-input.ts';

/** Returns the request that an input describes. */
export async function buildHttpRequest(input: HttpInput): Promise<Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>> {
  const headers = new Map(Object.entries(input.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  const content = await buildContent(input, headers.get('content-type'));
  if (content?.contentType) headers.set('content-type', content.contentType);
  const authorization = buildAuthorization(input);
  if (authorization) headers.set('authorization', authorization);
  return { url: addressOf(input), method: input.method, headers: Object.fromEntries(headers), body: content?.body };
}

function buildAuthorization({ authType, authFields = {} }: HttpInput): string | undefined {
  if (authType === 'NONE') return undefined;
  if (authType === 'BEARER_TOKEN') return `Bearer ${authFields.token}`;
  return `Basic ${Buffer.from(`${authFields.username}:${authFields.password}`).toString('base64')}`;
}

interface Content {
  body: string | Uint8Array;
  contentType?: string | undefined;
}

async function buildContent(input: HttpInput, given: string | undefined): Promise<Content | undefined> {
  switch (bodyTypeOf(input)) {
    case 'none':
      return undefined;
    case 'json':
      return { body: JSON.stringify(input.body), contentType: given ?? 'application/json' };
    case 'raw':
      return { body: input.body as string, contentType: given ?? 'text/plain;charset=UTF-8' };
    case 'form_data':
      return buildForm(input.body as Record<string, unknown>, given);
  }
}

async function buildForm(body: Readonly<Record<string, unknown>>, given: string | undefined): Promise<Content> {
  const fields = Object.entries(body).flatMap(([name, values]) => [values].flat().map((value): [string, string] => [name, String(value)]));
  if (given?.toLowerCase().startsWith('application/x-www-form-urlencoded')) return { body: new URLSearchParams(fields).toString() };
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  const encoded = new Response(form);
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType: encoded.headers.get('content-type') ?? undefined };
}
