import { accountScreens } from './account/account-screen.ts';
import { activityScreens } from './activity/activity-screens.ts';
import { approvalScreens } from './approvals/approval-screens.ts';
import { bulkScreen } from './approvals/bulk-screen.ts';
import { inboxScreen } from './approvals/inbox-screen.ts';
import { connectScreens } from './connections/connect-screens.ts';
import { connectionListScreen } from './connections/connection-list-screen.ts';
import { connectionScreens } from './connections/connection-screens.ts';
import { waitingScreen } from './events/waiting-screen.ts';
import { goScreenOf } from './go/go-screen.ts';
import { catalogueScreen } from './integrations/catalogue-screen.ts';
import { changeScreens } from './integrations/change-screens.ts';
import { importScreens } from './integrations/import-screens.ts';
import { integrationScreens } from './integrations/integration-screens.ts';
import { ownScreens } from './integrations/own-screens.ts';
import { keyScreens } from './keys/key-screens.ts';
import { overviewScreen } from './overview/overview-screen.ts';
import { personLinkScreens } from './people/link-screens.ts';
import { peopleScreens } from './people/people-screens.ts';
import { playgroundScreens } from './playground/playground-screens.ts';
import { policyScreens } from './policies/policy-screens.ts';
import { replayScreen } from './runs/replay-screen.ts';
import { runListScreen } from './runs/run-list-screen.ts';
import { runScreens } from './runs/run-screens.ts';
import type { PublicScreen, Screen } from './screen.ts';
import { serverEndScreens } from './servers/end-screens.ts';
import { serverScreens } from './servers/server-screens.ts';
import { tokenScreens } from './servers/token-screens.ts';
import { memberScreens } from './settings/member-screens.ts';
import { oauthAppScreens } from './settings/oauth-app-screens.ts';
import { organizationScreens } from './settings/organization-screens.ts';
import { quotaScreen } from './settings/quota-screen.ts';
import { serviceKeyScreens } from './settings/service-key-screens.ts';
import { codeScreens } from './sign-in/code-screens.ts';
import { linkScreen } from './sign-in/link-screen.ts';
import { openIdScreens } from './sign-in/openid-screens.ts';
import { setupScreen } from './sign-in/setup-screen.ts';
import { signInScreen } from './sign-in/sign-in-screen.ts';
import { signOutScreen } from './sign-in/sign-out-screen.ts';
import { deliveryScreens } from './webhooks/delivery-screens.ts';
import { webhookScreens } from './webhooks/webhook-screens.ts';
import { workspaceIntegrationScreens } from './workspaces/integration-screens.ts';
import { workspaceScreens } from './workspaces/workspace-screens.ts';

/** All screens of members. */
export const SCREENS: readonly Screen[] = [
  overviewScreen,
  inboxScreen,
  bulkScreen,
  waitingScreen,
  goScreenOf(() => SCREENS),
  ...approvalScreens,
  catalogueScreen,
  ...integrationScreens,
  ...importScreens,
  ...ownScreens,
  ...changeScreens,
  ...serverScreens,
  ...serverEndScreens,
  ...tokenScreens,
  runListScreen,
  ...runScreens,
  ...policyScreens,
  replayScreen,
  ...workspaceScreens,
  ...workspaceIntegrationScreens,
  connectionListScreen,
  ...connectScreens,
  ...connectionScreens,
  ...peopleScreens,
  ...personLinkScreens,
  ...keyScreens,
  ...webhookScreens,
  ...deliveryScreens,
  ...activityScreens,
  ...playgroundScreens,
  ...organizationScreens,
  ...memberScreens,
  quotaScreen,
  ...serviceKeyScreens,
  ...oauthAppScreens,
  ...accountScreens,
];

/** Screens that need no session. */
export const PUBLIC_SCREENS: readonly PublicScreen[] = [
  signInScreen,
  ...codeScreens,
  ...openIdScreens,
  linkScreen,
  setupScreen,
  signOutScreen,
];
