import type { HostileProgram } from '../hostile-program.ts';

/** Programs that change prototypes and built-ins before calls and before the return. */
export const PROTOTYPES: HostileProgram[] = [
  {
    what: 'a getter for code on Object.prototype',
    code: 'Object.defineProperty(Object.prototype, "code", { get() { return "seen" }, configurable: true }); return svc.echo.fail({}).catch((e) => e.code)',
    ends: { returns: 'ACTION_FAILED' },
  },
  {
    what: 'get and set on Object.prototype, where descriptors would find them',
    code: 'Object.prototype.get = Object.prototype.set = () => "evil"; const r = await svc.echo.say({ a: 1 }); const e = await svc.echo.fail({}).catch((error) => error.code); return [r.a, e, new Error("x").message, structuredClone({ b: 2 }).b]',
    ends: { returns: [1, 'ACTION_FAILED', 'x', 2] },
  },
  {
    what: 'value, writable and enumerable on Object.prototype',
    code: 'Object.prototype.value = "evil"; Object.prototype.writable = Object.prototype.enumerable = true; return [await svc.echo.say({ a: 1 }), await svc.echo.fail({}).catch((e) => e.message)]',
    ends: { returns: [{ a: 1 }, 'failed with {}'] },
  },
  {
    what: 'traps of a proxy on Object.prototype, to catch what svc hides',
    code: 'const caught = []; for (const trap of ["getOwnPropertyDescriptor", "ownKeys", "getPrototypeOf", "isExtensible", "apply", "construct"]) Object.defineProperty(Object.prototype, trap, { value: function (...all) { caught.push(this, ...all) }, configurable: true, writable: true }); for (const read of [() => Object.keys(svc), () => Object.getOwnPropertyDescriptor(svc, "echo"), () => Object.getPrototypeOf(svc.echo), () => ({ ...svc }), () => Object.keys(process)]) { try { read() } catch {} } return caught.length',
    ends: { returns: 0 },
  },
  {
    what: 'a line and a column on Object.prototype, to forge the position in an end message',
    code: 'Object.prototype.line = \'1},"isOurs":true},"events":[{"kind":"call","number":0,"alias":"echo","action":"say","input":"{}"}],"x":{"y":{"z":1\'; Object.prototype.column = 1; throw "x"',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'a line and a column on Object.prototype, for an error without a position',
    code: 'for (const key of ["line", "column"]) Object.defineProperty(Object.prototype, key, { get() { return { toString() { while (true); } } } }); throw 5',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'then on Object.prototype',
    code: 'Object.prototype.then = function (done) { delete Object.prototype.then; done(Object.keys(this)) }; return svc.echo.say({ a: 1 })',
    ends: { returns: ['a'] },
  },
  {
    what: 'then on Object.prototype that never answers',
    code: 'Object.prototype.then = () => {}; return svc.echo.say({ a: 1 })',
    ends: ['CODE_STALLED'],
  },
  {
    what: 'toJSON on every prototype, before a call and before the return',
    code: 'Object.prototype.toJSON = String.prototype.toJSON = Array.prototype.toJSON = Number.prototype.toJSON = () => "forged"; return svc.echo.say({ a: 1 }).then((r) => r === "forged")',
    ends: { returns: true },
  },
  {
    what: 'toJSON on Array.prototype, to change requests to the URL parser',
    code: 'const answers = []; for (const verb of ["constructor", "__proto__", "__defineGetter__", "toString", "valueOf", "hasOwnProperty"]) { Array.prototype.toJSON = () => [verb, "parse", "x"]; try { answers.push(new URL("http://a").href) } catch (e) { answers.push(e.name) } delete Array.prototype.toJSON } return [answers, new URL("http://b").href]',
    ends: { returns: [Array(6).fill('TypeError'), 'http://b/'] },
  },
  {
    what: 'built-ins replaced before a call',
    code: 'JSON.stringify = JSON.parse = RegExp.prototype.exec = String.prototype.slice = String.prototype.charCodeAt = Array.prototype.push = Map.prototype.get = Object.keys = Object.hasOwn = Reflect.apply = () => "evil"; return svc.echo.say({ a: 1 })',
    ends: { returns: { a: 1 } },
  },
  {
    what: 'built-ins replaced before the return',
    code: 'const r = await svc.echo.say({ a: "é" }); JSON.stringify = String = Promise = Error = Object = Array = RegExp.prototype.test = () => { throw 1 }; return r',
    ends: { returns: { a: 'é' } },
  },
  {
    what: 'setters on Array.prototype',
    code: 'for (const key of ["0", "1", "2"]) Object.defineProperty(Array.prototype, key, { set() { throw new Error("set") }, configurable: true }); return svc.echo.say({ a: 1 })',
    ends: { returns: { a: 1 } },
  },
  {
    what: 'the iterator of arrays replaced',
    code: 'Array.prototype[Symbol.iterator] = function* () { yield "evil" }; console.log([1]); const r = await svc.echo.say({ a: [1] }); return r.a.length',
    ends: { returns: 1 },
  },
  {
    what: 'Symbol.toPrimitive on Object.prototype, to be handed stack frames',
    code: 'const caught = []; Object.prototype[Symbol.toPrimitive] = function () { caught.push(this); return "x" }; try { svc.echo.nope } catch (e) { e.stack } await svc.echo.fail({}).catch((e) => e.stack); new Error("x").stack; delete Object.prototype[Symbol.toPrimitive]; return caught.filter((one) => typeof one.getFileName === "function").length',
    ends: { returns: 0 },
  },
  {
    what: 'toString and valueOf of inputs',
    code: 'const sly = { toString() { throw new Error("asked") }, valueOf() { throw new Error("asked") }, [Symbol.toPrimitive]() { throw new Error("asked") } }; return [await svc.echo.say({ a: 1, sly: { ...sly, toJSON: () => 2 } }), await svc.echo.say(Object.assign(() => {}, sly)).catch((e) => e.code)]',
    ends: { returns: [{ a: 1, sly: 2 }, 'VALIDATION_ERROR'] },
  },
  {
    what: '__proto__ as a key of inputs and outputs',
    code: 'const r = await svc.echo.say(JSON.parse(\'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\')); return [r.polluted === undefined, ({}).polluted === undefined, Object.keys(r), r]',
    ends: {
      returns: [
        true,
        true,
        ['__proto__', 'constructor'],
        JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
      ],
    },
  },
  {
    what: 'names of Object.prototype as aliases and actions',
    code: 'const ask = (from, name) => { try { return typeof from[name] } catch (e) { return e.code } }; return ["__proto__", "hasOwnProperty", "__defineGetter__", "isPrototypeOf"].map((name) => [ask(svc, name), ask(svc.echo, name)])',
    ends: { returns: Array(4).fill(['INTEGRATION_NOT_FOUND', 'ACTION_NOT_FOUND']) },
  },
  {
    what: 'the prototype of Promise replaced after a call was made',
    code: 'const p = svc.echo.say({ a: 1 }); Promise.prototype.then = Promise.prototype.catch = () => { throw new Error("evil") }; const r = await p; return r.a',
    ends: { returns: 1 },
  },
  {
    what: 'Symbol.hasInstance of Error, Promise and Date',
    code: 'for (const type of [Error, Promise, Date, Map, RegExp]) Object.defineProperty(type, Symbol.hasInstance, { value: () => true }); console.log({ a: 1 }, 5, "x"); return svc.echo.say({ a: 1 }).catch((e) => e.code)',
    ends: 'anyhow',
  },
  {
    what: 'constructors named by Symbol.species of arrays and buffers',
    code: 'Object.defineProperty(Array, Symbol.species, { value: function () { return new Proxy([], { defineProperty() { throw new Error("evil") } }) } }); console.log([1, 2], new Uint8Array(3)); return (await svc.echo.say({ a: [1, 2] })).a',
    ends: { returns: [1, 2] },
  },
  {
    what: 'prototypes of all iterators, generators and async functions emptied',
    code: 'const all = [[][Symbol.iterator](), new Map()[Symbol.iterator](), (function* () {})(), (async () => {})()]; for (let i = 0; i < all.length; i++) for (let p = Object.getPrototypeOf(all[i]); p && p !== Object.prototype; p = Object.getPrototypeOf(p)) Reflect.ownKeys(p).forEach((key) => { try { delete p[key] } catch {} }); await svc.echo.say({ a: 1 }); return svc.echo.say({ a: 1 })',
    ends: ['CODE_OUTPUT_NOT_JSON'],
  },
  {
    what: 'everything on globalThis deleted',
    code: 'const call = svc.echo.say; for (const key of Reflect.ownKeys(globalThis)) { try { delete globalThis[key] } catch {} } return call({ a: 1 })',
    ends: { returns: { a: 1 } },
  },
  {
    what: 'every function of every global prototype made to throw',
    code: 'for (const key of Object.getOwnPropertyNames(globalThis)) { let type; try { type = globalThis[key] } catch { continue } const from = [type, type?.prototype]; if (/^(svc|globalThis|process|fetch|require|Buffer|WebSocket|XMLHttpRequest)$/.test(key)) continue; for (const at of from) if (at && (typeof at === "object" || typeof at === "function")) for (const name of Reflect.ownKeys(at)) { try { if (typeof at[name] === "function" && name !== "constructor") at[name] = () => { throw 1 } } catch {} } if (key === "Reflect") break } return svc.echo.say({ a: 1 })',
    ends: 'anyhow',
  },
  {
    what: 'a run that changes its own globals',
    code: 'globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = () => "evil"; svc.left = 1; try { console.left = 1 } catch {} return 1',
    ends: { returns: 1 },
  },
];
