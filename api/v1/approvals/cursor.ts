import { z } from 'zod';
import { validationError } from '../../../domain/errors.ts';
import type { ApprovalCursor } from '../../../store/approvals.ts';

const cursor = z.strictObject({ createdAt: z.iso.datetime({ precision: 6 }).regex(/^2/), id: z.string().regex(/^apr_[0-9A-Za-z]{22}$/) });

/** Where a page ended, opaque to callers. */
export function writeCursor(after: ApprovalCursor): string {
  return Buffer.from(JSON.stringify(after)).toString('base64url');
}

/** Throws VALIDATION_ERROR for a cursor that no answer of ours held. */
export function readCursor(text: string): ApprovalCursor {
  const parsed = cursor.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw validationError([{ path: 'cursor', message: 'is not a cursor that this list gave out' }]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
