import { safeNfkc } from '../policies/normal-text.ts';
import { hideCards } from './hide-cards.ts';
import { hideCommandSecrets } from './hide-command-secrets.ts';
import { hideCredentials } from './hide-credentials.ts';
import { hideEncoded } from './hide-encoded.ts';
import { hideParameters } from './hide-parameters.ts';
import { hideTagValues } from './hide-tag-values.ts';
import { REDACTED } from './redacted.ts';

/** How many nested encodings are decoded. People do not decode more when they read a page. */
const ENCODINGS = 3;

/**
 * Hides the secrets in a text and keeps the rest. Finds secrets in base64, hex, escapes and
 * look-alike characters too. Takes linear time.
 */
export function redactText(text: string, encodings = ENCODINGS): string {
  const shown = redactPlain(text);
  if (encodings === 0) return shown;
  return hideDisguised(hideEncoded(shown, (decoded) => redactText(decoded, encodings - 1)));
}

/** Whether a text contains something in the form of a credential. */
export function holdsCredential(text: string): boolean {
  return hideCredentials(text) !== text;
}

function redactPlain(text: string): string {
  return hideCards(hideParameters(hideCommandSecrets(hideTagValues(hideCredentials(text)))));
}

/**
 * Full-width characters, digits of other scripts and invisible characters can disguise a secret.
 */
function hideDisguised(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(/[^\r\n]*[^\0-\x7f\r\n][^\r\n]*/g, (line) => {
    const plain = safeNfkc(line)
      .replace(/\p{Cf}+/gu, '')
      .replace(/(?!\d)\p{Nd}/gu, asciiDigit);
    return plain === line || redactPlain(plain) === plain ? line : REDACTED;
  });
}

/** Unicode places digits in runs of ten, from zero to nine. Runs can be next to each other. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
