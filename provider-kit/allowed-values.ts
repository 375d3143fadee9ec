type Json = Record<string, unknown>;

/**
 * The values that an API's document allows for a parameter or field. A missing key means no limit.
 */
export interface Allowed {
  values?: (string | number | boolean)[];
  maxLength?: number;
  maximum?: number;
}

const ANY: Allowed = {};
const MAX_DEPTH = 8;

/**
 * Returns what a schema allows; for a list, the values of its items. `resolve` follows a reference.
 */
export function allowedBy(given: Json, resolve: (value: Json) => Json): Allowed | undefined {
  const allowed = read(given, resolve, 0);
  return Object.keys(allowed).length > 0 ? allowed : undefined;
}

function read(given: Json, resolve: (value: Json) => Json, depth: number): Allowed {
  const schema = resolve(given);
  if (depth > MAX_DEPTH) return ANY;
  const inner = (value: unknown) => read(value as Json, resolve, depth + 1);
  const forms = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (forms) return forms.map(inner).reduce(wider);
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(inner), own(schema));
  if (schema.items) return onlyValues(inner(schema.items));
  return own(schema);
}

function own({ enum: values, maxLength, maximum }: Json): Allowed {
  const known = Array.isArray(values) ? values.filter((value) => value !== null) : undefined;
  return {
    ...(known && { values: known as string[] }),
    ...(typeof maxLength === 'number' && { maxLength }),
    // Google's discovery format writes numbers as texts.
    ...((typeof maximum === 'number' || typeof maximum === 'string') && { maximum: Number(maximum) }),
  };
}

function onlyValues({ values }: Allowed): Allowed {
  return values ? { values } : ANY;
}

function wider(one: Allowed, other: Allowed): Allowed {
  return {
    ...(one.values && other.values && { values: [...one.values, ...other.values] }),
    ...(one.maxLength !== undefined && other.maxLength !== undefined && { maxLength: Math.max(one.maxLength, other.maxLength) }),
    ...(one.maximum !== undefined && other.maximum !== undefined && { maximum: Math.max(one.maximum, other.maximum) }),
  };
}

/** Returns a phrase for each limit of our input that is wider than the third party's limit. */
export function excess(input: Json, allowed: Allowed | undefined): string[] {
  if (!allowed) return [];
  const { enum: values, maxLength, maximum } = (input.items as Json | undefined)?.enum ? (input.items as Json) : input;
  const known = new Set(allowed.values?.map(String));
  const unknown = allowed.values && Array.isArray(values) ? values.filter((value) => value !== null && !known.has(String(value))) : [];
  return [
    ...(unknown.length > 0 ? [`may not be ${unknown.join(', ')}`] : []),
    ...(isMore(maxLength, allowed.maxLength)
      ? [`may have at most ${allowed.maxLength} characters, but our input allows ${maxLength}`]
      : []),
    ...(isMore(maximum, allowed.maximum) ? [`may be at most ${allowed.maximum}, but our input allows ${maximum}`] : []),
  ];
}

function isMore(own: unknown, most: number | undefined): boolean {
  return typeof own === 'number' && most !== undefined && own > most;
}
