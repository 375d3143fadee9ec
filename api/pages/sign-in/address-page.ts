import type { Gateway } from '../../../commands/gateway.ts';
import type { Page } from '../layout/render-page.ts';
import type { SignInRequest } from './next-path.ts';

/** Why the page is shown again. */
export interface SignInProblem {
  status: number;
  message: string;
  /** Undefined if the problem is not about the address. */
  email?: string;
}

/** The page where a sign-in begins: by e-mail, at the OpenID provider, or by either. */
export function askForAddress({ config, mailer, openId }: Gateway, request: SignInRequest, problem?: SignInProblem): Page {
  return {
    status: problem?.status ?? 200,
    title: 'Sign in',
    template: 'sign-in/address',
    data: {
      request,
      // Absolute, because other addresses below this path also show this page.
      path: `${new URL(config.platformUrl).pathname.replace(/\/$/, '')}/sign-in`,
      email: problem?.email ?? '',
      problem: problem?.message,
      isOfAddress: problem?.email !== undefined,
      canMail: mailer !== undefined,
      provider: openId?.host,
    },
    formTargets: openId ? [openId.issuer] : [],
  };
}
