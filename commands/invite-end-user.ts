import { GatewayError } from '../domain/errors.ts';
import { type HideSecrets, hiderOf } from '../domain/hide-secrets.ts';
import type { Mail, MailError, Mailer } from '../infra/mailer.ts';
import { checkConnectTarget } from './check-connect-target.ts';
import type { Gateway } from './gateway.ts';
import { type ConnectTokenRequest, type IssuedConnectToken, mintConnectToken } from './issue-connect-token.ts';
import { writeInvitation } from './write-invitation.ts';

/**
 * Sends an end user the link to the connect portal (specification 4.3). `emailSent` says whether the mail server accepted the mail; the
 * link is good in either case. Throws what issuing a token throws, then EMAIL_NOT_CONFIGURED, before there is a token.
 */
export async function inviteEndUser(
  gateway: Gateway,
  { email, ...request }: ConnectTokenRequest & { email: string },
): Promise<IssuedConnectToken & { emailSent: boolean }> {
  const restriction = await checkConnectTarget(gateway, request, request);
  const { mailer } = gateway;
  if (!mailer)
    throw new GatewayError('EMAIL_NOT_CONFIGURED', 'E-mail is not configured here. Use connect-token and send the link yourself.');
  const issued = await mintConnectToken(gateway, request, restriction);
  const integration = restriction.integrationName === null ? undefined : gateway.catalog.find(restriction.integrationName);
  const mail = writeInvitation({ ...issued, account: integration?.displayName });
  const hide = hiderOf([email, issued.token]);
  return { ...issued, emailSent: await isSent(gateway, mailer, { to: email, ...mail }, { endUserId: request.endUser.id, hide }) };
}

const REASON_MAX_LENGTH = 500;

interface Sending {
  endUserId: string;
  hide: HideSecrets;
}

/** What a mail server says may repeat the address or the link in the mail. */
async function isSent({ logger }: Gateway, mailer: Mailer, mail: Mail, { endUserId, hide }: Sending): Promise<boolean> {
  try {
    await mailer.send(mail);
    return true;
  } catch (error) {
    const { message, code, responseCode } = error as MailError;
    logger.warn({ endUserId, code, responseCode, reason: hide(message, REASON_MAX_LENGTH) }, 'invitation not sent');
    return false;
  }
}
