import { hideCards } from './hide-cards.ts';
import { hideCommandSecrets } from './hide-command-secrets.ts';
import { hideCredentials } from './hide-credentials.ts';
import { hideEncoded } from './hide-encoded.ts';
import { hideParameters } from './hide-parameters.ts';
import { hideTagValues } from './hide-tag-values.ts';
import { REDACTED } from './redacted.ts';

export { REDACTED };

/** Secrets in an encoding in an encoding in an encoding are found; further in nobody reads them at a glance. */
const ENCODINGS = 3;

/**
 * A text with its secrets hidden, the rest as it was: values of secret-named parameters (of URLs, forms, headers, JSON, settings, XML, command lines, SQL),
 * credentials that show by their own form, card numbers, and all these in base64, hex, escapes and characters that only look alike.
 * Reads each character a bounded number of times; doing it twice changes nothing.
 */
export function redactText(text: string, encodings = ENCODINGS): string {
  const shown = redactPlain(text);
  if (encodings === 0) return shown;
  return hideDisguised(hideEncoded(shown, (decoded) => redactText(decoded, encodings - 1)));
}

/** Whether a text holds something that is a credential by its own form. */
export function holdsCredential(text: string): boolean {
  return hideCredentials(text) !== text;
}

function redactPlain(text: string): string {
  return hideCards(hideParameters(hideCommandSecrets(hideTagValues(hideCredentials(text)))));
}

/** Hides the lines in which something shows once full-width and hidden characters and the digits of other scripts are read as what they stand for. */
function hideDisguised(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text;
  return text.replace(/[^\r\n]*[^\0-\x7f\r\n][^\r\n]*/g, (line) => {
    const plain = line
      .replace(GROWING, ' ')
      .normalize('NFKC')
      .replace(/\p{Cf}+/gu, '')
      .replace(/(?!\d)\p{Nd}/gu, asciiDigit);
    return plain === line || redactPlain(plain) === plain ? line : REDACTED;
  });
}

/** Ligatures that stand for whole sentences. */
const GROWING = /[\ufdf0-\ufdff]/g;

/** Zeros of all scripts lie at x0 or x6, the other digits right behind. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  const row = code & ~0xf;
  const zero = /\p{Nd}/u.test(String.fromCodePoint(row)) ? row : row + 6;
  return String(code - zero);
}
