import type { IntegrationHead } from '../../integrations/custom/pack-integration.ts';

/**
 * The keys of a part change together: they decide where calls go, and with which credentials. A
 * refresh does not change names, descriptions, categories and logos, by which reviewers recognize
 * the integration.
 */
const KEYS = {
  auth_changed: ['auth', 'authenticate'],
  server_changed: ['baseUrl', 'headers', 'errors', 'refusals', 'accountDefaults'],
} as const satisfies Record<string, readonly (keyof IntegrationHead)[]>;

export type HeadPart = keyof typeof KEYS;

/** All parts, by the kind of their change. */
export const HEAD_PARTS = Object.keys(KEYS) as HeadPart[];

/** One part of a head, without keys that have no value. */
export function partOf(head: IntegrationHead, part: HeadPart): Record<string, unknown> {
  return Object.fromEntries(KEYS[part].flatMap((key) => (head[key] === undefined ? [] : [[key, head[key]]])));
}

/** A head with one part replaced. Keys that the new part does not have are removed. */
export function withPart(head: Record<string, unknown>, part: HeadPart, after: Record<string, unknown>): Record<string, unknown> {
  const keys: readonly string[] = KEYS[part];
  return { ...Object.fromEntries(Object.entries(head).filter(([key]) => !keys.includes(key))), ...after };
}
