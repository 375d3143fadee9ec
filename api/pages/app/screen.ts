import type { Context } from 'koa';
import type { Gateway } from '../../../commands/gateway.ts';
import type { Outage } from '../../../commands/news/watch-health.ts';
import type { SignedInMember } from '../../../domain/member.ts';
import type { OrgRole } from '../../../domain/policies/policy.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import type { SeeOther } from '../layout/hosted-page.ts';

/** A page of the dashboard. */
export interface AppPage {
  /** The h1, and the first part of the document title. */
  title: string;
  /** Path of the template below `app`, such as `settings/members`. */
  template: string;
  data: object;
  /** Default 200. */
  status?: number;
  /** What was done, for a page that answers a form without a redirect. */
  done?: string | undefined;
  /** Whether the page has a secret. Such a page is not compressed (BREACH attack). */
  hasSecret?: boolean;
  /**
   * The browser opens this URL next (header `Refresh`). It can be on another site. The
   * Content-Security-Policy forbids a redirect to another site after a form.
   */
  refreshTo?: string;
}

/** A redirect to a path below /app. The next page shows the sentence `done`. */
export interface Done extends SeeOther {
  done?: string;
}

/** A file that the browser saves, of any length. */
export interface Download {
  fileName: string;
  /** A media type, such as `text/csv; charset=utf-8`. */
  type: string;
  content: AsyncIterable<string>;
}

/** A request that may have no session. */
export interface Visitor {
  gateway: Gateway;
  ctx: Context;
  query: URLSearchParams;
  /** Path of the dashboard in URLs: `/app`, or behind a proxy for example `/somewhere/app`. */
  root: string;
}

/** A signed-in member who opens a screen. */
export interface Visit extends Visitor {
  member: SignedInMember;
  /** The member as the caller of commands. */
  principal: KeyPrincipal;
  params: Readonly<Record<string, string>>;
  /** The workspace selected in the banner. Undefined for all workspaces. */
  workspaceId: string | undefined;
  /** Undefined if all parts of the service are available. */
  outage: Outage | undefined;
}

/** A visit with a posted form. */
export interface Submission extends Visit {
  form: URLSearchParams;
}

/** Entries of the main navigation, in order. */
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

/** The handlers of a path of the dashboard. */
export interface Screen {
  /** Path below /app. Parameters are in braces, as in `/approvals/{id}`. */
  path: string;
  /** The lowest role that may open the screen. Lower roles get status 403. */
  role: OrgRole;
  /** Requires a sign-in within the last 15 minutes. */
  isRecent?: boolean;
  /** Maximum size of a posted form in bytes. Default: 512 KiB. */
  formMaxBytes?: number;
  /** The entry of the main navigation that the screen belongs to. */
  navigation?: NavigationName;
  /** The entry in the navigation of the settings. */
  settings?: string;
  /** Answers GET and HEAD, and must change nothing. */
  get?(visit: Visit): Promise<AppPage | Done | Download>;
  /** Answers POST, and changes records only through commands. */
  post?(submission: Submission): Promise<AppPage | Done>;
}

/** A page that needs no session. */
export interface PublicScreen {
  path: string;
  get?(visitor: Visitor): Promise<AppPage | Done>;
  post?(visitor: Visitor & { form: URLSearchParams }): Promise<AppPage | Done>;
}
