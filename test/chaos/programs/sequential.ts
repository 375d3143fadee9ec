// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs contain the templates
import type { Program } from './program.ts';

/** Programs with sequential calls. */
export const SEQUENTIAL: readonly Program[] = [
  { name: 'one call', effects: ['a'], code: 'return post("a", { n: 1 });' },
  {
    name: 'three in a row',
    effects: ['a', 'b', 'c'],
    code: 'return [(await post("a")).what, (await post("b")).what, (await post("c")).what];',
  },
  {
    name: 'an effect after a read',
    effects: ['greet'],
    code: 'const { is } = await get("name?is=Ada"); return post("greet", { to: is });',
  },
  {
    name: 'five reads',
    effects: [],
    code: 'const seen = []; for (const n of [1, 2, 3, 4, 5]) seen.push((await get(`page-${n}`)).what); return seen;',
  },
  {
    name: 'alternating effects and reads',
    effects: ['first', 'second'],
    code: 'await post("first"); const one = await get("state?is=1"); await post("second", { after: one.is }); return [one.is, (await get("state?is=2")).is];',
  },
  {
    name: 'a loop',
    effects: ['item-0', 'item-1', 'item-2', 'item-3', 'item-4'],
    code: 'let last; for (let n = 0; n < 5; n += 1) { last = await post(`item-${n}`, { last: last?.what ?? null }); console.log("did", n); } return last;',
  },
  {
    name: 'a loop until an answer says stop',
    effects: ['step-0', 'step-1', 'step-2'],
    code: 'let n = 0; while ((await get(`more-${n}?is=${n < 3 ? "go" : "stop"}`)).is === "go") { await post(`step-${n}`); n += 1; } return n;',
  },
  {
    name: 'an effect at an address from an answer',
    effects: ['blue', 'green'],
    code: 'const made = []; for (const color of ["red", "blue", "green"]) { const { is } = await get(`wants-${color}?is=${color === "red" ? "no" : "yes"}`); if (is === "yes") made.push((await post(color)).what); } return made;',
  },
  {
    name: 'recursion',
    effects: ['level-0', 'level-1', 'level-2', 'level-3'],
    code: 'async function down(n) { const { what } = await post(`level-${n}`); return n === 3 ? [what] : [what, ...(await down(n + 1))]; } return down(0);',
  },
  {
    name: 'functions in functions',
    effects: ['order', 'mail'],
    code: 'const shop = { async order(who) { const { is } = await get(`account-of-${who}?is=7`); return post("order", { account: is }); }, async tell({ what }) { return post("mail", { about: what }); } }; const told = await shop.tell(await shop.order("ada")); return told.echo;',
  },
  {
    name: 'an app that is passed around',
    effects: ['x', 'y'],
    code: 'const { http } = svc; const twice = async (app, names) => { const out = []; for (const name of names) out.push((await app.send_request({ method: "POST", url: `${U}/${name}` })).status); return out; }; return twice(http, ["x", "y"]);',
  },
  {
    name: 'a generator',
    effects: ['tick-0', 'tick-1', 'tick-2'],
    code: 'async function* ticks() { for (let n = 0; n < 3; n += 1) yield post(`tick-${n}`); } const out = []; for await (const { what } of ticks()) out.push(what); return out;',
  },
  {
    name: 'a call that fails is caught',
    effects: ['no', 'instead'],
    code: 'try { await post("no?status=422"); return "never"; } catch (error) { console.warn(error.code); return [error.code, (await post("instead")).what]; }',
  },
  {
    name: 'a call that fails is not caught',
    effects: ['good', 'bad'],
    code: 'await post("good"); await post("bad?status=500"); return "never";',
  },
  {
    name: 'an invalid input is caught',
    effects: ['after'],
    code: 'let code; try { await svc.http.send_request({ method: "NOPE", url: U }); } catch (error) { code = error.code; } await post("after"); return code;',
  },
  {
    name: 'a call in finally',
    effects: ['open', 'work', 'close'],
    code: 'await post("open"); try { await post("work?status=503"); } catch { return "failed"; } finally { await post("close"); }',
  },
  {
    name: 'tries three times',
    effects: ['try-1', 'try-2', 'try-3'],
    code: 'for (let n = 1; ; n += 1) { try { return (await post(`try-${n}?status=${n < 3 ? 500 : 200}`)).what; } catch (error) { console.error("failed", n); if (n === 3) throw error; } }',
  },
  {
    name: 'retries with backoff',
    effects: ['try-1', 'try-2', 'try-3'],
    code: 'for (let n = 1; n < 4; n += 1) { try { return [n, (await post(`try-${n}?status=${n < 3 ? 503 : 200}`)).what]; } catch { await sleep(10 * 2 ** n); } } return "gave up";',
  },
  {
    name: 'polls until it succeeds',
    effects: ['done'],
    code: 'for (let n = 1; ; n += 1) { try { await get(`page-${n}?status=${n < 4 ? 502 : 200}`); break; } catch { } } return post("done");',
  },
  {
    name: 'sleeps between calls',
    effects: ['a', 'b'],
    code: 'await post("a"); const got = await sleep(80, "slept"); await post("b"); return got;',
  },
];
