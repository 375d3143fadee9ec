import { createHash } from 'node:crypto';
import type { ChangedField, CustomChange, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';

type Head = CustomIntegration['head'];
type Added = Pick<CustomChange, 'kind' | 'status' | 'fields'>;

/**
 * The base URL that a pending added action inherits from its integration; undefined if the action
 * has its own, and for other changes.
 */
export function inheritedUrl({ kind, status, fields }: Added, head: Head): string | undefined {
  // If an action has its own base URL, that URL is among the first fields of the summary.
  const isInherited = kind === 'action_added' && status === 'pending' && !fields.some(({ path }) => path === 'baseUrl');
  return isInherited ? String(head.baseUrl) : undefined;
}

/** The fields of a change and their number, with the inherited base URL of an added action. */
export function shownFields(change: Added & Pick<CustomChange, 'fieldCount'>, head: Head): { fields: ChangedField[]; fieldCount: number } {
  const { fields, fieldCount } = change;
  const baseUrl = inheritedUrl(change, head);
  if (baseUrl === undefined) return { fields: [...fields], fieldCount };
  return { fields: [{ path: 'baseUrl', before: null, after: baseUrl }, ...fields], fieldCount: fieldCount + 1 };
}

/**
 * SHA-256 in hex of everything that a reader sees of a pending change. Null if the change is not
 * pending, or if `contentDigest` is null.
 */
export function changeDigest(change: Added & Pick<CustomChange, 'contentDigest'>, head: Head): string | null {
  const { status, contentDigest } = change;
  if (status !== 'pending' || contentDigest === null) return null;
  return sha256(JSON.stringify([contentDigest, inheritedUrl(change, head)]));
}

/** One digest for several changes, in any order. Null if a change has no digest. */
export function digestOfAll(digests: readonly (string | null)[]): string | null {
  return digests.includes(null) ? null : sha256([...digests].sort().join());
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
