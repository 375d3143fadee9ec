import { createHash } from 'node:crypto';
import type { ChangedField, CustomChange, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';

type Head = CustomIntegration['head'];
type Added = Pick<CustomChange, 'kind' | 'status' | 'fields'>;

/**
 * The base URL that an added action takes over from its integration, so that a reader sees where it
 * would call. Undefined where the change names it, and for other changes.
 */
export function inheritedUrl({ kind, status, fields }: Added, head: Head): string | undefined {
  // The summary of an action with a base URL of its own has it among its first fields.
  const isInherited = kind === 'action_added' && status === 'pending' && !fields.some(({ path }) => path === 'baseUrl');
  return isInherited ? String(head.baseUrl) : undefined;
}

/** The fields of a change, with the base URL that an added action takes over, and their number. */
export function shownFields(change: Added & Pick<CustomChange, 'fieldCount'>, head: Head): { fields: ChangedField[]; fieldCount: number } {
  const { fields, fieldCount } = change;
  const baseUrl = inheritedUrl(change, head);
  if (baseUrl === undefined) return { fields: [...fields], fieldCount };
  return { fields: [{ path: 'baseUrl', before: null, after: baseUrl }, ...fields], fieldCount: fieldCount + 1 };
}

/**
 * SHA-256, hex, of all that a reader is shown of a pending change: what is replaced, what is put in
 * place, and the base URL that an added action takes over. Null where it is not known.
 */
export function changeDigest(change: Added & Pick<CustomChange, 'contentDigest'>, head: Head): string | null {
  const { status, contentDigest } = change;
  if (status !== 'pending' || contentDigest === null) return null;
  return sha256(JSON.stringify([contentDigest, inheritedUrl(change, head)]));
}

/** One digest for several changes, whatever their order. Null where one of them has none. */
export function digestOfAll(digests: readonly (string | null)[]): string | null {
  return digests.includes(null) ? null : sha256([...digests].sort().join());
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
