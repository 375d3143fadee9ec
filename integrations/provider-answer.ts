import { isUtf8 } from 'node:buffer';
import type { OutboundResponse } from '../domain/outbound.ts';
import { ActionError } from './definition.ts';
import { isJsonType, isTextType } from './media-type.ts';
import { parseScrubbed, type Scrub } from './provider-secrets.ts';
import { isObject } from './schema/evaluation.ts';

/**
 * Converts an answer of any media type to an object (import contract 3). Throws ActionError for
 * JSON that cannot be read.
 */
export function readAnswer(response: OutboundResponse, scrub: Scrub, displayName: string): Record<string, unknown> {
  const { body, headers } = response;
  if (body.length === 0) return { result: null };
  const contentType = headers['content-type'] ?? '';
  if (contentType === '') return readUnnamed(response, scrub, displayName);
  if (isJsonType(contentType)) return jsonAnswer(response, scrub, displayName);
  if (isTextType(contentType)) return { text: scrub(decode(body, contentType)), contentType };
  return { base64: body.toString('base64'), contentType, sizeBytes: body.length };
}

function readUnnamed(response: OutboundResponse, scrub: Scrub, displayName: string): Record<string, unknown> {
  const { body } = response;
  if (!isUtf8(body)) return { base64: body.toString('base64'), contentType: 'application/octet-stream', sizeBytes: body.length };
  try {
    return jsonAnswer(response, scrub, displayName);
  } catch (error) {
    if (!(error instanceof ActionError)) throw error;
    return { text: scrub(body.toString()), contentType: 'text/plain' };
  }
}

function jsonAnswer({ body, headers, status }: OutboundResponse, scrub: Scrub, displayName: string): Record<string, unknown> {
  const value = parseJson(body.toString(), status, scrub, displayName);
  if (isObject(value)) return value;
  const next = nextLink(headers.link ?? '');
  return { result: value, ...(next !== undefined && { nextLink: scrub(next) }) };
}

/** Parses JSON and removes secrets. Throws ActionError for JSON that cannot be read. */
export function parseJson(text: string, status: number, scrub: Scrub, displayName: string): unknown {
  try {
    return parseScrubbed(text, scrub);
  } catch (error) {
    if (error instanceof RangeError)
      throw new ActionError(
        `${displayName} answered ${status} with JSON that is nested too deeply to be read. The action may have taken effect.`,
        { status, reason: 'too_deep' },
      );
    throw new ActionError(`${displayName} answered ${status} with something that is not JSON.`, { status, reason: 'unexpected_answer' });
  }
}

/** Returns the address with rel="next" (RFC 8288). */
function nextLink(link: string): string | undefined {
  for (const [, target, parameters] of link.matchAll(/<([^<>]{1,4000})>([^<]*)/g)) {
    const relations = /;\s{0,9}rel\s{0,9}=\s{0,9}(?:"([^"]*)"|([^\s;,]*))/i.exec(parameters!);
    if ((relations?.[1] ?? relations?.[2] ?? '').toLowerCase().split(/\s+/).includes('next')) return target;
  }
  return undefined;
}

function decode(body: Buffer, contentType: string): string {
  const charset = /charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return body.toString();
  }
}
