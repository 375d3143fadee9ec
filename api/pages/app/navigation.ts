import { MAX_COUNTED } from '../../../commands/approvals/waiting-of-member.ts';
import { hasRole } from '../../../domain/member.ts';
import { NAVIGATION, type Screen, type Visit } from './screen.ts';
import { SCREENS } from './screens.ts';

/** A link of a navigation. */
export interface NavigationLink {
  name: string;
  href: string;
  /** `words` is for screen readers. `badge` is undefined if nothing waits. */
  count?: { words: string; badge: string | undefined } | undefined;
  /** Whether the link leads to the shown page or to a page above the shown page. */
  isCurrent: boolean;
}

/** The main navigation: links to the screens that the member may see. */
export function navigationOf(visit: Visit, screen: Screen | undefined, path: string, waiting: number): NavigationLink[] {
  return NAVIGATION.flatMap((name) => {
    const first = SCREENS.find((one) => one.navigation === name && isSeen(one, visit));
    if (!first) return [];
    const isHere = screen !== undefined && (screen.navigation === name || isBelow(path, first.path));
    const count = name === 'Approvals' ? countOf(waiting) : undefined;
    return [{ name, count, href: hrefOf(visit, first.path), isCurrent: isHere || path === first.path }];
  });
}

function countOf(waiting: number): NavigationLink['count'] {
  const most = MAX_COUNTED.toLocaleString('en');
  if (waiting > MAX_COUNTED) return { words: `more than ${most}`, badge: `${most}+` };
  const words = waiting.toLocaleString('en');
  return { words, badge: waiting > 0 ? words : undefined };
}

/** The navigation of the settings: links to the screens that the member may see. */
export function settingsOf(visit: Visit, path: string): NavigationLink[] {
  return SCREENS.filter((one) => one.settings !== undefined && isSeen(one, visit)).map((one) => ({
    ...{ name: one.settings!, href: hrefOf(visit, one.path), isCurrent: path === one.path || isBelow(path, one.path) },
  }));
}

function isSeen({ role, path }: Screen, { member }: Visit): boolean {
  return hasRole(member.role, role) && !path.includes('{');
}

function isBelow(path: string, parent: string): boolean {
  return parent !== '/' && path.startsWith(`${parent}/`);
}

function hrefOf({ root, workspaceId }: Visit, path: string): string {
  return `${root}${path === '/' ? '' : path}${workspaceId === undefined ? '' : `?workspace=${workspaceId}`}`;
}
