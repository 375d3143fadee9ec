import fc from 'fast-check';
import { redactCode } from '../../../commands/reviews/redact-code.ts';
import type { CodeLimits } from '../../../domain/truncate-code.ts';
import { readLiterals } from '../../../sandbox/reader/read-code.ts';

const redacted = (code: string, atMost?: CodeLimits) => redactCode({ code, orgId: 'org_1' }, atMost);

test('secrets in a program are hidden, and the code around them stays', async () => {
  const { lines, hiddenLines } = await redacted(`const k = "sk_live_abcdefghijklmnop1234"; await svc.bank.transfer({ to: 1 });
await svc.http.get({ headers: { Authorization: 'Bearer abcdefghijklmnop' } });
return 1;`);
  expect(lines[0]).toBe('const k = "[redacted]"; await svc.bank.transfer({ to: 1 });');
  expect(lines[1]).toContain('await svc.http.get(');
  expect(lines[1]).not.toContain('abcdefghijklmnop');
  expect(hiddenLines).toEqual([1, 2]);
});

test('a secret over several lines is hidden on each line, and lines keep their numbers', async () => {
  const { lines, hiddenLines } = await redacted('const password = `one\ntwo\r\nthree`;\nconst b = 2;\rconst c = 3;\u2028const d = 4;');
  expect(lines).toHaveLength(6);
  expect(lines.slice(0, 3).join('\n')).not.toMatch(/one|two|three/);
  expect(lines.slice(3)).toEqual(['const b = 2;', 'const c = 3;', 'const d = 4;']);
  expect(hiddenLines).toEqual([1, 2, 3]);
});

test('a private key is hidden to its end', async () => {
  const { lines } = await redacted(
    'const pem = `-----BEGIN RSA PRIVATE KEY-----\nMIIEabcd\nEFGHijkl\n-----END RSA PRIVATE KEY-----`;\nreturn pem;',
  );
  expect(lines.join('\n')).not.toMatch(/MIIE|EFGH/);
  expect(lines).toHaveLength(5);
  expect(lines[4]).toBe('return pem;');
});

test('redaction never changes the number of lines', async () => {
  const piece = fc.oneof(
    fc.constantFrom('password="', 'token=`', '"', '`', ';', '\n', '\r\n', '\u2028', '[redacted]', 'a', 'sk_live_abcdefghijklmnop12'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
      const code = pieces.join('');
      expect((await redacted(code)).lines).toHaveLength(code.split(/\r\n|[\n\r\u2028\u2029]/).length);
    }),
  );
});

const shown = async (code: string) => (await redacted(code)).lines.join('\n');
const ALL = "await svc.kv_store.delete({key:'all'})";

test.each([
  [
    'a comment that opens a header',
    `/* authorization: Bearer */ ${ALL}; payee = 'mallory';`,
    `/* authorization: [redacted]*/ ${ALL}; payee = 'mallory';`,
  ],
  ['a comment that names a secret', `// password:\n${ALL}`, `// password:\n${ALL}`],
  ['a comment with a cookie', `// Cookie: a=b; x\n${ALL}`, `// Cookie: [redacted]\n${ALL}`],
  [
    'the marks of a private key',
    `const a = "-----BEGIN PRIVATE KEY-----"; ${ALL}; const b = "-----END PRIVATE KEY-----";`,
    `const a = "[redacted]"; ${ALL}; const b = "-----END PRIVATE KEY-----";`,
  ],
  ['a string that ends with the name of a secret', `x = "password="; ${ALL}`, `x = "password="; ${ALL}`],
  ['a curl option for a user', `x = 'curl -u a:'; ${ALL}`, `x = 'curl -u a:'; ${ALL}`],
])('%s causes no redaction outside itself', async (_, code, expected) => {
  expect(await shown(code)).toBe(expected);
});

test.each([
  ["password = (svc.kv_store.delete({key:'all'}), 1);", "password = (svc.kv_store.delete({key:'[redacted]'}), 1);"],
  ['password = svc["kv_store"][`delete`]({key:"all"});', 'password = svc["kv_store"][`delete`]({key:"[redacted]"});'],
  ['password = svc[("kv" + "_store")].delete();', 'password = svc[("kv" + "_store")].delete();'],
  [`const t = \`password: \${${ALL}} and\`;`, `const t = \`password: \${${ALL.replace('all', '[redacted]')}}[redacted]\`;`],
  ["let token\n= await pay('x', 1000000)", "let token\n= await pay('[redacted]', 1000000)"],
  ['token = { amount: 1000000 }', 'token = { amount: 1000000 }'],
  ['token = [1000000 * 3]; pin = 1000 * 2\npin = 5\n* 7', 'token = [1000000 * 3]; pin = 1000 * 2\npin = 5\n* 7'],
  ['password = pay.all\nrun()', 'password = pay.all\nrun()'],
])('under any variable name, only literals are hidden, not executable code: %s', async (code, expected) => {
  expect(await shown(code)).toBe(expected);
});

test.each([
  ['const pin = 1234;\npin = 12n\nrun()', 'const pin = [redacted];\npin = [redacted]\nrun()'],
  ['pay({ cvv: 123, n: 4111111111111111 }, [4111111111111111])', 'pay({ cvv: [redacted], n: [redacted] }, [[redacted]])'],
  [
    'const h = { "x-api-key": `abc`, Authorization: "Basic " + "dXNlcjpwYXNz" }',
    'const h = { "x-api-key": `[redacted]`, Authorization: "[redacted]" + "[redacted]" }',
  ],
  ['/password=abcdef/g.test(x)', '/password=[redacted]/g.test(x)'],
  [
    'const key = ["-----BEGIN RSA PRIVATE KEY-----",\n"MIIEabcd",\n"-----END RSA PRIVATE KEY-----"].join("\\n"); pay("bob")',
    'const key = ["[redacted]",\n"[redacted]",\n"[redacted]"].join("\\n"); pay("bob")',
  ],
  ['data["sk_live_abcdefghijklmnop1234"]', 'data["[redacted]"]'],
  ['/* key: sk_live_abcdefghijklmnop1234 */ a() // token=abcdefgh', '/* key: [redacted] */ a() // token=[redacted]'],
  [
    'const a: string = "sk_live_abcdefghijklmnop1234" as any; f<string>/ "a" / 2',
    'const a: string = "[redacted]" as any; f<string>/ "a" / 2',
  ],
  ['const = "sk_live_abcdefghijklmnop1234"; foo( /* token=abcdefgh */', 'const = "[redacted]"; foo( /* token=[redacted] */'],
])('secrets in literals and comments are hidden: %s', async (code, expected) => {
  expect(await shown(code)).toBe(expected);
});

test('a program that contains the text [redacted] is shown correctly', async () => {
  const code = 'a = ["[redacted]", b[redacted]]; x = "[redacted]"; password = "hunter22"; pay("bob")';
  expect(await shown(code)).toBe(code.replace('hunter22', '[redacted]'));
});

test('no character outside of literals and comments is ever hidden', async () => {
  const piece = fc.constantFrom(
    ...[
      'password = ',
      'token: ',
      '// authorization: Bearer ',
      '/* Cookie: a */',
      "'-----BEGIN PRIVATE KEY-----'",
      '"sk_live_abcdefghijklmnop12"',
    ],
    ...[
      '`a${',
      '}`',
      "pay('x')",
      '({',
      '})',
      '[1]',
      '4111111111111111',
      'ｐａｓｓｗｏｒｄ=1',
      '\n',
      ';',
      ',',
      ' + ',
      'curl -u a:b ',
      '[redacted]',
      '/x/',
      '{',
      '}',
    ],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 25 }), async (pieces) => {
      const code = pieces.join('');
      const { texts, names, numbers, comments, readTo } = (await readLiterals(code))!;
      const hideable = new Set(
        [...texts, ...names, ...numbers, ...comments].flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at)),
      );
      const kept = Array.from({ length: readTo }, (_, at) => (hideable.has(at) ? '' : code[at])).join('');
      expect(isWithin(kept.replace(/[\r\n]/g, ''), (await shown(code)).replace(/[\r\n]/g, ''))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole.split('')) if (character === part[at]) at += 1;
  return at === part.length;
}

test('a long program and long lines are cut, and the cut lines are listed', async () => {
  const code = `const a = "sk_live_abcdefghijklmnop1234"; // ${'x '.repeat(1000)}\npassword = "hunter22";\r\n${'step();\n'.repeat(10_000)}`;
  const { lines, hiddenLines, cutLines } = await redacted(code, { length: 1000, lineLength: 100 });
  expect(lines[0]).toMatch(/^const a = "\[redacted\]"; \/\/ (?:x ?)+$/);
  expect(lines.slice(1, 3)).toEqual(['password = "[redacted]";', 'step();']);
  expect(lines.join('\n').length).toBeLessThan(1000);
  expect(hiddenLines).toEqual([1, 2]);
  expect(cutLines[0]).toBe(1);
  expect((await redacted(code)).cutLines).toEqual([]);
});

test('in a program that cannot be parsed, everything that looks secret is hidden', async () => {
  const code = `const password = /* mine */ "hunter22";\nconst h = { Authorization: 'Bearer abcdefghijklmnop' };\nlet x: any = /(/; f(${'<T>('.repeat(40)}1${')'.repeat(40)})`;
  expect(await readLiterals(code)).toBeNull();
  const { lines, hiddenLines } = await redacted(code);
  expect(lines.join('\n')).not.toMatch(/hunter22|abcdefghijklmnop/);
  expect(hiddenLines).toEqual(expect.arrayContaining([1, 2]));
  expect(lines).toHaveLength(3);
});

test.each(["a = 'it's';", 'x = `abc;', 'y = 5abc;', 'r = /abc;', '#;', 'f("\n");'])(
  'secrets behind the invalid token of %j are hidden',
  async (begins) => {
    const statement = ' password = "hunter22"; pay("bob");';
    expect(await shown(begins + statement)).toBe(begins + statement.replace('hunter22', '[redacted]'));
  },
);
