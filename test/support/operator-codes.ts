import { createHmac } from 'node:crypto';
import { issueOperatorCode } from '../../commands/approvals/operator-code.ts';
import { openTokens } from '../../infra/tokens.ts';
import { patientDatabase } from './patient-database.ts';
import { system } from './system.ts';

/**
 * Issues an operator code on the shared system, for the member `userId` if given. The code is
 * `secondsAgo` old.
 */
export async function anOperatorCode(approvalId: string, { userId = null as string | null, secondsAgo = 0 } = {}): Promise<string> {
  const { databaseUrl, secrets } = await system();
  const tokens = openTokens(secrets.TOKEN_PEPPER);
  const db = patientDatabase(databaseUrl);
  const code = await issueOperatorCode({ db, tokens }, { approvalId, userId, madeBy: 'root' }).finally(() => db.destroy());
  if (secondsAgo === 0) return code;
  const parts = partsOf(code);
  const body = Buffer.from(JSON.stringify(parts.with(3, Number(parts[3]) - secondsAgo))).toString('base64url');
  const key = tokens.key('operator code v1: approve');
  return `opc_${body}.${createHmac('sha256', key).update(body).digest('base64url')}`;
}

/**
 * Returns the parts of an operator code: approval, member, issuer, expiry in epoch seconds, random
 * id.
 */
export function partsOf(code: string): unknown[] {
  return JSON.parse(Buffer.from(code.slice('opc_'.length).split('.')[0]!, 'base64url').toString());
}
