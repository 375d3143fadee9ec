// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the programs contain the templates
import type { Program } from './program.ts';

/** Programs with concurrent calls, timers, and calls that are not awaited. */
export const PARALLEL: readonly Program[] = [
  {
    name: 'all of four',
    effects: ['a', 'b', 'c', 'd'],
    code: 'return (await Promise.all(["a", "b", "c", "d"].map((what) => post(what)))).map(({ what }) => what);',
  },
  {
    name: 'more calls than may be in flight',
    effects: [],
    code: 'return (await Promise.all(Array.from({ length: 14 }, (_, n) => get(`page-${n}?ms=20`)))).map(({ what }) => what);',
  },
  {
    name: 'all with some reads',
    effects: ['a', 'b'],
    code: 'const [one, a, two, b] = await Promise.all([get("one"), post("a"), get("two"), post("b")]); return [one, a, two, b].map(({ what }) => what);',
  },
  {
    name: 'concurrent chains',
    effects: ['x-1', 'x-2', 'y-1', 'y-2', 'z-1', 'z-2'],
    code: 'return Promise.all(["x", "y", "z"].map(async (name) => { const { what } = await post(`${name}-1`); return (await post(`${name}-2`, { what })).echo.what; }));',
  },
  {
    name: 'all within all',
    effects: ['a', 'b', 'c'],
    code: 'const nested = await Promise.all([Promise.all([post("a"), get("p")]), Promise.all([get("q"), post("b")])]); await post("c"); return nested.flat().map(({ what }) => what);',
  },
  { name: 'a race of reads', effects: [], code: 'return (await Promise.race([get("slow?ms=8000"), get("fast")])).what;' },
  {
    name: 'a race of a call and a timer that loses',
    effects: ['quick'],
    code: 'return Promise.race([post("quick").then(({ what }) => what), sleep(60000, "too late")]);',
  },
  {
    name: 'a race that a timer wins',
    effects: ['tell'],
    code: 'const won = await Promise.race([get("slow?ms=1200").then(() => "call"), sleep(20, "timer")]); await post("tell", { won }); return won;',
  },
  {
    name: 'any with one failure',
    effects: ['bad', 'use'],
    code: 'const { what } = await Promise.any([post("bad?status=500"), get("good?ms=100")]); return (await post("use", { what })).echo;',
  },
  {
    name: 'any with only failures',
    effects: ['no-1', 'no-2', 'plan-b'],
    code: 'try { return await Promise.any([post("no-1?status=500"), post("no-2?status=404")]); } catch (error) { await post("plan-b"); return [error.name, error.errors.length]; }',
  },
  {
    name: 'allSettled',
    effects: ['good', 'bad'],
    code: 'const all = await Promise.allSettled([post("good"), post("bad?status=409"), get("look")]); return all.map(({ status, value, reason }) => [status, value?.what ?? reason.code]);',
  },
  {
    name: 'all with one failure while other calls go on',
    effects: ['bad', 'slow', 'other', 'after'],
    code: 'try { await Promise.all([post("slow?ms=150"), post("bad?status=400"), post("other?ms=80")]); return "never"; } catch { return (await post("after")).what; }',
  },
  {
    name: 'workers on a shared queue',
    effects: ['job-1', 'job-2', 'job-3', 'job-4', 'job-5', 'job-6', 'job-7'],
    code: 'const queue = [1, 2, 3, 4, 5, 6, 7]; const done = []; await Promise.all([0, 1, 2].map(async () => { while (queue.length) { const n = queue.shift(); done.push((await post(`job-${n}`)).what); } })); return done.sort();',
  },
  {
    name: 'answers in the order of arrival',
    effects: ['sum'],
    listsAnswers: true,
    code: 'const order = []; await Promise.all([["c", 1400], ["a", 0], ["b", 700]].map(async ([name, ms]) => { await get(`${name}?ms=${ms}`); order.push(name); })); await post("sum", { order }); return order;',
  },
  {
    name: 'concurrent timers',
    effects: ['one'],
    code: 'const ended = await Promise.all([sleep(60, "c"), sleep(20, "a"), sleep(40, "b")]); await post("one"); return ended;',
  },
  {
    name: 'an interval',
    effects: ['beat-0', 'beat-1', 'beat-2'],
    code: 'let n = 0; const beats = []; await new Promise((done) => { const id = setInterval(() => { beats.push(post(`beat-${n}`)); n += 1; if (n === 3) { clearInterval(id); done(); } }, 15); }); return (await Promise.all(beats)).map(({ what }) => what);',
  },
  {
    name: 'a timer that calls',
    effects: ['later'],
    code: 'const { promise, resolve } = Promise.withResolvers(); setTimeout(() => post("later").then(resolve), 30); return (await promise).what;',
  },
  { name: 'a call that is not awaited', effects: ['forgotten'], code: 'post("forgotten"); return "at once";' },
  {
    name: 'calls that are not awaited between calls that are',
    effects: ['aside-1', 'main', 'aside-2'],
    code: 'post("aside-1"); await post("main"); post("aside-2?ms=100"); return (await get("end")).what;',
  },
  {
    name: 'a failing call that is not awaited',
    effects: ['aside', 'main'],
    code: 'post("aside?status=500").catch((error) => console.warn("aside", error.code)); await post("main"); await sleep(250); return "fine";',
  },
  {
    name: 'a random number of calls',
    effects: 'made',
    code: 'const count = 2 + Math.floor(Math.random() * 4); const made = []; for (let n = 0; n < count; n += 1) made.push((await post(`pick-${n}`, { count })).echo.count === count ? `pick-${n}` : "differs"); return { made };',
  },
  {
    name: 'names by chance',
    effects: 'made',
    code: 'const made = [crypto.randomUUID(), crypto.randomUUID()]; const first = await post(made[0]); const second = await post(made[1], { first: first.what }); return { made, same: second.echo.first === made[0] };',
  },
  {
    name: 'a random order and the clock',
    effects: 'made',
    code: 'const from = Date.now(); const names = ["a", "b", "c", "d"].map((name) => [Math.random(), name]).sort(([x], [y]) => x - y).map(([, name]) => name); const made = []; for (const name of names) made.push((await post(name, { at: Date.now() - from })).what); return { made, sorted: [...made].sort(), forward: Date.now() >= from };',
  },
  {
    name: 'a branch chosen by the clock',
    effects: 'made',
    code: 'const way = Date.now() % 2 === 0 ? "even" : "odd"; const { echo } = await post(way, { way }); await post(`${way}-again`); return { made: [way, `${way}-again`], same: echo.way === way };',
  },
  {
    name: 'a large body',
    effects: ['large', 'after'],
    code: 'const text = "0123456789abcdef".repeat(2500); const { echo } = await post("large", { text }); await post("after"); return [echo.text === text, echo.text.slice(0, 9000)];',
  },
  {
    name: 'large answers',
    effects: ['sum'],
    code: 'const pages = await Promise.all([get("one?kb=40"), get("two?kb=90"), get("three?kb=12")]); const lengths = pages.map(({ text }) => text.length); return (await post("sum", { lengths, ends: pages.map(({ text }) => text.slice(-8)) })).echo;',
  },
  {
    name: 'many large calls at once',
    effects: ['m-0', 'm-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7'],
    code: 'const text = "tell".repeat(2400); return (await Promise.all(Array.from({ length: 8 }, (_, n) => post(`m-${n}`, { text, n })))).map(({ echo }) => [echo.n, echo.text.length]);',
  },
  {
    name: 'many logs',
    effects: ['a', 'b'],
    code: 'for (let n = 0; n < 60; n += 1) console.info("before", n); await post("a"); console.warn("between"); for (let n = 0; n < 60; n += 1) console.debug({ n }); await post("b"); console.error("after"); return "said";',
  },
];
