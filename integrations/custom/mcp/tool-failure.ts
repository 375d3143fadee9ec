import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { GatewayError } from '../../../domain/errors.ts';
import { ActionError } from '../../definition.ts';
import { isObject } from '../../schema/evaluation.ts';
import { STREAM_ENDED } from './remote-transport.ts';
import type { Called } from './tool-error.ts';

/** Converts the error of a call to the caller's error, without secrets. */
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
