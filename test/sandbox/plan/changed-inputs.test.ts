import { planCode } from '../../../sandbox/plan/plan.ts';

const plan = (code: string) => planCode(code, { mail: ['send'] });
const inputs = (code: string) => plan(code).calls.map(({ inputKnown, input }) => (inputKnown ? input : 'unknown'));
const sends = (before: string, input = 'o') => `${before}; await svc.mail.send(${input})`;

test.each([
  ['a destructuring assignment', sends('const o = { a: 1 }; ({ x: o.a } = { x: 2 })')],
  ['a deletion through an optional chain', sends('const o = { a: 1 }; delete o?.a')],
  ['a template tag', sends('const o = { a: 1 }; const tag = (s, x) => { x.a = 2 }; tag`$' + '{o}`')],
  ['a template tag that gets an array', sends('const o = { a: 1 }; const tag = (s, [x]) => { x.a = 2 }; tag`$' + '{[o]}`')],
  ['a rest parameter', sends('const o = { a: 1 }; const f = (...x) => { x[0].a = 2 }; f(o)')],
  ['a replacer', sends('const o = { a: 1 }; JSON.stringify(o, (k, v) => { v.a = 2 })')],
  ['a class check', sends('class K { static [Symbol.hasInstance](x) { x.a = 2 } } const o = { a: 1 }; o instanceof K')],
  ['toString', sends('const o = { a: 1 }; const q = { o, toString() { this.o.a = 2 } }; `$' + '{q}`')],
  ['a getter', sends('const o = { a: 1 }; const q = { o, get z() { this.o.a = 2 } }; q.z')],
  ['a replaced console', sends('const o = { a: 1 }; this.console = { log(x) { x.a = 2 } }; console.log(o)')],
  ['a replaced function of JSON', sends('const o = { a: 1 }; this.JSON.stringify = (x) => { x.a = 2 }; JSON.stringify(o)')],
  [
    'a later round of a loop',
    sends("const o = [{ n: 'a' }, { n: 'b', at: { c: 1 } }]; for (const x of o) { if (x.at) x.at.c = 2 }", '{ o }'),
  ],
  ['a later call of a function', sends('const o = { n: { t: { a: 1 } } }; const f = (x) => { if (x.t) x.t.a = 2 }; f(o); f(o.n)')],
  ['the discriminant of a switch', sends('const o = { a: 1 }; switch (o.a = 2) { default: let o = 5 }')],
  ['toJSON', sends('', '{ a: 1, toJSON: () => ({ b: 2 }) }')],
  ['toJSON of an inherited object', sends("Object['getPrototypeOf'.slice()]({}).toJSON = () => 2; const o = { a: 1 }")],
])('an input is unknown if it can change by %s', (_how, code) => {
  expect(inputs(code)[0]).toBe('unknown');
});

test.each([
  ['a key that looks like an index', 'const l = [5]', "{ a: l['[0]'] }", 'unknown'],
  ['a key of a pattern that looks like an index', "const { '[0]': a } = [5]", '{ a }', 'unknown'],
  ['a separator that is no string', '', '{ a: [1, 2].join(0) }', { a: '102' }],
])('%s is read as JavaScript reads it', (_how, before, input, expected) => {
  expect(inputs(sends(before, input))).toEqual([expected]);
});

test.each([
  'switch (await svc.mail.send({ a: 1 })) { default: let svc = 1 }',
  'const api = svc.mail; switch (await api.send({ a: 1 })) { case 0: const api = 1 }',
])('a call in the discriminant of a switch is found: %s', (code) => {
  expect(inputs(code)).toEqual([{ a: 1 }]);
});

test("a function's constructor under a computed name makes the plan dynamic", () => {
  const code = "const C = (() => {})['con'.concat('structor')]; await C('return svc.mail.send({ a: 9 })')()";
  expect(plan(code).analysisConfidence).toBe('dynamic');
});

test.each([
  ['beside a spread constant', "const base = { m: 'GET' }", '{ ...base, o }', { m: 'GET', o: { a: 1 } }],
  ['beside a computed key', "const key = 'k'", '{ [key]: 1, o }', { k: 1, o: { a: 1 } }],
  ['beside a constant toString', '', "{ o, toString: 'x' }", { o: { a: 1 }, toString: 'x' }],
  ['that is also printed', 'JSON.stringify(o, undefined, 2); JSON.stringify(o, null, 2)', 'o', { a: 1 }],
  ['whose class is checked', 'o instanceof Array', 'o', { a: 1 }],
])('an object %s stays known', (_how, before, input, expected) => {
  expect(inputs(sends(`const o = { a: 1 }; ${before}`, input))).toEqual([expected]);
});
