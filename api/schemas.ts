import { z } from 'zod';
import { ALIAS, KEPT_JSON_MAX_BYTES, NAME_MAX_LENGTH, PAGE } from '../domain/limits.ts';

/** Schemas that several resources share. */

/** Any UUID, as Postgres writes it. */
export const uuid = z.guid().toLowerCase();
export const timestamp = z.iso.datetime().describe('ISO 8601, UTC');
export const alias = z
  .string()
  .max(ALIAS.maxLength)
  .regex(ALIAS.pattern, 'must start with a lower-case letter and hold only a-z, 0-9, _ and -');

/** `limit` and `offset`; outside their bounds they are refused, never clamped. */
export const page = z.object({
  limit: z.coerce.number().int().min(PAGE.min).max(PAGE.max).default(PAGE.default),
  offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0),
});

export const idParams = z.object({ id: uuid });

export const deleted = z.object({ deleted: z.literal(true), id: z.string() });

/** For calls that take no body: nothing at all, or an empty object. */
export const emptyBody = z.strictObject({}).optional();

/** The answer to a caller that has the current state already. */
export const notModified = z.undefined();

/** Arbitrary JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());

/** The same value, refused where its JSON is longer than what is kept with a record. */
export function kept<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= KEPT_JSON_MAX_BYTES,
    `is too large: at most ${KEPT_JSON_MAX_BYTES} bytes as JSON`,
  );
}

/** Arbitrary JSON object that is kept with a record. */
export const keptJson = kept(jsonObject);

/** Text that can be stored as it is: no NUL, and no half surrogate pairs, which have no UTF-8 form. */
export const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), 'holds a character that cannot be stored');

/** A name of something. */
export const name = text.min(1).max(NAME_MAX_LENGTH);

/** The caller's own identifier of an end user. */
export const endUserId = name;

/** Partials by id or name. */
export const partialIds = z.array(name).max(100);
