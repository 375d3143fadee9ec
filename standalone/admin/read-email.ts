import { z } from 'zod';
import { EMAIL_MAX_LENGTH } from '../../domain/limits.ts';
import { requireOption, UsageError } from './read-options.ts';

const address = z.email().max(EMAIL_MAX_LENGTH);

/** Reads an e-mail address from a required option. Throws UsageError. */
export function readEmail(option: string, value: string | undefined): string {
  const text = requireOption(option, value);
  if (address.safeParse(text).success) return text;
  throw new UsageError(`${option}: ${text} is not an e-mail address.`);
}
