import type { CallFacts } from './call-facts.ts';
import { normalText } from './normal-text.ts';
import type { AmountThreshold, PolicyRules } from './policy.ts';
import { emptyListFinding, listValues, type RuleFinding, tooLargeFinding } from './rule-finding.ts';
import type { WorkBudget } from './work-budget.ts';

/** Judges `amountThresholds`. An unreadable amount makes a threshold fire too. */
export function judgeAmounts({ amountThresholds }: PolicyRules, facts: CallFacts): RuleFinding[] {
  if (!amountThresholds) return [];
  if (amountThresholds.length === 0) return [emptyListFinding('amountThresholds')];
  const amountsAt = onceEach((path) => readAmounts(facts.valuesAt(path), facts.work));
  const currenciesAt = onceEach((path) => readCurrencies(facts.valuesAt(path), facts.work));
  return amountThresholds.map((threshold) =>
    facts.work.spend(PER_THRESHOLD) ? judgeThreshold(threshold, amountsAt, currenciesAt) : tooLargeFinding('amountThresholds'),
  );
}

const PER_THRESHOLD = 300;
const PER_VALUE = 10;
const PER_TEXT = { least: 300, ofCharacter: 10 };

type Read<Value> = (text: string) => Value;

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
  const isUnsure = fired && (!someOver || unreadable !== null);
  const describe = () => {
    if (fired) return someOver ? `${path} is ${bound}` : `${path} ${unreadable}`;
    if (isElsewhere) return `the currency is not ${currency}`;
    return values.length === 0 ? `the input has no ${path}` : `${path} is ${listValues(values)}, not ${bound}`;
  };
  return { rule: 'amountThresholds', fired, isUnsure, describe };
}

/** Whether the call has only other currencies. Without a readable currency, it can have any. */
function isOtherCurrency({ currencyPath = 'currency' }: AmountThreshold, currency: string, currenciesAt: Read<Set<string>>): boolean {
  const named = currenciesAt(currencyPath);
  return named.size > 0 && !named.has('') && !named.has(readCurrency(currency));
}

/** The currency in the form that is compared. Empty for a blank text. */
export function readCurrency(text: string): string {
  return normalText(text).replace(/\s+/g, '');
}

interface Amounts {
  values: unknown[];
  /** `-Infinity` if there is no amount. */
  largest: number;
  /** Null if all values can be read. */
  unreadable: string | null;
}

/** Only a plain number is readable, because a receiver can take other texts for any amount. */
function readAmounts(found: unknown[] | undefined, work: WorkBudget): Amounts {
  const read: Amounts = { values: [], largest: -Infinity, unreadable: null };
  if (!found || !work.spend(found.length * PER_VALUE)) return { ...read, unreadable: NOT_CHECKED };
  for (const value of found) {
    if (value === null || value === undefined) continue;
    read.values.push(value);
    if (typeof value === 'string' && !work.spend(PER_TEXT.least + value.length * PER_TEXT.ofCharacter))
      return { ...read, unreadable: NOT_CHECKED };
    const amount = typeof value === 'string' ? readNumber(value) : value;
    if (typeof amount !== 'number' || Number.isNaN(amount)) read.unreadable = 'is not a plain number';
    else if (amount > read.largest) read.largest = amount;
  }
  return read;
}

const NOT_CHECKED = 'is not checked: the input is too large to be checked whole, so the policy counts as matched';

/** ISO 4217. A symbol, a number or a name can mean any currency. */
const CODE = /^[a-z]{3}$/;

/** An empty text stands for any currency. */
function readCurrencies(found: unknown[] | undefined, work: WorkBudget): Set<string> {
  const currencies = new Set<string>();
  for (const value of found ?? ['']) {
    const cost = typeof value === 'string' ? PER_TEXT.least + value.length * PER_TEXT.ofCharacter : PER_VALUE;
    const currency = typeof value === 'string' && work.spend(cost) ? readCurrency(value) : '';
    currencies.add(CODE.test(currency) ? currency : '');
  }
  return currencies;
}

/** Undefined if the text is not a plain number. */
export function readNumber(text: string): number | undefined {
  const plain = normalText(text).trim();
  return PLAIN_NUMBER.test(plain) ? Number(plain) : undefined;
}

const PLAIN_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/;
