import { z } from 'zod';
import { ALIAS, KEPT_JSON_MAX_BYTES, NAME_MAX_LENGTH, PAGE } from '../domain/limits.ts';

/** Schemas that several resources share. */

/** Any UUID. It is converted to lower case, as Postgres writes it. */
export const uuid = z.guid().toLowerCase();
export const timestamp = z.iso.datetime().describe('ISO 8601, UTC');

/** The schema of a time in a list filter. Postgres has no year 0. */
export function moment({ offset = false } = {}) {
  return z.iso
    .datetime({ offset })
    .max(40)
    .refine((value) => !value.startsWith('0000'), 'is before the year 1');
}

export const alias = z
  .string()
  .max(ALIAS.maxLength)
  .regex(ALIAS.pattern, 'must start with a lower-case letter and hold only a-z, 0-9, _ and -');

/** A number in a query, in decimal digits (contract decisions 7, Query strings). */
export function queryInteger(min: number, max: number, fallback: number) {
  return integerText(min, max).default(fallback);
}

/** A number in a path or query, in decimal digits. */
function integerText(min: number, max: number) {
  return z.preprocess(readDigits, z.int({ abort: true }).min(min).max(max));
}

/**
 * Converts digits to a number. Returns anything else unchanged, so that the schema refuses it.
 */
function readDigits(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}

export const queryFlag = z.stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' }).default(false);

/** `limit` and `offset`. */
export const page = z.strictObject({
  limit: queryInteger(PAGE.min, PAGE.max, PAGE.default),
  offset: queryInteger(0, Number.MAX_SAFE_INTEGER, 0),
});

/** The largest version of a record: the largest `integer` of Postgres. */
export const VERSION_MAX = 2 ** 31 - 1;

export const versionNumber = integerText(1, VERSION_MAX);

export const idParams = z.object({ id: uuid });

export const deleted = z.object({ deleted: z.literal(true), id: z.string() });

/** Absent, or an empty object. */
export const emptyBody = z.strictObject({}).optional();

/** The caller already has the current state. */
export const notModified = z.undefined();

/** Arbitrary JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());

/** Limits a schema to values whose JSON has at most KEPT_JSON_MAX_BYTES. */
export function kept<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= KEPT_JSON_MAX_BYTES,
    `is too large: at most ${KEPT_JSON_MAX_BYTES} bytes as JSON`,
  );
}

/** Arbitrary JSON object that is stored with a record. */
export const keptJson = kept(jsonObject);

/** Text that Postgres can store: it has no NUL and no unpaired surrogates. */
export const text = z.string().refine((value) => value.isWellFormed() && !value.includes('\0'), 'holds a character that cannot be stored');

/** The name of a record. */
export const name = text.min(1).max(NAME_MAX_LENGTH);

/** The caller's own identifier of an end user. */
export const endUserId = text.min(1).max(NAME_MAX_LENGTH);

/** Partials by id or name. */
export const partialIds = z.array(name).max(100);
