import { callerPosition, prepareCode } from '../../sandbox/prepare-code.ts';

test.each([
  ['```js\nreturn 1;\n```', '     \nreturn 1;\n   '],
  ['return 1 as number;', 'return 1          ;'],
  ['async () => 1', 'return (async () => 1)(svc)'],
  ['(async (svc) => 1); // done', 'return ((async (svc) => 1))(svc); // done'],
  ['```ts\nasync (n: number) => n\n```\n', '     \nreturn (async (n        ) => n)(svc)\n   \n'],
])('%j becomes %j', (source, code) => {
  expect(prepareCode(source)).toMatchObject({ code, syntaxError: null });
});

test('a place in the prepared code is told as the place in the caller’s own', () => {
  const prepared = prepareCode('// first\nasync () => {\n  boom()\n}');
  expect(callerPosition(prepared, { line: 2, column: 9 })).toEqual({ line: 2, column: 1 });
  expect(callerPosition(prepared, { line: 3, column: 3 })).toEqual({ line: 3, column: 3 });
});

test('code that does not parse keeps its text and tells where it breaks', () => {
  expect(prepareCode('let a = 1;\nlet b = ;')).toMatchObject({
    code: 'let a = 1;\nlet b = ;',
    program: null,
    syntaxError: { message: 'Unexpected token', line: 2, column: 9 },
  });
});

test('code made to break the type stripper does not spoil it for the next caller', () => {
  expect(prepareCode(`let x: ${'A<'.repeat(100_000)}`).program).toBeNull();
  expect(prepareCode(`let x = ${'a+'.repeat(20)}1 as ${'('.repeat(50_000)}`).program).toBeNull();
  expect(prepareCode('return 1 as number').syntaxError).toBeNull();
});
