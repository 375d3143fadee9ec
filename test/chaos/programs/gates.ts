// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs contain the templates
import { gated, type Program } from './program.ts';

/** Programs with gated calls: calls that need approval. */
export const GATES: readonly Program[] = [
  { name: 'a planned gate', effects: ['pay-1'], code: `return (await ${gated('pay', 'pay-1', '{ amount: 12 }')}).body.echo;` },
  {
    name: 'a planned gate after other calls',
    effects: ['before', 'pay-1', 'after'],
    code: `await post("before"); const { body } = await ${gated('pay', 'pay-1')}; await post("after", { what: body.what }); console.log("all done"); return body.what;`,
  },
  {
    name: 'two policies in one plan',
    effects: ['pay-1', 'book-1'],
    code: `const paid = await ${gated('pay', 'pay-1')}; const booked = await ${gated('book', 'book-1', '{ room: 4 }')}; return [paid.body.what, booked.body.echo.room];`,
  },
  {
    name: 'a planned gate in a loop',
    effects: ['pay-0', 'pay-1', 'pay-2'],
    code: `const out = []; for (let n = 0; n < 3; n += 1) out.push((await ${gated('pay', 'pay-${n}')}).body.what); return out;`,
  },
  {
    name: 'planned gates side by side with other calls',
    effects: ['pay-1', 'pay-2', 'x', 'y'],
    code: `const all = await Promise.all([post("x"), ${gated('pay', 'pay-1')}, post("y"), ${gated('pay', 'pay-2')}]); return all.map((one) => one.what ?? one.body.what);`,
  },
  {
    name: 'a planned gate on a read',
    effects: ['after'],
    code: `const { body } = await ${gated('pay', 'secret?is=found', '', 'GET')}; await post("after"); return body.is;`,
  },
  {
    name: 'a planned gate whose call fails',
    effects: ['pay-1', 'sorry'],
    code: `try { await ${gated('pay', 'pay-1?status=402')}; } catch (error) { return [error.code, (await post("sorry")).what]; }`,
  },
  {
    name: 'a planned gate that is not awaited',
    effects: ['pay-1', 'main'],
    code: `${gated('pay', 'pay-1')}; return (await post("main")).what;`,
  },
  {
    name: 'an unplanned gate',
    effects: ['a', 'late-1', 'b'],
    code: 'await post("a"); const paid = await late("late-1", { amount: 3 }); await post("b"); return paid.echo;',
  },
  {
    name: 'a gate in the middle of parallel branches',
    effects: ['a', 'late-1', 'b', 'end'],
    code: 'const all = await Promise.all([post("a"), late("late-1"), post("b?ms=60"), get("look")]); await post("end"); return all.map(({ what }) => what);',
  },
  {
    name: 'a gate in one of several chains',
    effects: ['x-1', 'x-2', 'y-1', 'late-y', 'y-2', 'z-1'],
    code: 'const chain = async (steps) => { const out = []; for (const step of steps) out.push((await step()).what); return out; }; return Promise.all([chain([() => post("x-1"), () => post("x-2")]), chain([() => post("y-1"), () => late("late-y"), () => post("y-2")]), chain([() => post("z-1")])]);',
  },
  {
    name: 'two concurrent gates',
    effects: ['late-1', 'late-2'],
    code: 'return (await Promise.all([late("late-1"), late("late-2")])).map(({ what }) => what);',
  },
  {
    name: 'two sequential gates',
    effects: ['late-1', 'between', 'late-2'],
    code: 'await late("late-1"); await post("between"); console.log("halfway"); return (await late("late-2")).what;',
  },
  {
    name: 'a gate in a loop',
    effects: ['late-0', 'late-1', 'late-2'],
    code: 'const out = []; for (let n = 0; n < 3; n += 1) out.push((await late(`late-${n}`, { n })).echo.n); return out;',
  },
  {
    name: 'a planned and an unplanned gate',
    effects: ['pay-1', 'late-1'],
    code: `const { body } = await ${gated('book', 'pay-1')}; const paid = await late("late-1", { after: body.what }); return paid.echo;`,
  },
  {
    name: 'a race of a gate and a read',
    effects: ['late-1'],
    code: 'return Promise.race([late("late-1").then(() => "paid"), get("fast").then(() => "looked")]);',
  },
  {
    name: 'any with a gate and a failure',
    effects: ['no', 'late-1'],
    code: 'return (await Promise.any([post("no?status=500"), late("late-1")])).what;',
  },
  {
    name: 'allSettled with a gate',
    effects: ['no', 'late-1', 'yes'],
    code: 'return (await Promise.allSettled([post("no?status=500"), late("late-1"), post("yes")])).map(({ status, value }) => [status, value?.what ?? null]);',
  },
  {
    name: 'neither catch nor finally observes the pause',
    effects: ['late-1', 'close'],
    code: 'const seen = []; try { seen.push((await late("late-1")).what); } catch (error) { seen.push(error.code); } finally { seen.push("finally"); await post("close"); } return seen;',
  },
  {
    name: 'a gate whose call fails and is retried',
    effects: ['late-1', 'late-2'],
    code: 'for (let n = 1; n < 3; n += 1) { try { const { is } = await get(`app-${n}?is=pay`); return (await svc[is].send_request({ method: "POST", url: `${U}/late-${n}?status=${n === 1 ? 500 : 200}` })).body.what; } catch (error) { console.warn(error.code); } }',
  },
  {
    name: 'random values and clock across a gate',
    effects: 'made',
    code: 'const [id, dice, at] = [crypto.randomUUID(), Math.random(), Date.now()]; const name = `n-${Math.floor(dice * 1000)}`; await post(name, { id, dice, at }); const { echo } = await late("late-1", { id, dice, at }); return { made: [name, "late-1"], same: echo.id === id && echo.dice === dice && echo.at === at, forward: Date.now() >= at };',
  },
  {
    name: 'timers across a gate',
    effects: ['late-1', 'end'],
    code: 'const slept = sleep(120, "slept"); await sleep(10); await late("late-1"); const got = await slept; await post("end", { got }); return got;',
  },
  {
    name: 'large values across a gate',
    effects: ['large', 'late-1'],
    code: 'const { text } = await get("page?kb=30"); const { echo } = await post("large", { text }); const paid = await late("late-1", { text: echo.text.slice(0, 12000) }); return [echo.text === text, paid.echo.text.length, paid.echo.text.slice(0, 20)];',
  },
  {
    name: 'a planned gate is rejected',
    effects: [],
    decision: 'reject',
    code: `await post("never"); await ${gated('pay', 'pay-1')}; return "never";`,
  },
  {
    name: 'an unplanned gate is rejected',
    effects: ['a', 'b'],
    decision: 'reject',
    code: 'try { await post("a"); await Promise.all([late("late-1"), post("b")]); return "never"; } catch { return post("never"); } finally { await post("never-2"); }',
  },
];
