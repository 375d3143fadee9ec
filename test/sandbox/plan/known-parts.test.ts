import { planCode } from '../../../sandbox/plan/plan.ts';

const SURFACE = { http: ['send_request', 'fetch'] };
/** In the code, `later` is known only while the program runs. */
const partsOf = (argument: string, before = '') => {
  const { calls } = planCode(`const later = await svc.http.fetch({}); ${before} await svc.http.send_request(${argument});`, SURFACE);
  return calls[1]!.parts;
};

test.each<[string, string, object, string[][]]>([
  ['constants beside a later value', '{ method: "POST", url: "/reports", body: later }', { method: 'POST', url: '/reports' }, [['body']]],
  [
    'constants inside an object',
    '{ body: { kind: "a", tags: ["x", 1], sha256: later } }',
    { 'body.kind': 'a', 'body.tags': ['x', 1] },
    [['body', 'sha256']],
  ],
  ['a list with an unknown item is unknown as a whole', '{ url: "/a", list: [1, later] }', { url: '/a' }, [['list']]],
  ['what follows a spread', '{ method: "GET", ...later, url: "/a" }', { url: '/a' }, []],
  ['what follows an unknown key', '{ method: "GET", [later]: 1, url: "/a" }', { url: '/a' }, []],
  ['what follows a getter', '{ method: "GET", get url() { return 1 }, n: 1 }', { n: 1 }, []],
  ['the last value of a key', '{ n: 1, x: later, n: 2 }', { n: 2 }, [['x']]],
  ['a key whose later value is unknown', '{ a: 1, n: 1, n: later }', { a: 1 }, [['n']]],
  ['only the values that JSON keeps', '{ a: 1, gone: undefined, x: later }', { a: 1 }, [['x']]],
  ['the values of constants', '{ ...base, url: base.url + "/x", x: later }', { url: '/r/x' }, [['x']]],
])('the known parts of an input: %s', (_what, argument, known, open) => {
  const parts = partsOf(argument, 'const base = { url: "/r" };');
  expect(Object.fromEntries(parts!.known.map(({ path, value }) => [path.join('.'), value]))).toEqual(known);
  expect(parts!.open).toEqual(open);
});

test.each([
  ['no part of the input is constant', '{ body: later }', ''],
  ['the input is not an object literal', 'later', ''],
  ['the input is in a variable', 'input', 'const input = { url: "/a", body: later };'],
  ['the input is spread from a list', '...[{ url: "/a", body: later }]', ''],
  ['prototypes may change', '{ url: "/a", body: later }', 'Object.prototype.toJSON = () => 1;'],
  ['the input sets a prototype', '{ url: "/a", __proto__: later }', ''],
  ['the whole input is known', '{ url: "/a" }', ''],
])('no parts are returned if %s', (_why, argument, before) => {
  expect(partsOf(argument, before)).toBeUndefined();
});

test('only the first fields of a large input are kept', () => {
  const fields = Array.from({ length: 500 }, (_, n) => `f${n}: ${n}`).join(', ');
  expect(partsOf(`{ ${fields}, x: later }`)!.known).toHaveLength(50);
});
