import type { ApprovalCursor } from '../../store/approvals.ts';
import { UsageError } from './read-options.ts';

/** Where a page of approvals ended, as text that an operator can hand back: the time and the id of its last one. */
export function writeApprovalCursor({ createdAt, id }: ApprovalCursor): string {
  return `${createdAt}/${id}`;
}

/** Throws a UsageError for a text that no page gave out. */
export function readApprovalCursor(text: string): ApprovalCursor {
  const [, createdAt, id] = /^(2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)\/(apr_[0-9A-Za-z]{22})$/.exec(text) ?? [];
  if (createdAt && id && !Number.isNaN(Date.parse(createdAt))) return { createdAt, id };
  throw new UsageError(`--cursor: ${text} is not one that a list gave out.`);
}
