import { z } from 'zod';

/** A name that the database can store as a key, of at most `maxBytes` bytes of UTF-8. */
export function storableText(maxBytes: number) {
  return z
    .string()
    .min(1, { abort: true })
    .max(maxBytes, { abort: true })
    .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), 'must not hold control characters')
    .refine((text) => Buffer.byteLength(text) <= maxBytes, `is too long: at most ${maxBytes} bytes of UTF-8`);
}

/** A text that the database can store and search. */
export function storableContent(maxLength: number) {
  return z
    .string()
    .max(maxLength, { abort: true })
    .refine((text) => !text.includes('\u0000'), 'must not hold the NUL character');
}
