import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type BoundCall, type BoundPlan, bindCall, bindPlan } from '../domain/binding.ts';

/**
 * The binding of an approval: SHA-256, hex, over the canonical JSON (RFC 8785) of who calls what, as whom, with what (decisions section 3, Binding).
 */
export function hashCall({ input, ...call }: BoundCall & { input: unknown }): string {
  return hashJson(bindCall(call, input));
}

/** The binding of an approval of a plan, hashed in the same way. */
export function hashPlan(plan: BoundPlan): string {
  return hashJson(bindPlan(plan));
}

/** SHA-256, hex, over the canonical JSON of a value. */
export function hashJson(value: unknown): string {
  return createHash('sha256')
    .update(canonicalize(value) ?? 'null')
    .digest('hex');
}
