import type { AmountThreshold, PolicyRules } from './policy.ts';
import { emptyList, listValues, type RuleFinding } from './rule-finding.ts';
import { valuesAtPaths } from './values-at-paths.ts';
import { withoutHidden } from './visible-text.ts';

/** `amountThresholds`: each one fires for an amount over its bound, in its currency where the call names one. */
export function judgeAmounts({ amountThresholds }: PolicyRules, input: unknown): RuleFinding[] {
  if (!amountThresholds) return [];
  if (amountThresholds.length === 0) return [emptyList('amountThresholds')];
  const valuesAt = valuesAtPaths(input);
  const numberIn = onceEach(readNumber);
  const nameIn = onceEach(readCurrency);
  const amountsAt = onceEach((path) => readAmounts(valuesAt(path), numberIn));
  const currenciesAt = onceEach((path) => new Set(valuesAt(path)?.map((value) => (typeof value === 'string' ? nameIn(value) : ''))));
  return amountThresholds.map((threshold) => judgeThreshold(threshold, amountsAt, currenciesAt));
}

type Read<Value> = (text: string) => Value;

/** The same answer for the same text, worked out once. */
function onceEach<Value>(read: Read<Value>): Read<Value> {
  const known = new Map<string, Value>();
  return (text) => {
    if (!known.has(text)) known.set(text, read(text));
    return known.get(text) as Value;
  };
}

function judgeThreshold(threshold: AmountThreshold, amountsAt: Read<Amounts>, currenciesAt: Read<Set<string>>): RuleFinding {
  const { path, gte, gt, currency } = threshold;
  const bound = gte === undefined ? `more than ${gt}` : `${gte} or more`;
  const { values, largest, unreadable } = amountsAt(path);
  const isElsewhere = currency !== undefined && isOtherCurrency(threshold, currency, currenciesAt);
  const someOver = (gte !== undefined && largest >= gte) || (gt !== undefined && largest > gt);
  const fired = !isElsewhere && (someOver || unreadable !== null);
  const tell = () => {
    if (fired) return someOver ? `${path} is ${bound}` : `${path} ${unreadable}`;
    if (isElsewhere) return `the currency is not ${currency}`;
    return values.length === 0 ? `the input has no ${path}` : `${path} is ${listValues(values)}, not ${bound}`;
  };
  return { rule: 'amountThresholds', fired, tell };
}

/** Only where each currency that the call names is another one; a call that names none, or none that can be read, may be in any. */
function isOtherCurrency({ currencyPath = 'currency' }: AmountThreshold, currency: string, currenciesAt: Read<Set<string>>): boolean {
  const named = currenciesAt(currencyPath);
  return named.size > 0 && !named.has('') && !named.has(readCurrency(currency));
}

/** Empty where it names none. */
function readCurrency(text: string): string {
  return plainText(text).replace(/\s+/g, '');
}

interface Amounts {
  values: unknown[];
  /** Less than any bound where there is none. */
  largest: number;
  /** Why not every value is known as an amount; null where each is. */
  unreadable: string | null;
}

/** What is not one plain number is unreadable: whoever is sent it may read any amount in it. */
function readAmounts(found: unknown[] | undefined, numberIn: Read<number | undefined>): Amounts {
  const read: Amounts = { values: [], largest: -Infinity, unreadable: null };
  if (!found) return { ...read, unreadable: 'is not looked at, for the input holds too many values' };
  for (const value of found) {
    if (value === null || value === undefined) continue;
    read.values.push(value);
    const amount = typeof value === 'string' ? numberIn(value) : value;
    if (typeof amount !== 'number' || Number.isNaN(amount)) read.unreadable = 'is not a plain number';
    else if (amount > read.largest) read.largest = amount;
  }
  return read;
}

function readNumber(text: string): number | undefined {
  const plain = plainText(text);
  return PLAIN_NUMBER.test(plain) ? Number(plain) : undefined;
}

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/;

/** A text as it is read by whoever looks past case, width, blanks around it and characters that do not show. */
function plainText(text: string): string {
  return withoutHidden(text.normalize('NFKC')).trim().toLowerCase();
}
