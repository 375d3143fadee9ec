import { safeNfkc } from '../policies/normal-text.ts';
import { hideCards } from './hide-cards.ts';
import { hideCommandSecrets } from './hide-command-secrets.ts';
import { hideCredentials } from './hide-credentials.ts';
import { hideEncoded } from './hide-encoded.ts';
import { hideParameters } from './hide-parameters.ts';
import { hideTagValues } from './hide-tag-values.ts';
import { REDACTED } from './redacted.ts';

/**
 * Maximum depth of nested encodings that are decoded, such as base64 in hex. A person cannot read a
 * deeper encoding at a glance.
 */
const ENCODINGS = 3;

/**
 * Hides the secrets in a text and keeps the rest. Hides values of parameters with secret names (in
 * URLs, forms, headers, JSON, settings, XML, command lines and SQL), texts with the form of a
 * credential, and card numbers. Also finds secrets in base64, hex, escapes and look-alike
 * characters. Takes linear time. Redacting the result again changes nothing.
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
 * Normalizes each line to find secrets: converts full-width characters and digits of other scripts,
 * and removes invisible characters. Hides a line in which this reveals a secret.
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

/**
 * Converts a digit of any script to ASCII. Unicode places digits in runs of ten, from zero to nine.
 * Runs can be next to each other.
 */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  let first = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
