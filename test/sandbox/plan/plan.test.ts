import { planCode } from '../../../sandbox/plan/plan.ts';

const surface = { http: ['send_request'], 'my-alias': ['do-it'], storage: ['write_file', 'read_file'], mail: ['send'] };
const plan = (code: string) => planCode(code, surface);
const inputs = (code: string) => plan(code).calls.map(({ inputKnown, input }) => (inputKnown ? input : 'unknown'));

describe('calls are found', () => {
  test.each([
    ['by name', 'await svc.mail.send({ n: 1 })'],
    ['in brackets, with hyphens or underscores', 'await svc["my-alias"]["do-it"]({ n: 1 }); await svc.my_alias.do_it({ n: 1 })'],
    ['through a constant', 'const m = svc.mail; const again = m; await again.send({ n: 1 })'],
    ['through destructuring', 'const { mail: { send } } = svc; await send({ n: 1 })'],
    ['with optional chaining', 'await svc?.mail?.send?.({ n: 1 })'],
    ['by constant computed names', 'const name = "se" + "nd"; await svc.mail[name]({ n: 1 })'],
    ['in one bare arrow function', 'async () => { await svc.mail.send({ n: 1 }) }'],
    ['in an arrow function that destructures svc', 'async ({ mail }) => mail.send({ n: 1 });'],
    ['in a Markdown fence', '```js\nawait svc.mail.send({ n: 1 })\n```\n'],
    ['in TypeScript', 'interface Mail { n: number }\nconst mail: Mail = { n: 1 };\nawait svc.mail.send(mail as Mail)'],
    ['through a parameter', 'const go = async (api, n) => { await api.send({ n }) }; await go(svc.mail, 1)'],
    ['in a condition', 'if (svc.mail && Math.random() > 2) await svc.mail.send({ n: 1 })'],
  ])('%s', (_how, code) => {
    const { analysisConfidence, calls } = plan(code);
    expect(analysisConfidence).toBe('exact');
    expect(calls[0]).toMatchObject({ input: { n: 1 }, inputKnown: true, repeats: false });
  });

  test("a call has the alias and action of the workspace, and its position in the caller's code", () => {
    const { calls } = plan('```\n\nasync () => {\n  await svc.my_alias.do_it();\n  await svc.mail.send();\n}\n```');
    expect(calls).toEqual([
      { alias: 'my-alias', action: 'do-it', input: {}, inputKnown: true, repeats: false, line: 4, column: 9 },
      { alias: 'mail', action: 'send', input: {}, inputKnown: true, repeats: false, line: 5, column: 9 },
    ]);
  });

  test('a call on a variable svc that the code declares is not found', () => {
    expect(plan('{ const svc = { mail: { send() {} } }; svc.mail.send({}) }')).toMatchObject({ calls: [], analysisConfidence: 'exact' });
  });
});

describe('constant inputs are evaluated', () => {
  test.each<[string, unknown[]]>([
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code under test
    ['const to = "a"; await svc.mail.send({ to, text: `Hi ${to}, ${1 + 2}` })', [{ to: 'a', text: 'Hi a, 3' }]],
    ['const base = { h: { x: 1 } }; const all = { ...base, y: [1, ...[2]] }; await svc.mail.send(all)', [{ h: { x: 1 }, y: [1, 2] }]],
    [
      'const body = { a: [1] }; await svc.http.send_request({ body: JSON.stringify(body), t: ["a", "b"].join() })',
      [{ body: '{"a":[1]}', t: 'a,b' }],
    ],
    [
      'const get = (p, m = "GET") => svc.http.send_request({ p, m }); await get("/a"); await get("/b", "PUT")',
      [
        { p: '/a', m: 'GET' },
        { p: '/b', m: 'PUT' },
      ],
    ],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code under test
    ['const url = (id) => `https://x.org/${id}`; await svc.http.send_request({ url: url(7) })', [{ url: 'https://x.org/7' }]],
    ['for (const { id } of [{ id: 1 }, { id: 2 }]) await svc.mail.send({ id })', [{ id: 1 }, { id: 2 }]],
    [
      'await Promise.all(["a", "b"].map((to, n) => svc.mail.send({ to, n })))',
      [
        { to: 'a', n: 0 },
        { to: 'b', n: 1 },
      ],
    ],
    ['await svc.mail.send({ gone: undefined, nan: NaN > 1 ? 1 : 2 })', ['unknown']],
    ['await svc.mail.send({ gone: undefined })', [{}]],
  ])('%s', (code, expected) => {
    expect(inputs(code)).toEqual(expected);
  });

  test.each([
    ['changed', 'const o = { a: 1 }; o.a = 2; await svc.mail.send(o)'],
    ['changed by another name', 'const o = { a: { b: 1 } }; const p = o.a; p.b = 2; await svc.mail.send(o)'],
    ['shortened', 'const o = { a: 1 }; delete o.a; await svc.mail.send(o)'],
    ['passed to unknown code', 'const o = { a: 1 }; await other(o); await svc.mail.send(o)'],
    ['changed through a prototype', 'Object.prototype.toJSON = () => 1; await svc.mail.send({ a: 1 })'],
    ['made by a getter', 'await svc.mail.send({ get a() { return 1 } })'],
    ['made with __proto__', 'await svc.mail.send({ __proto__: { a: 1 } })'],
    ['reassigned', 'let a = 1; a = 2; await svc.mail.send({ a })'],
    ['read from a var before it is set', 'f(); var a = 1; function f() { svc.mail.send({ a }) }'],
    ['the result of another call', 'await svc.mail.send(await svc.storage.read_file())'],
    ['spread', 'await svc.mail.send(...[{ a: 1 }])'],
    ['time-dependent', 'await svc.mail.send({ at: Date.now() })'],
    [
      'too large',
      `let x; const a0 = "x".repeat(99); ${Array.from({ length: 40 }, (_, i) => `const a${i + 1} = [a${i}, a${i}];`).join('')} await svc.mail.send(a40)`,
    ],
  ])('an input is unknown if it is %s', (_how, code) => {
    expect(inputs(code)[0]).toBe('unknown');
  });
});

test.each([
  ['a while loop', 'while (more()) await svc.mail.send({})'],
  ['a for loop', 'for (let i = 0; i < 3; i++) await svc.mail.send({})'],
  ['a loop over an unknown list', 'for (const to of await list()) await svc.mail.send({ to })'],
  ['a callback', 'await retry(() => svc.mail.send({}))'],
  ['a function that calls itself', 'async function go(n) { await svc.mail.send({}); await go(n - 1) } await go(3)'],
  ['a function passed as a callback', '["a"].map(svc.mail.send)'],
  ['a class', 'class A { async go() { await svc.mail.send({}) } } await new A().go()'],
])('a call in %s can repeat, so the plan is not exact', (_where, code) => {
  expect(plan(code)).toMatchObject({ analysisConfidence: 'partial', calls: [{ alias: 'mail', action: 'send', repeats: true }] });
});

test.each([
  ['await svc.mail[pick()]({})', /action of svc.mail is computed/],
  ['await svc[pick()].send({})', /integration alias is computed/],
  ['eval("svc.mail.send()")', /eval runs code/],
  ['new Function("return svc")()', /Function makes code/],
  ['(() => {}).constructor("return svc")()', /constructor can make code/],
  ['use(svc)', /^svc is passed on or stored/],
  ['const all = [svc.mail]', /^svc.mail is passed on or stored/],
  ['const { mail, ...rest } = svc', /computed/],
  ['let m = svc.mail; m = svc.http; await m.send()', /held by "m", which changes/],
  ['globalThis.svc.mail.send()', /globalThis/],
  ['const g = this; g.svc.mail.send()', /this may be the global object/],
  ['with (svc.mail) send()', /with changes/],
  ['svc.mail.send.call(null, {})', /is not called directly/],
  ['svc = {}', /svc is reassigned/],
  ['svc.mail = {}', /svc.mail is changed/],
  ['const f = (a) => arguments[0]', /arguments/],
  ['await svc.mali.send({})', /"mali" is not a known integration alias/],
  ['handlers[name]({})', /chosen by a name that is computed/],
  ['const = 1', /^syntax error$/],
  [`x = ${'['.repeat(5000)}${']'.repeat(5000)}`, /nested too deeply/],
  [`x = ${'1+'.repeat(50_000)}1`, /nested too deeply/],
])('the plan of %.60s is dynamic and states the reason', (code, words) => {
  const { analysisConfidence, dynamicSignals } = plan(code);
  expect(analysisConfidence).toBe('dynamic');
  expect(dynamicSignals).toContainEqual(expect.stringMatching(words));
});

test('hosts in constant URLs are external domains, even if the code only logs the URL', () => {
  const code =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code under test
    'const a = "https://User@API.Example.com:8443/x"; const host = "f.org"; await svc.http.send_request({ url: `https://${host}/` }); log(`https://b.net/${a}`, `https://c.${a}`)';
  expect(plan(code).externalDomains.sort()).toEqual(['api.example.com', 'b.net', 'f.org']);
});

test('hosts in the known fields of a partly known input are external domains', () => {
  const code =
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code under test
    'const at = "127.0.0.1:9"; const n = await svc.storage.read_file({}); await svc.http.send_request({ url: `http://${at}/x`, body: n })';
  expect(plan(code).externalDomains).toEqual(['127.0.0.1']);
});

test('paths of storage calls are listed, even if the rest of the input is unknown', () => {
  expect(plan('await svc.storage.write_file({ path: "reports/" + 1 + ".csv", content: make() })').storageIndicators).toEqual([
    'storage.write_file: path reports/1.csv',
  ]);
});

test.each([
  ['/* Sends the\n * weekly report */\nawait svc.mail.send({})', 'Sends the\nweekly report'],
  ['async () => {\n  // Says hello\n  await svc.mail.send({}) }', 'Says hello'],
  ['await svc.mail.send({}) // later', null],
])('the leading comment of the code is returned as plain text, or null if there is none', (code, expected) => {
  expect(plan(code).leadingComment).toBe(expected);
});

test('a plan with more calls than a run can make is dynamic, and its lists are cut', () => {
  const { calls, dynamicSignals, externalDomains, externalDomainCount } = plan(
    Array.from({ length: 300 }, (_, n) => `await svc.mail.send("https://h${n}.org");x${n}(svc);`).join('\n'),
  );
  expect([calls.length, externalDomains.length, externalDomainCount]).toEqual([200, 50, 300]);
  expect(dynamicSignals).toHaveLength(3);
  expect(dynamicSignals.at(-1)).toBe('the code names 300 domains, of which 250 are not listed');
});

test('cut lists of reasons and names state how many items are missing', () => {
  const { dynamicSignals, storageIndicators, storageIndicatorCount } = plan(
    Array.from({ length: 70 }, (_, n) => `await svc.storage.write_file({ path: "f${n}" }); await svc.mail.x${n}();`).join('\n'),
  );
  expect([storageIndicators.length, storageIndicatorCount]).toEqual([50, 70]);
  expect(dynamicSignals.slice(-2)).toEqual([
    'and 20 more reasons, which are not listed',
    'the code names 70 storage names, of which 20 are not listed',
  ]);
});

test('code that is too slow to trace call by call is analyzed coarsely', () => {
  const doubling = Array.from({ length: 40 }, (_, n) => `const f${n + 1} = async () => { await f${n}(); await f${n}() };`).join('\n');
  const { analysisConfidence, calls } = plan(`const f0 = async () => { await svc.mail.send({ a: 1 }) };\n${doubling}\nawait f40();`);
  expect({ analysisConfidence, calls }).toMatchObject({ analysisConfidence: 'partial', calls: [{ input: { a: 1 }, repeats: true }] });
});
