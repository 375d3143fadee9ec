import type { HostileProgram } from '../hostile-program.ts';

const OVER = ['CODE_MEMORY'] as const;

/** Programs that use up memory in many ways. */
export const MEMORY: HostileProgram[] = [
  { what: 'objects', code: 'const all = []; while (true) all.push(new Array(1000).fill({ x: 1 }))', ends: OVER },
  { what: 'buffers that are written', code: 'const all = []; while (true) all.push(new Uint8Array(1e7).fill(1))', ends: OVER },
  { what: 'buffers that are not written', code: 'const all = []; while (true) all.push(new ArrayBuffer(1e6))', ends: OVER },
  { what: 'one huge buffer', code: 'new ArrayBuffer(8e9)', ends: OVER },
  {
    what: 'one huge typed array of each kind',
    code: 'const sizes = []; for (const Type of [Uint8Array, Float64Array, BigInt64Array, Uint8ClampedArray]) { try { sizes.push(new Type(5e8)) } catch (e) { sizes.push(0) } } return sizes',
    ends: { returns: [0, 0, 0, 0] },
  },
  {
    what: 'a buffer that is resized',
    code: 'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 33 }); b.resize(2 ** 33)',
    ends: [...OVER, 'CODE_ERROR'],
  },
  {
    what: 'a buffer resized in small steps',
    code: 'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 32 }); for (let n = 1e6; ; n += 1e6) { b.resize(n); new Uint8Array(b).fill(1, n - 1e6) }',
    ends: [...OVER, 'CODE_ERROR'],
  },
  {
    what: 'transferred buffers that grow',
    code: 'let b = new ArrayBuffer(16e5); while (true) b = b.transfer(b.byteLength * 2)',
    ends: OVER,
  },
  {
    what: 'transferred buffers that are kept',
    code: 'const all = []; for (let i = 0; ; i++) all.push(new ArrayBuffer(1e6).transferToFixedLength(2e6))',
    ends: OVER,
  },
  { what: 'a string that doubles', code: 'let s = "x"; while (true) s += s', ends: OVER },
  {
    what: 'a string that doubles and is flattened',
    code: 'let s = "x"; while (true) { s += s; s.charCodeAt(5); s = s.replace("y", "z") }',
    ends: OVER,
  },
  { what: 'many strings', code: 'const all = []; for (let i = 0; ; i++) all.push("x".repeat(1e6) + i + "y".padStart(1e5))', ends: OVER },
  {
    what: 'a replacement that grows a million times',
    code: '"x".repeat(1e6).replace(/x/g, "$&".repeat(1e6))',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  {
    what: 'a regular expression of a million groups',
    code: 'new RegExp("(a)".repeat(1e6)).exec("a".repeat(1e6))',
    ends: [...OVER, 'CODE_ERROR', 'CODE_TIMEOUT'],
  },
  {
    what: 'endless regular expressions',
    code: 'const all = []; for (let i = 0; ; i++) { const r = new RegExp("x{1,500}".repeat(50) + i); r.test("x".repeat(100)); all.push(r) }',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  { what: 'all matches of a long text', code: 'const all = []; while (true) all.push([..."x".repeat(1e5).matchAll(/x/g)])', ends: OVER },
  {
    what: 'a BigInt of gigabytes',
    code: 'return (2n ** 1073741823n > 0n) + String(2n ** 100000000n).length',
    ends: [...OVER, 'CODE_ERROR', 'CODE_TIMEOUT'],
  },
  { what: 'many BigInts', code: 'const all = []; for (let n = 1n; ; n++) all.push(n << 1000000n)', ends: OVER },
  { what: 'maps', code: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', ends: OVER },
  {
    what: 'sets of sets',
    code: 'let s = new Set(); while (true) { for (let i = 0; i < 1000; i++) s.add(new Set([i])); s = new Set(s) }',
    ends: OVER,
  },
  {
    what: 'weak maps whose keys are kept',
    code: 'const w = new WeakMap(), keys = []; while (true) { const k = {}; keys.push(k); w.set(k, new Array(100)) }',
    ends: OVER,
  },
  { what: 'promises', code: 'const all = []; while (true) all.push(new Promise(() => {}))', ends: OVER },
  {
    what: 'closures',
    code: 'let f = () => 0; while (true) { const g = f; const kept = new Array(100).fill(g); f = () => kept }',
    ends: OVER,
  },
  { what: 'symbols of the registry', code: 'for (let i = 0; ; i++) Symbol.for("x".repeat(1000) + i)', ends: OVER },
  {
    what: 'shapes of objects',
    code: 'const all = []; for (let i = 0; ; i++) { const o = {}; for (let j = 0; j < 50; j++) o["k" + i + "_" + j] = j; all.push(o) }',
    ends: OVER,
  },
  {
    what: 'functions from text',
    code: 'const all = []; for (let i = 0; ; i++) { const f = new Function("return " + "1+".repeat(2000) + i); f(); all.push(f) }',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  { what: 'one array of four thousand million', code: 'new Array(2 ** 32 - 1).fill({})', ends: [...OVER, 'CODE_TIMEOUT'] },
  {
    what: 'a sparse array that is sorted, joined and copied',
    code: 'const a = []; a[4294967294] = 1; a.concat(a); a.join("x")',
    ends: [...OVER, 'CODE_ERROR', 'CODE_TIMEOUT'],
  },
  { what: 'one built-in', code: '[..."x".repeat(3e7)].sort()', ends: OVER },
  {
    what: 'a sort of an array-like object of maximum length',
    code: 'Array.prototype.sort.call({ length: 2 ** 53 - 1 })',
    ends: [...OVER, 'CODE_TIMEOUT', 'CODE_ERROR'],
  },
  { what: 'recursion', code: 'const f = (n) => f(n + 1) + 1; f(0)', ends: ['CODE_ERROR'] },
  {
    what: 'recursion through callbacks, getters and toString',
    code: 'const o = { get a() { return this.a }, toString() { return this + "" } }; const at = (f) => { try { f() } catch (e) { return e.name } }; const g = () => [1].map(g); return [at(() => o.a), at(() => String(o)), at(g), at(() => JSON.stringify({ toJSON() { return JSON.stringify(this) } }))]',
    ends: { returns: Array(4).fill('RangeError') },
  },
  {
    what: 'JSON nested a million deep',
    code: 'return JSON.parse("[".repeat(1e6) + "]".repeat(1e6))',
    ends: [...OVER, 'CODE_ERROR', 'CODE_OUTPUT_NOT_JSON', 'CODE_TIMEOUT'],
  },
  {
    what: 'JSON of a million keys',
    code: 'const all = []; while (true) all.push(JSON.parse("{" + Array.from({ length: 1e5 }, (_, i) => "\\"k" + i + "\\":" + i).join() + "}"))',
    ends: OVER,
  },
  {
    what: 'an output nested above the limit',
    code: 'let a = {}; for (let i = 0; i < 300; i++) a = { a }; return a',
    ends: ['CODE_OUTPUT_TOO_LARGE'],
  },
  {
    what: 'an output nested a hundred thousand deep',
    code: 'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return a',
    ends: ['CODE_OUTPUT_NOT_JSON'],
  },
  { what: 'clones of a doubling array', code: 'let a = [1]; while (true) a = structuredClone([a, a].flat())', ends: OVER },
  {
    what: 'texts encoded and decoded',
    code: 'const all = []; const e = new TextEncoder(); while (true) all.push(e.encode("€".repeat(1e5)))',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  {
    what: 'URLs and queries, which the runner parses',
    code: 'const all = []; while (true) all.push(new URLSearchParams("a=" + "b".repeat(1e6)), new URL("http://a/" + "c".repeat(1e6)))',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  {
    what: 'call results that are kept',
    code: 'const all = []; while (true) all.push(await svc.echo.say({ a: "x".repeat(500000) + all.length }))',
    ends: OVER,
  },
  {
    what: 'many inputs in flight',
    code: 'for (let i = 0; i < 200; i++) svc.echo.say({ a: "x".repeat(1e6) }); await null; return 1',
    ends: [...OVER, 'CODE_INPUT_TOO_LARGE'],
  },
  { what: 'arguments spread', code: 'Math.max(...new Array(1e7).fill(1))', ends: [...OVER, 'CODE_ERROR'] },
  {
    what: 'date formats, which the engine keeps outside its heap',
    code: 'const all = []; while (true) all.push(new Intl.DateTimeFormat("de"))',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  {
    what: 'text segments, which the engine keeps outside its heap',
    code: 'const all = []; while (true) all.push(new Intl.Segmenter("de").segment("hello"))',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  {
    what: 'collators, which the engine keeps outside its heap',
    code: 'const all = []; while (true) all.push(new Intl.Collator("de"))',
    ends: [...OVER, 'CODE_TIMEOUT'],
  },
  {
    what: 'one built-in call that creates thirty million numbers and drops them',
    code: "return JSON.parse('[' + '1,'.repeat(3e7) + '1]').length",
    ends: OVER,
  },
  {
    what: 'thirty million dropped numbers before a call, which can trigger a garbage collection',
    code: "const n = JSON.parse('[' + '1,'.repeat(3e7) + '1]').length; await svc.echo.say({ n }); return n",
    ends: OVER,
  },
  { what: 'one array that is filled at once', code: 'return new Array(3e7).fill(1).length', ends: OVER },
  { what: 'one array made of three', code: 'const a = new Array(1e7).fill(1); return [].concat(a, a, a).length', ends: OVER },
  { what: 'one flattened string', code: 'const s = "€".repeat(1e8); return s.charCodeAt(5e7) + s.indexOf("y")', ends: OVER },
  { what: 'one text of many parts', code: 'return new Array(2.5e7).join("abcdefgh").length', ends: OVER },
  { what: 'one text of large letters', code: 'return "ß".repeat(6e7).toUpperCase().length', ends: OVER },
  { what: 'two texts compared, which copies both', code: 'return "é".repeat(5e7).localeCompare("é".repeat(5e7))', ends: OVER },
  { what: 'one text split', code: 'return "x".repeat(3e7).split("").length', ends: OVER },
  { what: 'one large number', code: 'const n = 1n << 1000000000n; return String(n * 3n > n)', ends: OVER },
  {
    what: 'one buffer resized beyond the available memory',
    code: 'const b = new ArrayBuffer(8, { maxByteLength: 2 ** 28 }); b.resize(2 ** 28); return new Uint8Array(b).fill(1).length',
    ends: OVER,
  },
  { what: 'one line of a log', code: 'console.log("x".repeat(2e8)); return 1', ends: OVER },
  { what: 'one error', code: 'throw new Error("€".repeat(1e8))', ends: OVER },
  {
    what: 'a little more between any two awaits',
    code: 'const all = []; for (let i = 0; i < 300; i++) { all.push(new Array(125_000).fill(i)); await null; } return all.length',
    ends: OVER,
  },
];
