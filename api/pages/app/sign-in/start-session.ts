import { endMemberSession } from '../../../../commands/members/member-session.ts';
import type { Visitor } from '../screen.ts';
import { readSessionCookie, setSessionCookie } from '../session-cookie.ts';

/** Gives the browser a new session and ends its previous session. */
export async function startSession({ gateway, ctx }: Visitor, token: string): Promise<void> {
  await endMemberSession(gateway, readSessionCookie(ctx, gateway.config));
  setSessionCookie(ctx, gateway.config, token);
}
