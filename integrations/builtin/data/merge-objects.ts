export type JsonObject = Readonly<Record<string, unknown>>;
export type MergeStrategy = 'deep' | 'shallow' | 'first' | 'last';

/** Merges objects, by strategy. The key `__proto__` is omitted. */
export const MERGES: Record<MergeStrategy, (objects: readonly JsonObject[]) => JsonObject> = {
  deep: (objects) => combine(objects, mergeLastObjects),
  shallow: (objects) => combine(objects, (values) => values.at(-1)),
  first: (objects) => combine(objects, (values) => values.find((value) => value !== null) ?? null),
  last: (objects) => combine(objects, (values) => values.findLast((value) => value !== null) ?? null),
};

/** Values are collected first, so that the cost is linear in the input. */
function combine(objects: readonly JsonObject[], choose: (values: unknown[]) => unknown): JsonObject {
  const gathered = new Map<string, unknown[]>();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      const values = gathered.get(key);
      if (values) values.push(value);
      else gathered.set(key, [value]);
    }
  }
  gathered.delete('__proto__');
  return Object.fromEntries([...gathered].map(([key, values]) => [key, choose(values)]));
}

function mergeLastObjects(values: unknown[]): unknown {
  const objects = values.slice(values.findLastIndex((value) => !isPlainObject(value)) + 1) as JsonObject[];
  return objects.length > 1 ? combine(objects, mergeLastObjects) : values.at(-1);
}

function isPlainObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
