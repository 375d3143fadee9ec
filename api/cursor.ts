import { z } from 'zod';
import { validationError } from '../domain/errors.ts';

/** Where a page of a list ended that is sorted by time and id: opaque to callers. */
export interface Cursors<Id> {
  write(after: { createdAt: string; id: Id }): string;
  /** Throws VALIDATION_ERROR for a cursor that no answer of ours held. */
  read(text: string): { createdAt: string; id: Id };
}

/** Cursors of a list whose ids are of this schema. */
export function cursorsOf<Id>(id: z.ZodType<Id>): Cursors<Id> {
  const cursor = z.strictObject({ createdAt: z.iso.datetime({ precision: 6 }).regex(/^2/), id });
  return {
    write: (after) => Buffer.from(JSON.stringify(after)).toString('base64url'),
    read(text) {
      const parsed = cursor.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
      if (parsed.success) return parsed.data as { createdAt: string; id: Id };
      throw validationError([{ path: 'cursor', message: 'is not a cursor that this list gave out' }]);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
