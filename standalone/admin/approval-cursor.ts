import type { ApprovalCursor } from '../../store/approval-list.ts';
import { UsageError } from './read-options.ts';

/** The cursor as text: creation time and id of the last approval shown. */
export function writeApprovalCursor({ createdAt, id }: ApprovalCursor): string {
  return `${createdAt}/${id}`;
}

/** Reads a cursor from text. Throws UsageError. */
export function readApprovalCursor(text: string): ApprovalCursor {
  const [, createdAt, id] = /^(2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\/(apr_[0-9A-Za-z]{22})$/.exec(text) ?? [];
  if (createdAt && id && !Number.isNaN(Date.parse(createdAt))) return { createdAt, id };
  throw new UsageError(`--cursor: ${text} is not a cursor that a list printed.`);
}
