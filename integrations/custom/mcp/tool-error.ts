import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { GatewayError } from '../../../domain/errors.ts';
import type { OutboundResponse, OutboundStream } from '../../../domain/outbound.ts';
import { ActionError } from '../../definition.ts';
import { saidBy, thirdPartyError } from '../../provider-error.ts';
import type { Scrub } from '../../provider-secrets.ts';
import { isObject } from '../../schema/evaluation.ts';
import { STREAM_ENDED } from './remote-transport.ts';

/** The called server, and the secrets that errors must not show. */
export interface Called {
  displayName: string;
  scrub: Scrub;
  now: Date;
}

/**
 * The error for a status that the MCP client should not handle: refused credentials, too many
 * calls, failures of the server.
 */
export async function refusalOf(answer: OutboundStream, { displayName, scrub, now }: Called): Promise<Error | undefined> {
  const { status } = answer;
  if (status !== 401 && status !== 403 && status !== 429 && status < 500) return undefined;
  const response: OutboundResponse = { ...answer, body: await beginningOf(answer.body) };
  return thirdPartyError({ displayName, response, scrub, now, said: saidBy(response, readRpcError, scrub) });
}

const FAILURE_MAX_BYTES = 16 * 1024;

/** The beginning of a body; if the body breaks off, the part before. */
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

/** The failure of a call as the caller sees it, without secrets. */
export function toolFailure(error: unknown, { displayName, scrub }: Called): unknown {
  if (error instanceof GatewayError) return error;
  const shown = (message: string) => cutMessage(scrub(message));
  if (error instanceof ProtocolError && Number(error.code) === STREAM_ENDED) return streamFailure(displayName, error.data);
  if (error instanceof ProtocolError)
    return new ActionError(`${displayName} refused: ${shown(error.message)}`, { code: String(error.code) });
  if (error instanceof SdkHttpError)
    return new ActionError(`${displayName} answered ${error.status ?? 'with a failure'}: ${shown(String(error.data.text ?? ''))}`, {
      ...(error.status !== undefined && { status: error.status }),
    });
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new ActionError(`${displayName} did not answer in time. ${MAY_HAVE_ACTED}`, { reason: 'timeout' });
  if (error instanceof SdkError || error instanceof SyntaxError)
    return new ActionError(`${displayName} answered in an unexpected form. ${MAY_HAVE_ACTED}`, { reason: 'unexpected_answer' });
  return error;
}

function streamFailure(displayName: string, data: unknown): ActionError {
  const reason = isObject(data) && typeof data.reason === 'string' ? data.reason : 'unreachable';
  const what =
    reason === 'too_large' ? `The answer of ${displayName} is too large.` : `${displayName} ended its answer before it was complete.`;
  return new ActionError(`${what} ${MAY_HAVE_ACTED}`, { reason });
}

const MAY_HAVE_ACTED = 'The action may have taken effect.';

const MESSAGE_MAX_LENGTH = 500;

function cutMessage(text: string): string {
  return text
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim()
    .slice(0, MESSAGE_MAX_LENGTH);
}
