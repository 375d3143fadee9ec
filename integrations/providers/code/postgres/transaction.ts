import { hiderOf } from '../../../../domain/redaction/hide-secrets.ts';
import { postgresAccount } from './account.ts';
import { openClient, type Reach } from './open-client.ts';
import { postgresError } from './postgres-error.ts';
import { type Outcome, runStatement, type Statement } from './statement.ts';
import { valueParsers } from './value-parsers.ts';

export type Run = (statement: Statement) => Promise<Outcome>;

interface Mode {
  access: 'READ ONLY' | 'READ WRITE';
  /** In milliseconds. */
  statementTimeout?: number;
}

const STATEMENT_TIMEOUT_MS = 30_000;
const GRACE_MS = 3_000;

/** Runs statements in one transaction over a separate connection. Throws GatewayError. */
export async function transaction<Result>(
  reach: Reach,
  { access, statementTimeout = STATEMENT_TIMEOUT_MS }: Mode,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const account = postgresAccount(reach.auth);
  const scrub = hiderOf([account.password]);
  const late = new AbortController();
  const failed = (error: unknown, mayHaveActed = false) =>
    postgresError(error, { account, scrub, isCanceled: reach.signal.aborted, isLate: late.signal.aborted, mayHaveActed });
  const session = await openClient(account, reach).catch((error) => {
    throw failed(error);
  });
  const { client } = session;
  const types = valueParsers((text) => scrub(text));
  const cancel = () => void session.cancel();
  for (const signal of [reach.signal, late.signal]) signal.addEventListener('abort', cancel, { once: true });
  const timer = setTimeout(() => late.abort(), statementTimeout + GRACE_MS);
  let isCommitting = false;
  try {
    reach.signal.throwIfAborted();
    // The timeout is set within the transaction, because poolers refuse settings at the start of a
    // connection. After a query, such as the empty SELECT, READ ONLY cannot be revoked.
    await client.query(`BEGIN TRANSACTION ${access}; SET LOCAL statement_timeout = ${Math.trunc(statementTimeout)}; SELECT`);
    const result = await work((statement) => runStatement(client, types, statement));
    isCommitting = access === 'READ WRITE';
    // Rolls back after reading, so that no setting remains for other users of a pool.
    await client.query(access === 'READ WRITE' ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    throw failed(error, isCommitting);
  } finally {
    clearTimeout(timer);
    reach.signal.removeEventListener('abort', cancel);
    session.close();
  }
}
