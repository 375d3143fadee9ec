import type { Context } from 'koa';
import type { Gateway } from '../../../commands/gateway.ts';
import type { Outage } from '../../../commands/news/watch-health.ts';
import type { SignedInMember } from '../../../domain/member.ts';
import type { OrgRole } from '../../../domain/policies/policy.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import type { SeeOther } from '../layout/hosted-page.ts';

/** A page of the dashboard: a template below `api/pages/app`, in the common layout. */
export interface AppPage {
  /** The h1, and the title before the name of the service. */
  title: string;
  /** Path of the template below `app`, such as `settings/members`. */
  template: string;
  data: object;
  /** Default 200. */
  status?: number;
  /** A sentence about what was done, on a page that no redirect leads to. */
  done?: string | undefined;
  /** Whether the page shows a secret beside text of others. It is then not compressed (BREACH). */
  hasSecret?: boolean;
  /**
   * URL that the browser opens next, possibly of another site. It is a separate navigation, because
   * the Content-Security-Policy permits no redirect of a form to another site.
   */
  refreshTo?: string;
}

/** A redirect below /app, such as `/settings/members`, with the sentence that its page shows. */
export interface Done extends SeeOther {
  done?: string;
}

/** A file that the browser saves. It is written while it is read, so it may be of any length. */
export interface Download {
  fileName: string;
  /** A media type, such as `text/csv; charset=utf-8`. */
  type: string;
  content: AsyncIterable<string>;
}

/** A browser without a session, on a page such as the sign-in. */
export interface Visitor {
  gateway: Gateway;
  ctx: Context;
  query: URLSearchParams;
  /** Path of the dashboard as browsers see it: `/app`, behind a proxy `/somewhere/app`. */
  root: string;
}

/** A signed-in member who opens a screen. */
export interface Visit extends Visitor {
  member: SignedInMember;
  /** The member as the caller of commands. */
  principal: KeyPrincipal;
  params: Readonly<Record<string, string>>;
  /** The workspace that the banner's selection restricts lists to; undefined for all. */
  workspaceId: string | undefined;
  /** The part of the service that is unavailable, if one is. */
  outage: Outage | undefined;
}

/** The same with a posted form. */
export interface Submission extends Visit {
  form: URLSearchParams;
}

/** Names of the navigation, in its order. Only those appear that a screen claims. */
export const NAVIGATION = [
  'Overview',
  'Approvals',
  'Policies',
  'Code runs',
  'Workspaces',
  'Integrations',
  'Connections',
  'MCP servers',
  'People',
  'API keys',
  'Webhooks',
  'Activity',
  'Playground',
  'Settings',
] as const;
type NavigationName = (typeof NAVIGATION)[number];

/**
 * One path of the dashboard. The matrix of roles, the navigation and the tests come from it
 * (docs/add-a-screen.md).
 */
export interface Screen {
  /** Below /app; parameters in braces, as in routes. */
  path: string;
  /** The role that sees it; higher roles do too. Others get 403. */
  role: OrgRole;
  /** Whether it requires a sign-in within the last 15 minutes. For actions of owners. */
  isRecent?: boolean;
  /** Largest posted form in bytes, for programs and documents. Default: 512 KiB. */
  formMaxBytes?: number;
  /** The entry of the navigation that leads here. */
  navigation?: NavigationName;
  /** The entry of the navigation inside Settings that leads here. */
  settings?: string;
  /** Must change nothing. */
  get?(visit: Visit): Promise<AppPage | Done | Download>;
  /** Changes something, by the commands that REST calls. */
  post?(submission: Submission): Promise<AppPage | Done>;
}

/** A page that needs no session. */
export interface PublicScreen {
  path: string;
  get?(visitor: Visitor): Promise<AppPage | Done>;
  post?(visitor: Visitor & { form: URLSearchParams }): Promise<AppPage | Done>;
}
