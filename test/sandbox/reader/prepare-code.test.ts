import { callerPosition, prepareCode } from '../../../sandbox/reader/prepare-code.ts';

test.each([
  ['```js\nreturn 1;\n```', '     \nreturn 1;\n   '],
  ['return 1 as number;', 'return 1          ;'],
  ['async () => 1', 'return (async () => 1)(svc)'],
  ['(async (svc) => 1); // done', 'return ((async (svc) => 1))(svc); // done'],
  ['```ts\nasync (n: number) => n\n```\n', '     \nreturn (async (n        ) => n)(svc)\n   \n'],
])('%j becomes %j', (source, code) => {
  expect(prepareCode(source)).toMatchObject({ code, syntaxError: null });
});

test("a position in the prepared code maps to the position in the caller's code", () => {
  const prepared = prepareCode('// first\nasync () => {\n  boom()\n}');
  expect(callerPosition(prepared, { line: 2, column: 9 })).toEqual({ line: 2, column: 1 });
  expect(callerPosition(prepared, { line: 3, column: 3 })).toEqual({ line: 3, column: 3 });
});

test('code that does not parse keeps its text and gets the position of the error', () => {
  expect(prepareCode('let a = 1;\nlet b = ;')).toMatchObject({
    code: 'let a = 1;\nlet b = ;',
    program: null,
    syntaxError: { message: "Unexpected token ';'", line: 2, column: 9 },
  });
});

test.each([
  ['a type before it', "const a: string = 'x';\nconst b = 2;\nconst c = b +;", 'Expression expected', 3, 14],
  ['tabs and wide letters before it', "let a: string;\n\tf('日本語é😀'); let b: number = a +;", 'Expression expected', 2, 34],
  ['a plain JavaScript error', "const a: string = 'x';\nlet b = 1;\nlet b = 2;", "Identifier 'b' has already been declared", 3, 5],
  ['a missing type', 'let a: number = 1;\nlet b: = 1', "Unexpected token '='", 2, 8],
  ['code without types', 'let a = 1;\nlet b = a +;', "Unexpected token ';'", 2, 12],
  ['a brace that is not closed', 'if (a) {\n  b();\n', 'Unexpected end of the code', 3, 1],
  ['a brace that is not closed, with types', 'const a: number = 1;\nif (a) {\n  b();\n', 'Unexpected end of the code', 4, 1],
  ['an extra brace', 'if (a) {\n  b();\n}\n}', "Unexpected token '}'", 4, 1],
  ['closing the wrapping function', '}); (async()=>{ return 5', "Unexpected token '}'", 1, 1],
  ['closing the wrapping function, with types', 'let x: number = 1; }); (async()=>{ return 5', "Unexpected token '}'", 1, 20],
  ['an unexpected string', "const a = 1 'b'", 'Unexpected string', 1, 13],
])('a syntax error is reported at its position and token: %s', (_, code, message, line, column) => {
  expect(prepareCode(code).syntaxError).toEqual({ message, tooDeep: false, line, column });
});

test('code that is nested too deeply has no error position', () => {
  expect(prepareCode('('.repeat(20_000) + ')'.repeat(20_000)).syntaxError).toEqual({ tooDeep: true });
});
