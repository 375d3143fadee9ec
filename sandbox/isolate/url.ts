import { jsonParse, jsonStringify, toText } from './primordials.ts';

type Parts = Record<
  'href' | 'origin' | 'protocol' | 'username' | 'password' | 'host' | 'hostname' | 'port' | 'pathname' | 'search' | 'hash',
  string
>;
type Settable = Exclude<keyof Parts, 'origin'>;
type Pair = [name: string, value: string];

let ask: (question: string) => string = () => 'null';

/** `answer` asks the runner's URL parser. The question and the answer are JSON. */
export function openUrl(answer: (question: string) => string): void {
  ask = answer;
}

export class URLSearchParams {
  #pairs: Pair[];
  #changed: (() => void) | undefined;

  constructor(init: unknown = '') {
    this.#pairs = toPairs(init);
  }

  /**
   * Links parameters to a URL. Returns a function that replaces the parameters with those of a
   * query.
   */
  static attach(params: URLSearchParams, changed: () => void): (query: string) => void {
    params.#changed = changed;
    return (query) => {
      params.#pairs = toPairs(query);
    };
  }

  get size(): number {
    return this.#pairs.length;
  }

  append(name: unknown, value: unknown): void {
    this.#pairs.push([toText(name), toText(value)]);
    this.#changed?.();
  }

  delete(name: unknown, value?: unknown): void {
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== toText(name) || (value !== undefined && pair[1] !== toText(value)));
    this.#changed?.();
  }

  get(name: unknown): string | null {
    return this.#pairs.find((pair) => pair[0] === toText(name))?.[1] ?? null;
  }

  getAll(name: unknown): string[] {
    return this.#pairs.filter((pair) => pair[0] === toText(name)).map((pair) => pair[1]);
  }

  has(name: unknown, value?: unknown): boolean {
    return this.#pairs.some((pair) => pair[0] === toText(name) && (value === undefined || pair[1] === toText(value)));
  }

  set(name: unknown, value: unknown): void {
    const first = this.#pairs.findIndex((pair) => pair[0] === toText(name));
    if (first < 0) this.#pairs.push([toText(name), toText(value)]);
    else this.#pairs[first]![1] = toText(value);
    this.#pairs = this.#pairs.filter((pair, index) => first < 0 || index <= first || pair[0] !== toText(name));
    this.#changed?.();
  }

  sort(): void {
    this.#pairs.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
    this.#changed?.();
  }

  forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void {
    for (const [name, value] of this) callback(value, name, this);
  }

  *entries(): Generator<Pair> {
    for (const [name, value] of this.#pairs) yield [name, value];
  }

  *keys(): Generator<string> {
    for (const [name] of this.#pairs) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this.#pairs) yield value;
  }

  [Symbol.iterator](): Generator<Pair> {
    return this.entries();
  }

  toString(): string {
    return query('format', this.#pairs) as string;
  }
}

export class URL {
  #parts: Parts;
  #readQuery: (query: string) => void;
  readonly searchParams: URLSearchParams;

  constructor(url: unknown, base?: unknown) {
    const parts = query('parse', toText(url), ...(base === undefined ? [] : [toText(base)])) as Parts | null;
    if (!parts) throw Object.assign(new TypeError(`Invalid URL: ${toText(url)}`), { code: 'ERR_INVALID_URL' });
    this.#parts = parts;
    this.searchParams = new URLSearchParams(parts.search);
    this.#readQuery = attach(this.searchParams, () => {
      this.#parts = query('set', this.#parts.href, 'search', this.searchParams.toString()) as Parts;
    });
  }

  static canParse(url: unknown, base?: unknown): boolean {
    return URL.parse(url, base) !== null;
  }

  static parse(url: unknown, base?: unknown): URL | null {
    try {
      return new URL(url, base);
    } catch {
      return null;
    }
  }

  static change(url: URL, part: Settable, value: unknown): void {
    const parts = query('set', url.#parts.href, part, toText(value)) as Parts | null;
    if (!parts) throw new TypeError(`Invalid URL: ${toText(value)}`);
    url.#parts = parts;
    url.#readQuery(parts.search);
  }

  static part(url: URL, part: keyof Parts): string {
    return url.#parts[part];
  }

  toString(): string {
    return this.#parts.href;
  }

  toJSON(): string {
    return this.#parts.href;
  }
}

// As members, these functions can access private fields. Deleting them hides them from the caller's
// code.
const { change, part } = URL;
const { attach } = URLSearchParams;
for (const internal of ['change', 'part']) delete (URL as unknown as Record<string, unknown>)[internal];
delete (URLSearchParams as unknown as Record<string, unknown>).attach;

for (const name of ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'] as const) {
  Object.defineProperty(URL.prototype, name, {
    get(this: URL) {
      return part(this, name);
    },
    set(this: URL, value: unknown) {
      change(this, name, value);
    },
    enumerable: true,
    configurable: true,
  });
}
Object.defineProperty(URL.prototype, 'origin', {
  get(this: URL) {
    return part(this, 'origin');
  },
  enumerable: true,
  configurable: true,
});

function toPairs(init: unknown): Pair[] {
  if (init instanceof URLSearchParams) return [...init];
  if (typeof init === 'object' && init !== null) {
    const entries = Symbol.iterator in init ? [...(init as Iterable<Iterable<unknown>>)].map((pair) => [...pair]) : Object.entries(init);
    if (entries.some((pair) => pair.length !== 2)) throw new TypeError('Each query pair must be a name and a value');
    return entries.map(([name, value]) => [toText(name).toWellFormed(), toText(value).toWellFormed()]);
  }
  return query('query', toText(init)) as Pair[];
}

function query(...question: unknown[]): unknown {
  return jsonParse(ask(jsonStringify(question)));
}
