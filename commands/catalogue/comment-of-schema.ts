import type { JsonSchema } from '../../integrations/catalog.ts';

/** A text as a comment of one line, cut if long. Empty for an empty text. */
export function comment(text: string | undefined, indent = ''): string {
  const line = (text ?? '').toWellFormed().replace(/\s+/g, ' ').replaceAll('*/', '*\\/').trim();
  if (line === '') return '';
  const letters = Array.from(line);
  return `${indent}/** ${letters.length > MAX_COMMENT ? `${letters.slice(0, MAX_COMMENT - 1).join('')}…` : line} */\n`;
}

/**
 * The description of a field with its default. With `limits`, adds limits that the description does
 * not state.
 */
export function meaningOf(schema: unknown, { limits }: { limits: boolean }): string {
  if (schema === null || typeof schema !== 'object') return '';
  const { description, default: preset, ...rest } = schema as JsonSchema;
  const said = typeof description === 'string' ? description : '';
  const parts = [said, ...(limits ? limitsOf(rest).filter(({ marks }) => !marks.some((mark) => said.includes(mark))) : [])];
  const texts = parts.map((part) => (typeof part === 'string' ? part : part.text));
  if (preset !== undefined && preset !== '') texts.push(`default ${JSON.stringify(preset)}`);
  return texts.filter(Boolean).join('; ');
}

const MAX_COMMENT = 300;
const MAX_PATTERN = 40;

/** A limit as text. A description that contains one of `marks` already states it. */
interface Limit {
  text: string;
  marks: string[];
}

function limitsOf(schema: JsonSchema): Limit[] {
  return [
    range(
      schema.type === 'integer' ? 'integer ' : '',
      bounds(schema.minimum, schema.exclusiveMinimum),
      bounds(schema.maximum, schema.exclusiveMaximum),
      '',
    ),
    range('', atLeastTwo(schema.minLength), known(schema.maxLength), ' chars'),
    range('', known(schema.minItems), known(schema.maxItems), ' items'),
    formatOf(schema),
  ].filter((limit) => limit !== undefined);
}

function formatOf({ format, pattern }: JsonSchema): Limit | undefined {
  if (typeof format === 'string') return { text: format, marks: [format, FORMAT_WORDS[format] ?? format] };
  if (typeof pattern !== 'string' || pattern.length > MAX_PATTERN) return undefined;
  return { text: `matches ${pattern}`, marks: [' '] };
}

const FORMAT_WORDS: Record<string, string> = { uri: 'address', email: 'e-mail', 'date-time': 'ISO 8601' };

/** `isOutside`: whether the bound itself is excluded. */
type Bound = { value: number; isOutside: boolean } | undefined;

function bounds(inclusive: unknown, exclusive: unknown): Bound {
  if (typeof exclusive === 'number') return { value: exclusive, isOutside: true };
  return known(inclusive);
}

/** Leaves out the smallest and the largest safe integer, which are no real limits. */
function known(value: unknown): Bound {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? { value, isOutside: false } : undefined;
}

function atLeastTwo(value: unknown): Bound {
  return typeof value === 'number' && value > 1 ? known(value) : undefined;
}

function range(what: string, low: Bound, high: Bound, unit: string): Limit | undefined {
  const shown = (bound: NonNullable<Bound>) => bound.value.toLocaleString('en');
  const marks = [low, high].filter((bound) => bound !== undefined).flatMap((bound) => [shown(bound), String(bound.value)]);
  if (low && high && !low.isOutside && !high.isOutside) {
    const span = low.value === high.value ? shown(low) : `${shown(low)} to ${shown(high)}`;
    return { text: `${what}${span}${unit}`, marks: marks.slice(2) };
  }
  const texts = [low && `${low.isOutside ? 'above' : 'min'} ${shown(low)}`, high && `${high.isOutside ? 'below' : 'max'} ${shown(high)}`];
  if (low || high) return { text: `${what}${texts.filter(Boolean).join(', ')}${unit}`, marks };
  return what === '' ? undefined : { text: what.trim(), marks: [what.trim()] };
}
