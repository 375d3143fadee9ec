import { Eta } from 'eta';
import type { Mail } from '../../infra/mailer.ts';

export interface Invitation {
  connectUrl: string;
  expiresAt: Date;
  orgName: string;
  workspaceName: string;
  /** Display name of the integration to connect. Undefined: any integration. */
  account: string | undefined;
}

/** The invitation to the connect portal, as plain text and as HTML. */
export function writeInvitation({ connectUrl, expiresAt, orgName, workspaceName, account }: Invitation): Omit<Mail, 'to'> {
  const what = account === undefined ? 'your accounts' : `your ${withoutLineBreaks(account)} account`;
  const subject = `Connect ${what}`;
  const request = `${withoutLineBreaks(orgName)} invites you to connect ${what} to its workspace ${withoutLineBreaks(workspaceName)}.`;
  const warning = `The link is personal and works until ${expiresAt.toUTCString()}. Anyone who has it can connect accounts in your name, so do not forward it. If you did not expect this message, ignore it.`;
  const parts = { subject, request, connectUrl, warning };
  return { subject, text: `${request}\n\n${connectUrl}\n\n${warning}\n`, html: eta.renderString(HTML, parts) };
}

function withoutLineBreaks(name: string): string {
  return name.replace(/\s+/g, ' ');
}

const eta = new Eta();

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title><%= it.subject %></title></head>
<body>
<p><%= it.request %></p>
<p><a href="<%= it.connectUrl %>"><%= it.subject %></a></p>
<p><%= it.warning %></p>
</body>
</html>
`;
