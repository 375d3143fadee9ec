import type { Actor } from '../../domain/approval.ts';
import { GatewayError } from '../../domain/errors.ts';
import { instanceName } from '../../domain/workspace-integration.ts';
import { trySendMail } from '../../infra/mailer.ts';
import { findOrg } from '../../store/orgs.ts';
import { findWorkspaceIntegration } from '../../store/workspace-integrations.ts';
import { findWorkspace } from '../../store/workspaces.ts';
import { noSuchEndUser } from '../end-users/get-end-user.ts';
import type { Gateway } from '../gateway.ts';
import { checkConnectTarget } from './check-connect-target.ts';
import { type ConnectTokenRequest, type IssuedConnectToken, mintConnectToken } from './issue-connect-token.ts';
import { type Invitation, writeInvitation } from './write-invitation.ts';

/**
 * Sends an end user the link to the connect portal (specification 4.3). The link works even if
 * `emailSent` is false. Throws EMAIL_NOT_CONFIGURED before a token is issued.
 */
export async function inviteEndUser(
  gateway: Gateway,
  by: Actor,
  { email, ...request }: ConnectTokenRequest & { email: string },
): Promise<IssuedConnectToken & { emailSent: boolean }> {
  const { endUser } = request;
  const restriction = await checkConnectTarget(gateway, endUser, request);
  const { mailer } = gateway;
  if (!mailer) throw new GatewayError('EMAIL_NOT_CONFIGURED', 'E-mail is not configured. Use connect-token and send the link yourself.');
  const names = await namesFor(gateway, endUser, restriction);
  const issued = await mintConnectToken(gateway, request, restriction, { type: 'end_user.invited', by });
  const mail = writeInvitation({ ...issued, ...names });
  const failure = { event: 'invitation not sent', secrets: [email, issued.token], fields: { endUserId: endUser.id } };
  return { ...issued, emailSent: await trySendMail(mailer, gateway.logger, { to: email, ...mail }, failure) };
}

async function namesFor(
  { db, catalog }: Gateway,
  { orgId, workspaceId }: ConnectTokenRequest['endUser'],
  { integrationName, workspaceIntegrationId }: Awaited<ReturnType<typeof checkConnectTarget>>,
): Promise<Pick<Invitation, 'orgName' | 'workspaceName' | 'account'>> {
  const [org, workspace, integration, instance] = await Promise.all([
    findOrg(db, orgId),
    findWorkspace(db, orgId, workspaceId),
    integrationName === null ? undefined : catalog.find(orgId, integrationName),
    workspaceIntegrationId === null ? undefined : findWorkspaceIntegration(db, orgId, workspaceId, workspaceIntegrationId),
  ]);
  if (!org || !workspace) throw noSuchEndUser();
  const account = instance && integration ? instanceName(instance, integration) : integration?.displayName;
  return { orgName: org.name, workspaceName: workspace.name, account };
}
