import { createHmac, randomBytes } from 'node:crypto';
import { OPERATOR_CODE } from '../../domain/limits.ts';
import { sameSecret, type Tokens } from '../../infra/tokens.ts';
import { deleteOldOperatorCodes, findEpochSeconds } from '../../store/spent-operator-codes.ts';
import type { Gateway } from '../gateway.ts';

/** Lets one person approve one approval, once, until the code expires. */
export interface OperatorCode {
  approvalId: string;
  /** The member who approves. Null: the operator who made the code approves. */
  userId: string | null;
  /** The operating system user who made the code. */
  madeBy: string | null;
  /** Epoch seconds. */
  expiresAt: number;
  /** The code is recorded under this id when it is spent. */
  id: string;
}

/**
 * Issues a code that is valid for ten minutes. The caller must have checked that the person may
 * approve.
 */
export async function issueOperatorCode(
  { db, tokens }: Pick<Gateway, 'db' | 'tokens'>,
  { approvalId, userId, madeBy }: Pick<OperatorCode, 'approvalId' | 'userId' | 'madeBy'>,
): Promise<string> {
  await deleteOldOperatorCodes(db);
  const expiresAt = (await findEpochSeconds(db)) + OPERATOR_CODE.seconds;
  const body = Buffer.from(JSON.stringify([approvalId, userId, madeBy, expiresAt, randomBytes(16).toString('hex')])).toString('base64url');
  return `opc_${body}.${sign(tokens, body)}`;
}

/**
 * Reads a code of this installation, also a spent or expired one. Returns undefined for any other
 * text.
 */
export function readOperatorCode(tokens: Tokens, code: string): OperatorCode | undefined {
  const [body, mac] = code.slice('opc_'.length).split('.');
  if (!code.startsWith('opc_') || !body || !mac || !sameSecret(mac, sign(tokens, body))) return undefined;
  const [approvalId, userId, madeBy, expiresAt, id] = JSON.parse(Buffer.from(body, 'base64url').toString());
  return { approvalId, userId, madeBy, expiresAt, id };
}

/** This key is only for approving: no code can reject or cancel. */
function sign(tokens: Tokens, body: string): string {
  return createHmac('sha256', tokens.key('operator code v1: approve')).update(body).digest('base64url');
}
