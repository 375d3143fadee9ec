import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type BoundCall, type BoundPlan, bindCall, bindPlan } from '../../domain/binding.ts';

/**
 * The hash that an approval binds to: SHA-256, hex, over the canonical JSON (RFC 8785) of caller,
 * action, account and input (contract decisions 3, Binding).
 */
export function hashCall({ input, ...call }: BoundCall & { input: unknown }): string {
  return hashJson(bindCall(call, input));
}

/** The hash that the approval of a plan binds to, made in the same way. */
export function hashPlan(plan: BoundPlan): string {
  return hashJson(bindPlan(plan));
}

/** SHA-256, hex, over the canonical JSON of a value. */
export function hashJson(value: unknown): string {
  return hash('sha256', canonicalize(value) ?? 'null');
}
