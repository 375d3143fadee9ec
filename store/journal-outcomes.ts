import type { CallError, CallOutcome } from '../domain/call.ts';
import type { Db } from '../infra/database.ts';
import { decodePayload, readPayload } from './payload.ts';

/**
 * The answer of a recorded call. A result stays JSON text, since it crosses into the sandbox as
 * text.
 */
export type RecordedAnswer = { ok: true; value: string } | { ok: false; error: CallError };

/** The stored outcomes of these calls, by call id. */
export async function listOutcomes(db: Db, callIds: readonly string[]): Promise<Map<string, Buffer>> {
  const rows: { id: string; outcome: Buffer }[] = await db('calls').select('id', 'outcome').whereIn('id', callIds).whereNotNull('outcome');
  return new Map(rows.map(({ id, outcome }) => [id, outcome]));
}

/** Decodes a stored outcome. A large one is decompressed in another thread. */
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

/** The result in the text of an outcome as performCall writes it; undefined for any other. */
function resultIn(text: string): string | undefined {
  if (!text.startsWith(BEGINNING)) return undefined;
  const end = END.exec(text.slice(-END_MAX_LENGTH))?.[0];
  return end === undefined ? undefined : text.slice(BEGINNING.length, -end.length);
}
