import fc from 'fast-check';
import { highlightCode } from '../../../../api/pages/approval/highlight-code.ts';

const textOf = (html: string) =>
  html
    .replace(/<\/?span[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const PIECE = fc.constantFrom(
  '`',
  '${',
  '}',
  '/*',
  '*/',
  '//',
  '"',
  "'",
  '<',
  '</pre>',
  '&',
  '&lt;',
  'const ',
  'f(',
  ')',
  '=>',
  '\\',
  '/',
  '\n',
  '<b>',
  '1',
);

test('code keeps its lines and is escaped; every highlight mark ends on its line', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(PIECE, { maxLength: 40 }), async (pieces) => {
      const lines = pieces.join('').split('\n');
      const html = await highlightCode(lines);
      expect(html.map(textOf)).toEqual(lines);
      for (const line of html) {
        expect(line.match(/<(?!span class="hljs-[\w ]+">|\/span>)/g)).toBeNull();
        expect(line.split('<span').length).toBe(line.split('</span>').length);
      }
    }),
  );
});

test('keywords, strings and comments are marked', async () => {
  const [line] = await highlightCode(['const a = "b"; // c']);
  expect(line).toMatch(/hljs-keyword">const<.*hljs-string">&quot;b&quot;<.*hljs-comment">\/\/ c</);
});

test('long code and code with a long line are shown without highlighting', async () => {
  expect(await highlightCode([`const a = '${'x'.repeat(600)}' < 1;`])).toEqual([`const a = &#39;${'x'.repeat(600)}&#39; &lt; 1;`]);
  const many = Array.from({ length: 1000 }, () => 'const a = 1; const b = 2;');
  expect(await highlightCode(many)).toEqual(many);
});
