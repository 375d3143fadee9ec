const NEXT = /["[\]{}]|-?\d[\d.eE+-]*/g;

/**
 * Returns a sentence about a part that JSON parsers may read differently: a duplicate key, a number
 * that changes, or a lone surrogate. Undefined if there is none. `json` must be valid.
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

/** A regular expression fails on very long strings. */
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
 * Returns a form in which `12.50` and `1.25e1` are equal. Undefined if the text is not a number.
 */
function decimalOf(number: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
