import { createHmac, randomInt } from 'node:crypto';
import { GatewayError } from '../../domain/errors.ts';
import { normalizeEmail, SIGN_IN_CODE } from '../../domain/oauth/sign-in.ts';
import { trySendMail } from '../../infra/mailer.ts';
import { countSignInCodes, insertSignInCode, lockSignInAddress } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';
import { writeSignInMail } from './write-sign-in-mail.ts';

/** `browserSecret` binds the code to a browser. It is kept in a cookie and never mailed. */
export interface SentSignInCode {
  browserSecret: string;
  email: string;
}

/**
 * Mails a sign-in code, which works only with the returned secret (contract decisions 8). The
 * result does not reveal whether the address is known. Throws VALIDATION_ERROR,
 * EMAIL_NOT_CONFIGURED, RATE_LIMITED and UNAVAILABLE.
 */
export async function sendSignInCode(
  gateway: Gateway,
  { email: typed, source }: { email: string; source: string },
): Promise<SentSignInCode> {
  const { db, tokens, mailer } = gateway;
  const email = normalizeEmail(typed);
  if (!email) throw new GatewayError('VALIDATION_ERROR', 'Enter an e-mail address, such as name@example.com.');
  if (!mailer) throw new GatewayError('EMAIL_NOT_CONFIGURED', 'This service cannot send e-mail. Its operator sets SMTP_URL.');
  const browserSecret = tokens.issue('sin_');
  const browserHash = tokens.hash(browserSecret);
  const code = String(randomInt(10 ** SIGN_IN_CODE.digits)).padStart(SIGN_IN_CODE.digits, '0');
  await db.transaction(async (tx) => {
    await lockSignInAddress(tx, email);
    const { ofEmail, ofSource } = await countSignInCodes(tx, email, source);
    if (ofEmail >= SIGN_IN_CODE.maxPerAddress || ofSource >= SIGN_IN_CODE.maxPerSource)
      throw new GatewayError('RATE_LIMITED', 'Too many codes were sent. Wait an hour, then try again.');
    const { guesses, lifetimeSeconds } = SIGN_IN_CODE;
    await insertSignInCode(tx, { browserHash, email, codeHash: hashCode(gateway, browserSecret, code), source, guesses, lifetimeSeconds });
  });
  const failure = { event: 'sign-in mail not sent', secrets: [email, code] };
  const isSent = await trySendMail(mailer, gateway.logger, { to: email, ...writeSignInMail(code) }, failure);
  if (!isSent) throw new GatewayError('UNAVAILABLE', 'The mail could not be sent. Check the address, or try again later.');
  return { browserSecret, email };
}

/** Hashes a code with the secret of the browser, so that equal codes have different hashes. */
export function hashCode({ tokens }: Pick<Gateway, 'tokens'>, browserSecret: string, code: string): Buffer {
  return createHmac('sha256', tokens.key('sign-in code')).update(`${browserSecret}\0${code}`).digest();
}
