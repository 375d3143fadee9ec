import type { HostileProgram } from '../hostile-program.ts';

/** Programs that try to observe the pause at a gate, or to continue without the decision. */
export const PAUSES: HostileProgram[] = [
  {
    what: 'a gate inside catch and finally',
    code: 'try { await svc.echo.held({}) } catch { return "caught" } finally { return "finally" }',
    ends: 'paused',
  },
  { what: 'a gate behind catch of its promise', code: 'await svc.echo.held({}).catch(() => 1).finally(() => 2); return 3', ends: 'paused' },
  {
    what: 'a gate inside any, beside a rejected promise',
    code: 'return Promise.any([svc.echo.held({}), Promise.reject(1)]).catch(() => "any")',
    ends: 'paused',
  },
  { what: 'a gate inside allSettled', code: 'return Promise.allSettled([svc.echo.held({}), svc.echo.fail({})])', ends: 'paused' },
  {
    what: 'a gate as the caller of a thenable',
    code: 'return await { then: (done) => svc.echo.held({}).then(done, done) }',
    ends: 'paused',
  },
  { what: 'a gate that the return does not wait for', code: 'svc.echo.held({}); return "done"', ends: 'paused' },
  {
    what: 'a gate with a replaced then on its promise',
    code: 'Promise.prototype.then = (done) => done("forged"); return await svc.echo.held({})',
    ends: 'paused',
  },
  {
    what: 'a gate inside a generator that is returned early',
    code: 'async function* all() { try { yield svc.echo.held({}) } finally { await svc.echo.held({}) } } for await (const one of all()) return one',
    ends: 'paused',
  },
  {
    what: 'a gate inside an abort listener',
    code: 'const c = new AbortController(); let p; c.signal.addEventListener("abort", () => { p = svc.echo.held({}) }); c.abort(); return await p',
    ends: 'paused',
  },
];
