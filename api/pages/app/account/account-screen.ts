import { z } from 'zod';
import { changePassword } from '../../../../commands/members/change-password.ts';
import { signOutEverywhere } from '../../../../commands/members/member-session.ts';
import { isOwnAddress, RECENT_SIGN_IN_SECONDS, ROLE_NAMES, SIGN_IN_METHODS } from '../../../../domain/member.ts';
import { type ListedSession, listMemberSessions } from '../../../../store/member-sessions.ts';
import { type FormSpec, formPage, submitForm } from '../form.ts';
import { type Cell, listView, timeCell } from '../list.ts';
import type { AppPage, Screen, Visit } from '../screen.ts';
import { clearSessionCookie, setSessionCookie } from '../session-cookie.ts';
import { browserOf } from '../sign-in/browser-of.ts';
import { NEW_PASSWORD, NOT_THE_ADDRESS, newPassword } from '../sign-in/new-password.ts';
import { assertPasswordsCount, waitSentence } from '../sign-in/sign-in-screen.ts';

/** `/app/account`: the member's own password and sessions. */
export const accountScreens: readonly Screen[] = [
  {
    path: '/account',
    role: 'viewer',
    get: async (visit) => formPage(await specOf(visit)),
    post: async (visit) => {
      const { gateway, ctx, member, form } = visit;
      assertPasswordsCount(gateway);
      const spec = await specOf(visit);
      return submitForm(spec, schemaFor(visit), form, async ({ current = '', next }) => {
        if (!member.hasPassword && member.sessionAgeSeconds > RECENT_SIGN_IN_SECONDS)
          return refuse(spec, form, 400, 'First sign in again with a new link.');
        const changed = await changePassword(gateway, member, { current, next, ...browserOf(ctx) });
        if (changed.outcome === 'wrong') return formPage(spec, form, { status: 400, problems: { current: 'is wrong' } });
        if (changed.outcome === 'limited') return refuse(spec, form, 429, waitSentence(changed.waitSeconds));
        setSessionCookie(ctx, gateway.config, changed.token);
        return {
          seeOther: '/account',
          done: `Your password is ${member.hasPassword ? 'changed' : 'set'}. All other browsers are signed out.`,
        };
      });
    },
  },
  {
    path: '/account/sign-out-everywhere',
    role: 'viewer',
    post: async ({ gateway, ctx, member }) => {
      await signOutEverywhere(gateway, member);
      clearSessionCookie(ctx, gateway.config);
      return { seeOther: '/sign-in', done: 'You are signed out everywhere.' };
    },
  },
];

function schemaFor({ member }: Visit) {
  return z.strictObject({
    current: z.string().optional(),
    next: newPassword.refine((next) => !isOwnAddress(next, member.email), NOT_THE_ADDRESS),
  });
}

function refuse(spec: FormSpec, form: URLSearchParams, status: number, sentence: string): AppPage {
  return formPage(spec, form, { status, sentence });
}

async function specOf(visit: Visit): Promise<FormSpec> {
  const { gateway, member } = visit;
  const { displayName, email, role, orgName, hasPassword } = member;
  const sessions = await listMemberSessions(gateway.db, member.orgId, member.id);
  const current = { name: 'current', label: 'Current password', kind: 'password', autocomplete: 'current-password' } as const;
  return {
    title: 'Your account',
    fields: [...(hasPassword ? [current] : []), { name: 'next', label: 'New password', ...NEW_PASSWORD }],
    button: hasPassword ? 'Change password' : 'Set password',
    template: 'account/account',
    username: email,
    data: {
      hasPasswords: !gateway.config.memberSignIn.isOpenIdOnly,
      person: { name: displayName ?? email, email, role: ROLE_NAMES[role], orgName },
      sessions: listView(visit, {
        ...{ name: 'Sessions', plural: 'sessions', about: '' },
        columns: ['Browser', 'Address', 'Signed in', 'Last used', 'How'],
        rows: sessions.map((session) => rowOf(session, member.sessionId)),
      }),
    },
  };
}

function rowOf({ id, userAgent, source, createdAt, lastSeenAt, method }: ListedSession, present: string): Cell[] {
  const browser = nameOfBrowser(userAgent);
  const first = id === present ? { text: browser, hint: 'This browser' } : browser;
  return [first, source, timeCell(createdAt), timeCell(lastSeenAt), SIGN_IN_METHODS[method]];
}

/**
 * The first match counts: the user agents of Edge and Opera also contain `Chrome/`, and those of
 * Chrome also contain `Safari/`.
 */
const BROWSERS = [
  ...([
    ['Edg/', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ] as const),
];
const SYSTEMS = [
  ...([
    ['Windows', 'Windows'],
    ['Android', 'Android'],
    ['iPhone', 'iPhone'],
    ['Mac OS', 'macOS'],
    ['Linux', 'Linux'],
  ] as const),
];

function nameOfBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => userAgent.includes(mark))?.[1];
  const system = SYSTEMS.find(([mark]) => userAgent.includes(mark))?.[1];
  if (browser === undefined) return userAgent === '' ? 'Unknown' : userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
