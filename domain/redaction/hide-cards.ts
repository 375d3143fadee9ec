import { REDACTED } from './redacted.ts';

/** Hides the numbers of payment cards in a text. */
export function hideCards(text: string): string {
  return text.replace(IDENTIFIERS_AND_DIGITS, (run: string, _: unknown, at: number) => {
    const isPhone = text[at - 1] === '+' && run.replace(/\D/g, '').length <= PHONE_MAX_DIGITS;
    return isPhone || !DIGITS_ONLY.test(run) ? run : hideCardsIn(run);
  });
}

/** Hashes and UUIDs can contain runs of digits by chance. They match first and are skipped. */
const IDENTIFIERS_AND_DIGITS =
  /(?<![0-9a-z])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})(?![0-9a-z])|(?<!\d)\d{4}([./_])\d{4}\1\d{4}\1\d{4}(?!\d)|\d(?:[ \u00a0\u2007\u2009\u202f\u2010-\u2015-]{0,3}\d){12,}/gi;
const DIGITS_ONLY = /^[\d \u00a0\u2007\u2009\u202f\u2010-\u2015./_-]+$/;
const CARD_LENGTHS = [19, 18, 17, 16, 15, 14, 13];
const PHONE_MAX_DIGITS = 15;

/** Checks every group of digits, so that a number before a card number does not conceal it. */
function hideCardsIn(run: string): string {
  const places = [...run.matchAll(/\d/g)].map(({ index }) => index);
  const digits = places.map((place) => Number(run[place]));
  const opensGroup = (digit: number) => digit === 0 || digit === places.length || places[digit] !== places[digit - 1]! + 1;
  const endsCard = (start: number, end: number) => end <= digits.length && opensGroup(end) && isCard(digits, start, end);
  let shown = '';
  let from = 0;
  for (let digit = 0; digit < digits.length; digit += 1) {
    if (!opensGroup(digit)) continue;
    const length = CARD_LENGTHS.find((count) => endsCard(digit, digit + count));
    if (length === undefined) continue;
    shown += run.slice(from, places[digit]) + REDACTED;
    digit += length - 1;
    from = places[digit]! + 1;
  }
  return shown + run.slice(from);
}

/**
 * Whether digits are a card number, by the Luhn check and the first digits (ISO/IEC 7812).
 * Timestamps begin with other digits.
 */
function isCard(digits: number[], start: number, end: number): boolean {
  const issuer = digits[start]! * 10 + digits[start + 1]!;
  if (issuer < 22 || issuer > 69 || issuer === 28 || issuer === 29) return false;
  let sum = 0;
  for (let index = end - 1; index >= start; index -= 1) {
    const value = (end - 1 - index) % 2 === 0 ? digits[index]! : digits[index]! * 2;
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
