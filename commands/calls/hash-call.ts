import { createHash, type Hash, hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type BoundCall, type BoundPlan, bindCall, bindPlan } from '../../domain/binding.ts';
import { isRecord } from '../../domain/unknown-values.ts';
import { breathe, hasLargeInput } from '../../infra/event-loop/breathe.ts';

/**
 * SHA-256 in hex over the canonical JSON (RFC 8785) of caller, action, account and input. An
 * approval permits only calls with the same hash (contract decisions 3, Binding).
 */
export function hashCall({ input, ...call }: BoundCall & { input: unknown }): string {
  return hashJson(bindCall(call, input));
}

/**
 * The same hash as `hashCall`. After a large input arrived, hashes in several turns of the event
 * loop, so that other requests are not blocked.
 */
export async function hashCallInTurns({ input, ...call }: BoundCall & { input: unknown }): Promise<string> {
  if (!hasLargeInput()) return hashCall({ ...call, input });
  let made: Hash | undefined;
  let text = '';
  for (const part of canonicalParts(bindCall(call, input), 0)) {
    text += part;
    if (text.length < PART_LENGTH) continue;
    made = (made ?? createHash('sha256')).update(text);
    text = '';
    await breathe();
  }
  return made ? made.update(text).digest('hex') : hash('sha256', text);
}

/** Characters of canonical JSON. A single value can have more. */
const PART_LENGTH = 100_000;
/** Deeper objects and lists are not split. */
const PARTED_DEPTH = 4;

function* canonicalParts(value: unknown, depth: number): Generator<string> {
  if (depth === PARTED_DEPTH || !(Array.isArray(value) || isPlain(value))) return yield canonicalize(value) ?? 'null';
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  // RFC 8785 orders keys by UTF-16 code units, as `sort` does.
  for (const key of isList ? value.keys() : Object.keys(value).sort()) {
    const child: unknown = (value as Record<PropertyKey, unknown>)[key];
    if (!isList && child === undefined) continue;
    yield before + (isList ? '' : `${canonicalize(key)}:`);
    yield* canonicalParts(child, depth + 1);
    before = ',';
  }
  yield before === ',' ? (isList ? ']' : '}') : isList ? '[]' : '{}';
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && Object.getPrototypeOf(value) === Object.prototype && typeof value.toJSON !== 'function';
}

/** SHA-256 in hex. An approval permits only the plan with this hash. */
export function hashPlan(plan: BoundPlan): string {
  return hashJson(bindPlan(plan));
}

/** SHA-256 in hex over the canonical JSON of a value. */
export function hashJson(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? 'null');
}
