import type { CallError, CallOutcome } from '../domain/call.ts';
import type { Db } from '../infra/database.ts';
import { decodePayload, readPayload } from './payload.ts';

/**
 * The outcome of a recorded call. The value stays JSON text, because the sandbox gets it as text.
 */
export type RecordedAnswer = { ok: true; value: string } | { ok: false; error: CallError };

/** Returns the stored outcomes of these calls, by call id. */
export async function listOutcomes(db: Db, callIds: readonly string[]): Promise<Map<string, Buffer>> {
  const rows: { id: string; outcome: Buffer }[] = await db('calls').select('id', 'outcome').whereIn('id', callIds).whereNotNull('outcome');
  return new Map(rows.map(({ id, outcome }) => [id, outcome]));
}

/** Decodes a stored outcome. */
export async function openOutcome(stored: Buffer): Promise<RecordedAnswer> {
  const text = await readPayload(stored);
  const value = resultIn(text);
  if (value !== undefined) return { ok: true, value };
  const outcome = decodePayload<CallOutcome>(stored);
  return outcome.ok ? { ok: true, value: JSON.stringify(outcome.output ?? null) } : outcome;
}

const BEGINNING = '{"ok":true,"output":';
const END = /(?:,"durationMs":\d+)?\}$/;
const END_MAX_LENGTH = 40;

/**
 * Returns the output without parsing it. Undefined for any text other than a success as
 * `performCall` writes it.
 */
function resultIn(text: string): string | undefined {
  if (!text.startsWith(BEGINNING)) return undefined;
  const end = END.exec(text.slice(-END_MAX_LENGTH))?.[0];
  return end === undefined ? undefined : text.slice(BEGINNING.length, -end.length);
}
