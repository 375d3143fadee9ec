import { Eta } from 'eta';
import { SIGN_IN_CODE } from '../../domain/oauth/sign-in.ts';
import type { Mail } from '../../infra/mailer.ts';

/** The mail with a sign-in code. In the plain text, no digits may come before the code. */
export function writeSignInMail(code: string): Omit<Mail, 'to'> {
  const subject = 'Your sign-in code';
  const use = 'Enter the code on the page where you asked for it. Never give the code to anyone.';
  const minutes = `The code works once, within ${SIGN_IN_CODE.lifetimeSeconds / 60} minutes, in the browser that asked for it.`;
  const otherwise = 'If you did not ask for a code, ignore this message: nobody can sign in without the code.';
  const parts = { subject, code, use, minutes, otherwise };
  return { subject, text: `Your sign-in code: ${code}\n\n${use}\n${minutes}\n\n${otherwise}\n`, html: eta.renderString(HTML, parts) };
}

const eta = new Eta();

const HTML = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title><%= it.subject %></title></head>
<body>
<p>Your sign-in code:</p>
<p style="font-size: 28px; letter-spacing: 4px; font-family: monospace"><strong><%= it.code %></strong></p>
<p><%= it.use %> <%= it.minutes %></p>
<p><%= it.otherwise %></p>
</body>
</html>
`;
