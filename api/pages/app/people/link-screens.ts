import { inviteEndUser } from '../../../../commands/connect/invite-end-user.ts';
import { type IssuedConnectToken, issueConnectToken } from '../../../../commands/connect/issue-connect-token.ts';
import type { EndUser } from '../../../../domain/end-user.ts';
import { GatewayError } from '../../../../domain/errors.ts';
import { actorOf } from '../../../../domain/principal.ts';
import { showTime } from '../../layout/show-time.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { secretPage } from '../secret-page.ts';
import { PEOPLE, personOf } from './person-of.ts';

/**
 * Screens that create a link with which a person connects accounts. An invitation also mails the
 * link, if the service can send mail.
 */
export const personLinkScreens: readonly Screen[] = [
  {
    ...{ path: `${PEOPLE}/{id}/connect-link`, role: 'admin', navigation: 'People' },
    post: async (visit) => {
      const person = await personOf(visit);
      return linkPage(
        'Make a connect link',
        person,
        await issueConnectToken(visit.gateway, requestOf(visit, person), actorOf(visit.principal)),
        'Send it to this person yourself.',
      );
    },
  },
  {
    ...{ path: `${PEOPLE}/{id}/invite`, role: 'admin', navigation: 'People' },
    post: async (visit) => {
      const person = await personOf(visit);
      const { email } = person;
      if (email === null) throw new GatewayError('VALIDATION_ERROR', 'This person has no e-mail address.');
      const [request, by] = [requestOf(visit, person), actorOf(visit.principal)];
      if (!visit.gateway.mailer) {
        const issued = await issueConnectToken(visit.gateway, request, by);
        return linkPage('Invite', person, issued, 'The link was not mailed. Send it to this person yourself.');
      }
      const issued = await inviteEndUser(visit.gateway, by, { ...request, email });
      return linkPage(
        'Invite',
        person,
        issued,
        issued.emailSent ? `We mailed the link to ${email}.` : 'The mail was refused. Send the link to this person yourself.',
      );
    },
  },
];

function requestOf({ principal }: Visit, endUser: EndUser) {
  return { endUser, mayReview: principal.mayDecide };
}

function linkPage(
  title: string,
  { id, displayName, externalId }: EndUser,
  { connectUrl, expiresAt }: IssuedConnectToken,
  sent: string,
): AppPage {
  const whose = displayName ?? externalId;
  const about = `With this link ${whose} can connect accounts and decide waiting approvals of their own, until ${showTime(expiresAt).words}. ${sent} Give the link to nobody else.`;
  const secret = { about, label: 'Connect link', value: connectUrl };
  return secretPage(title, secret, { href: `${PEOPLE}/${id}`, label: `Back to ${whose}` }, 'The link is created.');
}
