import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import { aSandbox, errorOf, returned, run, STARTED_AT } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

test('the clock starts with the run and advances only when the host answers', async () => {
  const code = `const start = [Date.now(), new Date().getTime(), +new Date(Date()), performance.now()];
    for (let i = 0; i < 1e6; i++);
    const still = Date.now();
    await svc.echo.say({});
    await new Promise((done) => setTimeout(done, 250));
    return { start, still, later: Date.now(), passed: performance.now(), zone: new Date().getTimezoneOffset() }`;
  expect(await returned(sandbox, code)).toEqual({
    start: [STARTED_AT, STARTED_AT, STARTED_AT, 0],
    still: STARTED_AT,
    later: STARTED_AT + 251,
    passed: 251,
    zone: 0,
  });
});

test('Date works as usual: arguments, statics, subclasses, formats without an argument', async () => {
  const code = `class Day extends Date { name() { return this.toISOString().slice(0, 10) } }
    const format = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC" });
    return [new Date(0) instanceof Date, new Date(2020, 1, 29).toISOString(), Date.UTC(1970, 0, 2), Date.parse("1970-01-01T00:00:01Z"), new Day().name(),
      new Day() instanceof Day, Date.length, Date.name, typeof Date(), format.format(), format.formatToParts().length, new Date().constructor === Date]`;
  const expected = [true, '2020-02-29T00:00:00.000Z', 86_400_000, 1000, '2026-01-02', true, 7, 'Date', 'string', '02/01/2026', 5, true];
  expect(await returned(sandbox, code)).toEqual(expected);
});

test('timers: order, arguments, clearing, intervals', async () => {
  const code = `const seen = [];
    const cleared = setTimeout(() => seen.push("cleared"), 1); clearTimeout(cleared); clearTimeout(undefined);
    let ticks = 0;
    await new Promise((done) => { const id = setInterval((step) => { seen.push("tick"); if ((ticks += step) === 3) { clearInterval(id); done() } }, 10, 1) });
    await new Promise((done) => setTimeout((a, b) => { seen.push(a + b); done() }, "5", 1, 2));
    queueMicrotask(() => seen.push("micro")); await 0;
    return seen`;
  expect(await returned(sandbox, code)).toEqual(['tick', 'tick', 'tick', 3, 'micro']);
});

test('random values have the right shape', async () => {
  const [number, uuid, bytes] = (await returned(
    sandbox,
    'return [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(8))]]',
  )) as [number, string, number[]];
  expect(number).toBeGreaterThanOrEqual(0);
  expect(number).toBeLessThan(1);
  expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(bytes.every((byte) => byte >= 0 && byte <= 255)).toBe(true);
});

/** Each expression must have the same result in the sandbox and in Node. */
test.each([
  'btoa("hello, \\u00ff") + btoa("") + btoa("a") + btoa("ab")',
  'atob(" aGVs bG8= ") + atob("YQ") + atob("")',
  '[...new TextEncoder().encode("aü€😀\\ud800")]',
  'new TextDecoder().decode(new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xc3, 0xbc, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80]))',
  'new TextDecoder().decode(new Uint8Array([0x61, 0xff, 0xc3, 0x61, 0xe2, 0x82, 0xf0, 0x9f, 0x61, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf4, 0x90, 0x80, 0x80]))',
  'new TextEncoder().encodeInto("aü€", new Uint8Array(4))',
  'new URL("../b?x=1&y=%C3%BC#h", "https://u:p@example.com:8443/a/c").href',
  '(() => { const u = new URL("https://example.com/a?b=1"); u.searchParams.append("c", "ä &"); u.port = "99"; u.pathname = "/x y"; u.hash = "z"; return [u.href, u.host, u.origin, u.search, u.searchParams.get("c")] })()',
  '(() => { const u = new URL("https://example.com/?a=1"); u.search = "?b=2&b=3"; return [...u.searchParams, u.searchParams.getAll("b"), JSON.stringify(u)] })()',
  '(() => { const p = new URLSearchParams({ b: "2", a: "1 +" }); p.append("a", "x"); p.sort(); p.set("b", "3"); p.delete("a", "x"); return [p.toString(), p.size, p.has("a"), [...p.keys()], [...p.values()]] })()',
  '[URL.canParse("nope"), URL.canParse("a:b"), URL.parse("nope"), new URLSearchParams("?a=%FF&b").toString()]',
  '(() => { const a = { d: new Date(5), m: new Map([[1, { x: new Set([1]) }]]), r: /a/gi, u: new Uint8Array([1, 2]), e: new RangeError("r"), n: [1, , 3] }; a.self = a; const b = structuredClone(a); return [b.d.getTime(), [...b.m.get(1).x], String(b.r), [...b.u], b.e.message, b.e.name, 1 in b.n, b.self === b, b.m !== a.m] })()',
  '(() => { try { structuredClone(() => {}) } catch (e) { return e.name } })()',
  '(() => { const c = new AbortController(); const seen = []; c.signal.addEventListener("abort", () => seen.push(c.signal.reason.name), { once: true }); c.signal.onabort = () => seen.push("on"); c.abort(); c.abort(); try { c.signal.throwIfAborted() } catch (e) { seen.push(e.name) } return [seen.sort(), c.signal.aborted, AbortSignal.any([c.signal]).aborted, AbortSignal.abort("why").reason] })()',
])('%s', async (expression) => {
  // biome-ignore lint/security/noGlobalEval: Node itself is the reference
  const reference: unknown = globalThis.eval(expression);
  expect(await returned(sandbox, `return ${expression}`)).toEqual(JSON.parse(JSON.stringify(reference)));
});

test('AbortSignal.timeout aborts by the clock of the run', async () => {
  const code =
    'const s = AbortSignal.timeout(50); await new Promise((done) => s.addEventListener("abort", done)); return [s.reason.name, performance.now()]';
  expect(await returned(sandbox, code)).toEqual(['TimeoutError', 50]);
});

test('the globals are a fixed list, without shared memory, WebAssembly, weak references or host objects', async () => {
  const names = [
    'WebAssembly',
    'SharedArrayBuffer',
    'Atomics',
    'FinalizationRegistry',
    'WeakRef',
    'ShadowRealm',
    'global',
    'module',
    'exports',
    'Deno',
    'Bun',
    'gc',
  ];
  expect(await returned(sandbox, `return ${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual([]);
  const known = `return Object.getOwnPropertyNames(globalThis).filter((name) => !/^(URL.*|Abort.*|Text.*|[A-Z][A-Za-z0-9]*(Error|Array|Set|Map|Stack))$/.test(name)).sort().join(" ")`;
  expect(await returned(sandbox, known)).toMatchInlineSnapshot(
    `"Array ArrayBuffer BigInt Blob Boolean Buffer DataView Date Error EventSource EventTarget FormData Function Headers Infinity Intl Iterator JSON Map Math NaN Number Object Promise Proxy Reflect RegExp Request Response Set String Symbol WebSocket XMLHttpRequest atob btoa clearInterval clearTimeout console crypto decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval fetch globalThis isFinite isNaN localStorage parseFloat parseInt performance process queueMicrotask require setImmediate setInterval setTimeout structuredClone svc undefined unescape"`,
  );
});

test.each([
  'atob("*")',
  'btoa("€")',
  'new URL("nope")',
  'new TextDecoder("latin1")',
  'new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array([255]))',
  'new AbortSignal()',
  'setTimeout("code")',
])('%s is an error', async (code) => {
  expect(await errorOf(sandbox, code)).toMatchObject({ kind: 'threw', line: 1 });
});

test('atob and btoa throw the same errors as in browsers', async () => {
  const code = 'return [() => atob("*"), () => btoa("€")].map((f) => { try { f() } catch (e) { return [e.name, e instanceof Error] } })';
  expect(await returned(sandbox, code)).toEqual(Array(2).fill(['InvalidCharacterError', true]));
});

test('the error for a missing function names its replacement', async () => {
  expect(await returned(sandbox, 'return [typeof crypto.subtle, typeof performance.mark, typeof Blob]')).toEqual([
    'object',
    'function',
    'function',
  ]);
  expect(await errorOf(sandbox, 'await crypto.subtle.digest("SHA-256", new Uint8Array())')).toMatchObject({
    code: 'CODE_NOT_AVAILABLE',
    message: expect.stringContaining('svc.hash_encode.hash('),
  });
  const computing = { inputs: '{}' };
  expect((await errorOf(sandbox, 'crypto.subtle.digest()', computing)).message).not.toContain('svc');
  expect((await errorOf(sandbox, 'performance.mark("x")', computing)).message).toContain('performance.now()');
});

test("console counts, measures by the run's clock, and indents groups", async () => {
  const code = `console.count(); console.count('a'); console.count(); console.countReset(); console.count();
    console.time(); await new Promise((done) => setTimeout(done, 20)); console.timeLog(undefined, 1); console.timeEnd(); console.timeEnd();
    console.group('g'); console.log('in'); console.group(); console.dir({ a: 1 }); console.groupEnd(); console.groupEnd(); console.groupEnd();
    console.table([{ a: 1 }]); console.trace('t'); console.assert(true, 'no'); console.assert(false); console.assert(0, 'x')`;
  const { logs } = await run(sandbox, code);
  expect(logs.map(({ level, message }) => `${level}|${message}`)).toEqual([
    ...['log|default: 1', 'log|a: 1', 'log|default: 2', 'log|default: 1', 'log|default: 20 ms 1', 'log|default: 20 ms'],
    ...['warn|There is no timer default', 'log|g', 'log|  in', 'log|    {"a":1}', 'log|[{"a":1}]', 'debug|Trace: t'],
    ...['error|Assertion failed', 'error|Assertion failed x'],
  ]);
});

test("the caller's functions show their source, and built-in functions do not", async () => {
  const code = `const all = [console.log, svc.http.send_request, URL, setTimeout, Date, Math.random, crypto.randomUUID, AbortSignal.timeout,
      new URLSearchParams().append, Object.getOwnPropertyDescriptor(URL.prototype, 'href').get, new Intl.DateTimeFormat().format,
      Error.prepareStackTrace, Function.prototype.toString, Array.prototype.map].map(String);
    return [all.filter((text) => !/^function [\\w ]*\\(\\) \\{ \\[native code\\] \\}$/.test(text)), String((a) => a + 1), \`\${class A {}}\`]`;
  expect(await returned(sandbox, code)).toEqual([[], '(a) => a + 1', 'class A {}']);
});
