import { accountScreens } from './account/account-screen.ts';
import { approvalScreens } from './approvals/approval-screens.ts';
import { bulkScreen } from './approvals/bulk-screen.ts';
import { inboxScreen } from './approvals/inbox-screen.ts';
import { keyScreens } from './keys/key-screens.ts';
import { overviewScreen } from './overview/overview-screen.ts';
import type { PublicScreen, Screen } from './screen.ts';
import { memberScreens } from './settings/member-screens.ts';
import { codeScreens } from './sign-in/code-screens.ts';
import { linkScreen } from './sign-in/link-screen.ts';
import { setupScreen } from './sign-in/setup-screen.ts';
import { signInScreen } from './sign-in/sign-in-screen.ts';
import { signOutScreen } from './sign-in/sign-out-screen.ts';

/** All screens of members. The matrix of roles in the tests needs a row for each. */
export const SCREENS: readonly Screen[] = [
  overviewScreen,
  inboxScreen,
  bulkScreen,
  ...approvalScreens,
  ...keyScreens,
  ...memberScreens,
  ...accountScreens,
];

/** Screens that need no session. */
export const PUBLIC_SCREENS: readonly PublicScreen[] = [signInScreen, ...codeScreens, linkScreen, setupScreen, signOutScreen];
