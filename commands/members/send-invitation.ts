import { Eta } from 'eta';
import type { Member } from '../../domain/member.ts';
import type { UserPerson } from '../../domain/person.ts';
import { type Mail, trySendMail } from '../../infra/mailer.ts';
import { findOrg } from '../../store/orgs.ts';
import type { Gateway } from '../gateway.ts';

export interface InvitedMember {
  member: Member;
  /** The link is valid once, within 7 days. */
  signInLink: string;
  /** False if e-mail is not configured or the mail server did not accept the mail. */
  emailSent: boolean;
}

/** Mails an invitation. Returns false if the mail was not sent. */
export async function sendInvitation({ db, mailer, logger }: Gateway, member: UserPerson, signInLink: string): Promise<boolean> {
  if (!mailer) return false;
  const org = await findOrg(db, member.orgId);
  const mail = { to: member.email, ...writeInvitation(org?.name ?? 'your organization', signInLink) };
  const failure = { event: 'invitation of a member not sent', secrets: [member.email, signInLink], fields: { userId: member.id } };
  return trySendMail(mailer, logger, mail, failure);
}

function writeInvitation(orgName: string, signInLink: string): Omit<Mail, 'to'> {
  const subject = `You are invited to ${orgName.replace(/\s+/g, ' ')} on Integration Gateway`;
  const once = 'The link works once, within 7 days. Do not share it: it signs you in.';
  const text = `${subject}.\n\nSign in: ${signInLink}\n\n${once}\n`;
  return { subject, text, html: eta.renderString(HTML, { subject, signInLink, once }) };
}

const eta = new Eta();

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title><%= it.subject %></title></head>
<body>
<p><%= it.subject %>.</p>
<p><a href="<%= it.signInLink %>">Sign in</a></p>
<p><%= it.once %></p>
</body>
</html>
`;
