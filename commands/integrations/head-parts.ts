import type { IntegrationHead } from '../../integrations/custom/pack-integration.ts';

/**
 * Parts of a head that change together. They decide where calls go, and with which credentials. The
 * name, description, categories and logo stay as imported: reviewers know the integration by them.
 */
const KEYS = {
  auth_changed: ['auth', 'authenticate'],
  server_changed: ['baseUrl', 'headers', 'errors', 'refusals', 'accountDefaults'],
} as const satisfies Record<string, readonly (keyof IntegrationHead)[]>;

export type HeadPart = keyof typeof KEYS;

/** Every part, by the kind of its change. */
export const HEAD_PARTS = Object.keys(KEYS) as HeadPart[];

/** One part of a head. Keys without a value are left out. */
export function partOf(head: IntegrationHead, part: HeadPart): Record<string, unknown> {
  return Object.fromEntries(KEYS[part].flatMap((key) => (head[key] === undefined ? [] : [[key, head[key]]])));
}

/** A head with one part replaced: what the new part does not have is gone. */
export function withPart(head: Record<string, unknown>, part: HeadPart, after: Record<string, unknown>): Record<string, unknown> {
  const keys: readonly string[] = KEYS[part];
  return { ...Object.fromEntries(Object.entries(head).filter(([key]) => !keys.includes(key))), ...after };
}
