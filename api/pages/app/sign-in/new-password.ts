import { z } from 'zod';
import { PASSWORD } from '../../../../domain/member.ts';
import type { Field } from '../form.ts';

/** The field of a new password. */
export const NEW_PASSWORD = {
  kind: 'password',
  maxLength: 2 * PASSWORD.max,
  autocomplete: 'new-password',
  hint: `At least ${PASSWORD.min} characters. A few words are fine.`,
} as const satisfies Partial<Field>;

/** Counts characters, not UTF-16 code units. */
export const newPassword = z
  .string()
  .refine((password) => [...password].length >= PASSWORD.min, `needs ${PASSWORD.min} characters or more`)
  .refine((password) => [...password].length <= PASSWORD.max, `has more than ${PASSWORD.max} characters`);

/** The problem of a password that equals the member's e-mail address. */
export const NOT_THE_ADDRESS = 'must not be the e-mail address';
