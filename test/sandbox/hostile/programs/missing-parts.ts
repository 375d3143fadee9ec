import type { HostileProgram } from '../hostile-program.ts';

/** Programs that look for host features: modules, processes, shared memory, network. */
export const MISSING_PARTS: HostileProgram[] = [
  {
    what: 'import() of everything',
    code: 'return (await Promise.allSettled([import("node:fs"), import("fs"), import("./bootstrap.ts"), import("/etc/passwd"), import("file:///etc/passwd"), import("data:text/javascript,export default 1"), import("http://127.0.0.1/"), eval("import(\'fs\')"), new Function("return import(\'fs\')")(), import({ toString() { return "fs" } }), import("x", { with: { type: "json" } })])).every((one) => one.status === "rejected")',
    ends: { returns: true },
  },
  {
    what: 'import() of our own modules',
    code: 'return (await Promise.allSettled(["primordials.ts", "svc.ts", "./isolate/turns.ts", "bootstrap.ts", "isolated-vm"].map((name) => import(name)))).map((one) => one.status)',
    ends: { returns: Array(5).fill('rejected') },
  },
  {
    what: 'import() with an endless toString as name',
    code: 'await import({ toString() { while (true); } })',
    ends: ['CODE_NOT_AVAILABLE', 'CODE_TIMEOUT'],
  },
  { what: 'import() that is not caught', code: 'await import("node:child_process")', ends: ['CODE_NOT_AVAILABLE'] },
  { what: 'require', code: 'return require("node:fs").readFileSync("/etc/passwd", "utf8")', ends: ['CODE_NOT_AVAILABLE'] },
  {
    what: 'require of every built-in module',
    code: 'const at = (f) => { try { return typeof f() } catch (e) { return e.code } }; return [() => require.resolve("x"), () => require.cache, () => require.main, () => new require("x"), () => require.extensions, () => require`fs`].map(at)',
    ends: { returns: Array(6).fill('CODE_NOT_AVAILABLE') },
  },
  { what: 'process', code: 'return process.env', ends: ['CODE_NOT_AVAILABLE'] },
  {
    what: 'every property of process',
    code: 'const at = (f) => { try { return typeof f() } catch (e) { return e.code } }; return [() => process.exit(), () => process.binding("fs"), () => process.mainModule, () => process.dlopen, () => process.kill(1), () => process["constructor"], () => { process.x = 1 }, () => process.argv[0]].map(at)',
    ends: { returns: Array(8).fill('CODE_NOT_AVAILABLE') },
  },
  {
    what: 'fetch and similar functions',
    code: 'const at = async (f) => { try { return typeof (await f()) } catch (e) { return e.code } }; return Promise.all([() => fetch("http://127.0.0.1/"), () => new XMLHttpRequest(), () => new WebSocket("ws://127.0.0.1")].map(at))',
    ends: { returns: Array(3).fill('CODE_NOT_AVAILABLE') },
  },
  {
    what: 'other web globals',
    code: 'const at = async (f) => { try { return typeof (await f()) } catch (e) { return e.code } }; return Promise.all([() => crypto.subtle.digest("SHA-256", new Uint8Array()), () => crypto.subtle["constructor"], () => performance.mark("x"), () => performance.measure("x"), () => new EventTarget(), () => new Blob([]), () => new FormData(), () => Response.json({}), () => new Response("x")].map(at))',
    ends: { returns: Array(9).fill('CODE_NOT_AVAILABLE') },
  },
  {
    what: 'WebAssembly',
    code: 'return [typeof WebAssembly, Reflect.ownKeys(globalThis).filter((key) => /assembly/i.test(String(key))).length]',
    ends: { returns: ['undefined', 0] },
  },
  {
    what: 'WebAssembly compiled from bytes',
    code: 'return new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
    ends: ['CODE_ERROR'],
  },
  {
    what: 'shared memory and Atomics.wait',
    code: 'return [typeof SharedArrayBuffer, typeof Atomics, new ArrayBuffer(8).constructor.name, "growable" in ArrayBuffer.prototype]',
    ends: { returns: ['undefined', 'undefined', 'ArrayBuffer', false] },
  },
  {
    what: 'shared memory through WebAssembly.Memory',
    code: 'const memory = Object.getOwnPropertyNames(globalThis).map((name) => { try { return Object.prototype.toString.call(globalThis[name].prototype) } catch { return "" } }); return memory.filter((name) => /Shared|WebAssembly|Atomics/.test(name))',
    ends: { returns: [] },
  },
  {
    what: 'watching the collector',
    code: 'return [typeof WeakRef, typeof FinalizationRegistry, typeof gc, typeof Symbol.dispose]',
    ends: 'anyhow',
  },
  {
    what: 'other realms',
    code: 'return [typeof ShadowRealm, typeof Worker, typeof MessageChannel, typeof BroadcastChannel, typeof postMessage, typeof importScripts, typeof document, typeof Deno, typeof Bun, typeof java, typeof load, typeof print, typeof quit, typeof d8]',
    ends: { returns: Array(14).fill('undefined') },
  },
  {
    what: 'native functions of the engine',
    code: 'return ["%GetOptimizationStatus(x)", "%DebugPrint(1)", "%SystemBreak()"].map((text) => { try { return eval(text) } catch (e) { return e.name } })',
    ends: { returns: Array(3).fill('SyntaxError') },
  },
  {
    what: 'eval, direct and indirect',
    code: 'const x = "inner"; return [eval("x"), (0, eval)("typeof x"), (0, eval)("typeof module"), eval("typeof exports"), (0, eval)("this === globalThis")]',
    ends: { returns: ['inner', 'undefined', 'undefined', 'undefined', true] },
  },
  { what: 'a debugger statement', code: 'debugger; return 1', ends: { returns: 1 } },
  {
    what: 'timing finer than the clock of the run',
    code: 'const a = [Date.now(), performance.now(), new Date().getTime(), +new Date(Date())]; for (let i = 0; i < 1e5; i++); const b = [Date.now(), performance.now(), new Date().getTime(), +new Date(Date())]; return JSON.stringify(a) === JSON.stringify(b)',
    ends: { returns: true },
  },
  {
    what: 'time zone, language and names of the machine',
    code: 'return [new Date(0).getTimezoneOffset(), Intl.DateTimeFormat().resolvedOptions().timeZone, typeof navigator, typeof location]',
    ends: { returns: [0, 'UTC', 'undefined', 'undefined'] },
  },
];
