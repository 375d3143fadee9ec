import { createHash } from 'node:crypto';
import type { ChangedField, CustomChange, CustomIntegration } from '../../domain/custom-integrations/custom-integration.ts';

type Head = CustomIntegration['head'];
type Added = Pick<CustomChange, 'kind' | 'status' | 'fields'>;

/**
 * Returns the base URL that an added action inherits from its integration. Returns undefined if the
 * action has its own base URL, and for other changes.
 */
export function inheritedUrl({ kind, status, fields }: Added, head: Head): string | undefined {
  // If an action has its own base URL, that URL is among the first fields of the summary.
  const isInherited = kind === 'action_added' && status === 'pending' && !fields.some(({ path }) => path === 'baseUrl');
  return isInherited ? String(head.baseUrl) : undefined;
}

/**
 * Returns the fields of a change and their number, with the inherited base URL of an added action.
 */
export function shownFields(change: Added & Pick<CustomChange, 'fieldCount'>, head: Head): { fields: ChangedField[]; fieldCount: number } {
  const { fields, fieldCount } = change;
  const baseUrl = inheritedUrl(change, head);
  if (baseUrl === undefined) return { fields: [...fields], fieldCount };
  return { fields: [{ path: 'baseUrl', before: null, after: baseUrl }, ...fields], fieldCount: fieldCount + 1 };
}

/**
 * Returns SHA-256 in hex of everything that a reader sees of a pending change: the replaced
 * content, the new content and the inherited base URL. Returns null if the change is not pending,
 * or if `contentDigest` is null.
 */
export function changeDigest(change: Added & Pick<CustomChange, 'contentDigest'>, head: Head): string | null {
  const { status, contentDigest } = change;
  if (status !== 'pending' || contentDigest === null) return null;
  return sha256(JSON.stringify([contentDigest, inheritedUrl(change, head)]));
}

/**
 * Returns one digest for the digests of several changes. The order does not matter. Returns null if
 * a change has no digest.
 */
export function digestOfAll(digests: readonly (string | null)[]): string | null {
  return digests.includes(null) ? null : sha256([...digests].sort().join());
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
