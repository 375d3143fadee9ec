import fc from 'fast-check';
import { takeLargeField } from '../../api/middleware/take-large-field.ts';
import { noteLargeInput } from '../../infra/event-loop/breathe.ts';

const MB = 1024 * 1024;
const take = async (body: string) => {
  const taken = await takeLargeField(Buffer.from(body), 'document', MB);
  return taken && { ...taken, value: taken.value && Buffer.from(taken.value).toString() };
};

test('the extracted field and the rest equal the results of JSON.parse', async () => {
  const spaces = fc.string({ unit: fc.constantFrom(' ', '\n', '\t'), maxLength: 3 });
  const field = fc.tuple(fc.oneof(fc.constant('document'), fc.string()), fc.jsonValue(), spaces);
  const check = async (fields: [string, unknown, string][]) => {
    const body = `{${fields.map(([name, value, space]) => `${space}${JSON.stringify(name)}${space}:${space}${JSON.stringify(value)}${space}`)}}`;
    const parsed = JSON.parse(body);
    const taken = await take(body);
    const rest = JSON.parse(taken!.rest.toString());
    expect({ ...rest, document: 0 }).toEqual({ ...parsed, document: 0 });
    if (typeof parsed.document === 'string') expect(taken!.value).toBe(parsed.document);
    else if (typeof parsed.document === 'object' && parsed.document !== null && !Array.isArray(parsed.document))
      expect(JSON.parse(taken!.value!)).toEqual(parsed.document);
    else expect(taken!.value).toBeUndefined();
  };
  await fc.assert(fc.asyncProperty(fc.array(field), check));
});

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['control characters', '\u0001'],
  ['characters of four bytes', '\u{1f600}'],
  ['quotes after backslashes', '\\\\\\"'],
])('a text of several slices stays complete if it consists of %s', async (_, characters) => {
  for (const before of ['', 'x', 'xx', 'xxx', 'xxxx', 'xxxxx']) {
    const document = before + characters.repeat(MB / characters.length);
    expect((await take(JSON.stringify({ document, kind: 'a' })))!.value === document).toBe(true);
  }
});

test('a pair of escaped surrogates stays complete at the end of a slice', async () => {
  for (const before of ['', 'x', 'xx', 'xxx', 'xxxx', 'xxxxx', 'xxxxxx', 'xxxxxxx', 'xxxxxxxx', 'xxxxxxxxx', 'xxxxxxxxxx', 'xxxxxxxxxxx']) {
    const body = `{"document":"${before}${'\\ud83d\\uDE00'.repeat(MB / 12)}"}`;
    expect((await take(body))!.value === JSON.parse(body).document).toBe(true);
  }
});

test.each([
  ['a text that does not end', `{"document":"${'\\"'.repeat(MB)}`],
  ['names that do not end', `{${'"document":1,'.repeat(MB / 4)}"a":1}`],
  ['white space that does not end', `{"document"${' '.repeat(2 * MB)}:1}`],
  ['lists that do not end', `{"document":${'['.repeat(2 * MB)}`],
])('%s exceeds the size that is allowed outside the field', async (_, body) => {
  expect(await take(body)).toBeUndefined();
});

test.each([
  ['a text of quotes', '"'.repeat(8 * MB)],
  ['a text of backslashes', '\\'.repeat(8 * MB)],
  ['escapes', '\u0001'.repeat(3 * MB)],
  ['texts', Array.from({ length: 3 * MB }, () => '')],
])('other requests run while %s is extracted', async (_, document) => {
  const body = Buffer.from(JSON.stringify({ document }));
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  noteLargeInput();
  await takeLargeField(body, 'document', MB);
  isOver = true;
  expect(turns).toBeGreaterThan(body.length / MB);
});
