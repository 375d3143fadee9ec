import { GatewayError } from '../../../../domain/errors.ts';
import { ANSWER_MAX_BYTES } from '../../../../domain/limits.ts';
import type { HideSecrets } from '../../../../domain/redaction/hide-secrets.ts';
import { ActionError } from '../../../definition.ts';
import type { PostgresAccount } from './account.ts';
import { TooMuchReceivedError, UnreadableMessageError } from './message-checker.ts';

interface Failure {
  account: PostgresAccount;
  scrub: HideSecrets;
  isCanceled: boolean;
  isLate: boolean;
  mayHaveActed: boolean;
}

/** https://www.postgresql.org/docs/current/protocol-error-fields.html */
interface ServerError extends Error {
  severity: string;
  code: string;
  detail?: string;
  hint?: string;
}

const MESSAGE_MAX_LENGTH = 500;

/**
 * Reasons by SQLSTATE or its class. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const REASONS: Readonly<Record<string, string>> = {
  28: 'unauthorized',
  25006: 'read_only',
  53300: 'rate_limited',
  57014: 'timeout',
};

/**
 * Converts an error for the caller, without the password of the account. Returns a GatewayError
 * unchanged.
 */
export function postgresError(error: unknown, failure: Failure): GatewayError {
  if (error instanceof GatewayError) return error;
  const { account, isCanceled, isLate, mayHaveActed } = failure;
  const options = { cause: error };
  if (isCanceled) return new ActionError(`The call to ${account.host} was canceled.`, { reason: 'aborted' }, options);
  if (isLate) return new ActionError(`${account.host} did not answer in time.`, { reason: 'timeout' }, options);
  if (isServerError(error)) return refused(error, failure);
  const [reason, sentence] = brokenBy(error, account.host);
  return new ActionError(mayHaveActed ? `${sentence} The action may have taken effect.` : sentence, { reason }, options);
}

function isServerError(error: unknown): error is ServerError {
  const { severity, code } = (error ?? {}) as Partial<ServerError>;
  return typeof severity === 'string' && typeof code === 'string';
}

function refused({ message, detail, hint, code }: ServerError, { scrub }: Failure): ActionError {
  const said = [message, detail, hint].filter((text) => typeof text === 'string' && text !== '').join('; ');
  const text = scrub(said)
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  const cut = text.length > MESSAGE_MAX_LENGTH ? `${text.slice(0, MESSAGE_MAX_LENGTH).toWellFormed()}…` : text;
  const shownCode = scrub(code).slice(0, 5);
  const reason = REASONS[shownCode] ?? REASONS[shownCode.slice(0, 2)];
  const who =
    reason === 'unauthorized' ? 'PostgreSQL refused the credentials of the connected account; connect it again' : 'PostgreSQL refused';
  return new ActionError(`${who}: ${cut} (${shownCode})`, { code: shownCode, ...(reason && { reason }) });
}

function brokenBy(error: unknown, host: string): [reason: string, sentence: string] {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (error instanceof TooMuchReceivedError)
    return ['too_large', `PostgreSQL answered more than ${ANSWER_MAX_BYTES / 1024 / 1024} MB. Ask for fewer rows or columns.`];
  if (message === 'timeout expired') return ['timeout', `${host} did not accept the connection in time.`];
  if (message === 'The server does not support SSL connections') return ['unreachable', `${host} takes no encrypted connections.`];
  if (/CERT|^UNABLE_TO_|_CA_|^HOSTNAME_MISMATCH$/.test(code))
    return ['unreachable', `${host} does not show a certificate that is valid for this name and these authorities.`];
  if (error instanceof UnreadableMessageError) return ['unexpected_answer', `${host} does not speak the protocol of PostgreSQL.`];
  if (message.startsWith('SASL') || message.startsWith('Unknown auth'))
    return ['unexpected_answer', `${host} asks for credentials in a way that this service does not support.`];
  return ['unreachable', `The connection to ${host} broke before it had answered.`];
}
