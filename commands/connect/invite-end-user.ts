import type { Actor } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { trySendMail } from '../../infra/mailer.ts';
import type { Gateway } from '../gateway.ts';
import { checkConnectTarget } from './check-connect-target.ts';
import { type ConnectTokenRequest, type IssuedConnectToken, mintConnectToken } from './issue-connect-token.ts';
import { writeInvitation } from './write-invitation.ts';

/**
 * Sends an end user the link to the connect portal (specification 4.3). `emailSent` says whether
 * the mail server accepted the mail; the link works in either case. Throws EMAIL_NOT_CONFIGURED
 * before a token is issued, and the errors of `issueConnectToken`.
 */
export async function inviteEndUser(
  gateway: Gateway,
  by: Actor,
  { email, ...request }: ConnectTokenRequest & { email: string },
): Promise<IssuedConnectToken & { emailSent: boolean }> {
  const { orgId } = request.endUser;
  const restriction = await checkConnectTarget(gateway, request.endUser, request);
  const { mailer } = gateway;
  if (!mailer) throw new GatewayError('EMAIL_NOT_CONFIGURED', 'E-mail is not configured. Use connect-token and send the link yourself.');
  const issued = await mintConnectToken(gateway, request, restriction, { type: 'end_user.invited', by });
  const { integrationName } = restriction;
  const integration = integrationName === null ? undefined : await gateway.catalog.find(orgId, integrationName);
  const mail = writeInvitation({ ...issued, account: integration?.displayName });
  const failure = { event: 'invitation not sent', secrets: [email, issued.token], fields: { endUserId: request.endUser.id } };
  return { ...issued, emailSent: await trySendMail(mailer, gateway.logger, { to: email, ...mail }, failure) };
}
