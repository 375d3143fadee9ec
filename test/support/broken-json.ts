import fc from 'fast-check';

/**
 * Prefix of a string that stands for a number outside the range of JavaScript, such as 1e400.
 * `jsonText` writes the bare number.
 */
const RAW = '\u0001raw:';

/** Values that often break programs. */
export const ODD_VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 0.5, 1e-320, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e21, 1e308, `${RAW}1e400`, `${RAW}-1e400`],
  ...[
    '',
    ' ',
    '\n',
    'null',
    'NaN',
    '1e3',
    '٣',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    '\ufffe',
    '\u202eabc',
    'e\u0301',
    '👩‍👩‍👧‍👦',
    "'; drop table orgs; --",
  ],
  ...['__proto__', 'constructor', '../../etc/passwd', '%00', '{{7*7}}', '2026-02-30T00:00:00Z', '+275760-09-13T00:00:00Z', '-1'],
  ...['00000000-0000-0000-0000-000000000000', 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF', 'https://127.0.0.1:1/', 'javascript:alert(1)'],
  ...['x'.repeat(201), 'ü'.repeat(300), 'x'.repeat(70_000)],
  ...[[], {}, [null], [[]], [{}], Array(1001).fill('x'), nested(20), nested(70), Object.fromEntries([['__proto__', { admin: true }]])],
];

const ODD_KEYS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '\0', '\ud800', 'orgId', 'id', 'x', 'x'.repeat(300)];

const oddValue = fc.constantFrom(...ODD_VALUES);

type Change = { kind: 'replace' | 'wrap' | 'remove' } | { kind: 'add'; key: string };

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Change>({ kind: 'replace' }) },
  { weight: 2, arbitrary: fc.constant<Change>({ kind: 'remove' }) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_KEYS).map((key): Change => ({ kind: 'add', key })) },
  { weight: 1, arbitrary: fc.constant<Change>({ kind: 'wrap' }) },
);

/** JSON values like the given ones, each after one to three random changes. */
export function brokenJson(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const breaks = fc.array(fc.tuple(fc.nat(), change, oddValue), { minLength: 1, maxLength: 3 });
  return fc
    .tuple(values, breaks)
    .map(([value, all]) => all.reduce((broken, [at, what, odd]) => breakAt(broken, at % countNodes(broken), what, odd), value));
}

/** The value as JSON text. Strings with the prefix RAW become bare numbers. */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value)?.replaceAll(/"\\u0001raw:([^"]*)"/g, '$1');
}

const childrenOf = (value: unknown): unknown[] => (value !== null && typeof value === 'object' ? Object.values(value) : []);

function countNodes(value: unknown): number {
  return childrenOf(value).reduce<number>((sum, child) => sum + countNodes(child), 1);
}

/** Node 0 is the root; nodes are counted depth first. */
function breakAt(value: unknown, at: number, what: Change, odd: unknown): unknown {
  if (at === 0) return broken(value, what, odd);
  if (Array.isArray(value))
    return spread(
      value.map((child, index) => [String(index), child] as const),
      at,
      what,
      odd,
    ).map(([, child]) => child);
  return Object.fromEntries(spread(Object.entries(value as object), at, what, odd));
}

function spread(entries: (readonly [string, unknown])[], at: number, what: Change, odd: unknown): (readonly [string, unknown])[] {
  let before = 1;
  return entries.flatMap(([key, child]) => {
    const inside = at - before;
    before += countNodes(child);
    if (inside < 0 || at >= before) return [[key, child] as const];
    if (inside === 0 && what.kind === 'remove') return [];
    return [[key, breakAt(child, inside, what, odd)] as const];
  });
}

function broken(value: unknown, what: Change, odd: unknown): unknown {
  if (what.kind === 'wrap') return [value];
  if (what.kind === 'add' && value !== null && typeof value === 'object' && !Array.isArray(value))
    return Object.fromEntries([...Object.entries(value), [what.key, odd]]);
  return odd;
}

function nested(levels: number): unknown {
  return levels === 0 ? 'deep' : { a: nested(levels - 1) };
}
