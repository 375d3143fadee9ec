import type { OutboundResponse, OutboundStream } from '../../../domain/outbound.ts';
import { saidBy, thirdPartyError } from '../../provider-error.ts';
import type { Scrub } from '../../provider-secrets.ts';
import { isObject } from '../../schema/evaluation.ts';

/** `scrub` hides the secrets that errors must not show. */
export interface Called {
  displayName: string;
  scrub: Scrub;
  now: Date;
}

/**
 * Returns the error for a status that the MCP library should not handle. Undefined for other
 * answers.
 */
export async function refusalOf(answer: OutboundStream, { displayName, scrub, now }: Called): Promise<Error | undefined> {
  const { status } = answer;
  if (status !== 401 && status !== 403 && status !== 429 && status < 500) return undefined;
  const response: OutboundResponse = { ...answer, body: await beginningOf(answer.body) };
  return thirdPartyError({ displayName, response, scrub, now, said: saidBy(response, readRpcError, scrub) });
}

const FAILURE_MAX_BYTES = 16 * 1024;

/** Reads the beginning of a body. If the body breaks off, returns what arrived. */
async function beginningOf(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= FAILURE_MAX_BYTES) break;
    }
  } catch {
    // The status is enough to describe the failure.
  }
  return Buffer.concat(chunks).subarray(0, FAILURE_MAX_BYTES);
}

function readRpcError(body: unknown) {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error) || typeof error.message !== 'string') return undefined;
  return { message: error.message, code: typeof error.code === 'number' ? error.code : undefined };
}
