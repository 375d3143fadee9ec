const NEXT = /["[\]{}]|-?\d[\d.eE+-]*/g;

/**
 * Finds a part of a JSON text that JSON parsers may read differently: a duplicate key, a number
 * that changes when parsed, or a lone surrogate. `json` must be valid. Returns a sentence about the
 * part, without a full stop. Returns undefined if there is no such part.
 */
export function findAmbiguity(json: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  const next = new RegExp(NEXT);
  for (let found = next.exec(json); found; found = next.exec(json)) {
    const [token] = found;
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') open.pop();
    else if (token === '"') {
      next.lastIndex = endOfString(json, found.index);
      const raw = json.slice(found.index, next.lastIndex);
      const text: string = JSON.parse(raw);
      if (!text.isWellFormed()) return `${raw} holds half of a character (a lone surrogate)`;
      if (!isName(json, next.lastIndex)) continue;
      if (open.at(-1)!.has(text)) return `${raw} is repeated in one object`;
      open.at(-1)!.add(text);
    } else if (decimalOf(token) !== decimalOf(String(Number(token)))) {
      return `the number ${token} would be read as ${Number(token)}`;
    }
  }
  return undefined;
}

/** Reads character by character, because a regular expression fails on very long strings. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

function isName(json: string, after: number): boolean {
  const colon = /\s*:/y;
  colon.lastIndex = after;
  return colon.test(json);
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Returns a canonical form of a number, so that `12.50` and `1.25e1` are equal. Returns undefined
 * if the text is not a number.
 */
function decimalOf(number: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
