import type { SecretCase } from './secret-cases.ts';
import { SECRETS_BY_FORM } from './secrets-by-form.ts';
import { SECRETS_BY_PLACE } from './secrets-by-place.ts';
import { SECRETS_IN_TEXT } from './secrets-in-text.ts';

/** The inputs whose secrets a preview must hide. */
export const SECRETS: SecretCase[] = [...SECRETS_BY_PLACE, ...SECRETS_BY_FORM, ...SECRETS_IN_TEXT];
