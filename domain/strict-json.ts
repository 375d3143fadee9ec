const NEXT = /["[\]{}]|-?\d[\d.eE+-]*/g;

/**
 * What makes valid JSON mean something else to another reader, as a sentence without its end: a name that stands twice in an object, a number that is not
 * the one that would be read, half of a character. Undefined where every reader understands the same.
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
      if (open.at(-1)!.has(text)) return `${raw} stands twice in one object`;
      open.at(-1)!.add(text);
    } else if (decimalOf(token) !== decimalOf(String(Number(token)))) {
      return `the number ${token} would be read as ${Number(token)}`;
    }
  }
  return undefined;
}

/** Character by character: a regular expression gives up on very long strings. */
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

/** A number as its digits and the power of ten behind them, so that `12.50` and `1.25e1` are one; undefined for one that is none. */
function decimalOf(number: string): string | undefined {
  const [, sign, whole, fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
