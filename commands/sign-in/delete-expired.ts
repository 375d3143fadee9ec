import { deleteEndedMemberSessions } from '../../store/member-sessions.ts';
import { deleteExpiredOAuthRecords } from '../../store/oauth-records.ts';
import { deleteEndedCounts } from '../../store/request-counts.ts';
import { deleteExpiredSignIn } from '../../store/sign-in.ts';
import type { Gateway } from '../gateway.ts';

/**
 * Deletes expired sign-ins, links and sessions of end users and members, sign-in codes that the
 * rate limit no longer counts, expired records of the authorization server, and expired counts of
 * requests.
 */
export async function deleteExpiredSignIns({ db }: Pick<Gateway, 'db'>): Promise<void> {
  await deleteExpiredSignIn(db);
  await deleteEndedMemberSessions(db);
  await deleteExpiredOAuthRecords(db);
  await deleteEndedCounts(db);
}
