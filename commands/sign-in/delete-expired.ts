import { deleteEndedMemberSessions } from '../../store/member-sessions.ts';
import { deleteExpiredOAuthRecords } from '../../store/oauth-records.ts';
import { deleteEndedCounts } from '../../store/request-counts.ts';
import { deleteExpiredSignIn } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Deletes expired sign-ins, sessions, links, records of the authorization server and request
 * counts.
 */
export async function deleteExpiredSignIns({ db }: Pick<Gateway, 'db'>): Promise<void> {
  await deleteExpiredSignIn(db);
  await deleteEndedMemberSessions(db);
  await deleteExpiredOAuthRecords(db);
  await deleteEndedCounts(db);
}
