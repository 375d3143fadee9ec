import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const MAX_LENGTH = 100;

test(`no line of a comment has more than ${MAX_LENGTH} characters`, () => {
  const long = sources().flatMap((file) => longLines(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`));
  expect(long).toEqual([]);
});

const TOO_LONG = 'x'.repeat(MAX_LENGTH);

test.each([
  ['a line comment', `// ${TOO_LONG}`, [1]],
  ['an indented comment', `if (x) {\n  // ${TOO_LONG}\n}`, [2]],
  ['lines of a block comment', `/**\n * ${TOO_LONG}\n * short\n${TOO_LONG}x\n */`, [2, 4]],
  ['a comment after strings that contain comment marks', `f('/*', "//", \`\${g('\`')} /*\`);\n// ${TOO_LONG}`, [2]],
  ['a comment after a regular expression with quotes', `const q = /["'\`/*]/g.test(x) && a / b / c;\n// ${TOO_LONG}`, [2]],
])('%s is too long', (_, source, lines) => {
  expect(longLines(source)).toEqual(lines);
});

test.each([
  ['a string', `f('// ${TOO_LONG}');`],
  ['a line of a template', `f(\`\n// ${TOO_LONG}\n/* \`);`],
  ['code with a comment behind it', `f(); // ${TOO_LONG}`],
  ['a regular expression', `f(/\\/\\/ ${TOO_LONG}/);`],
])('%s has no limit', (_, source) => {
  expect(longLines(source)).toEqual([]);
});

function sources(): string[] {
  const listed = execFileSync('git', ['ls-files', '--', '*.ts', '*.mts', '*.mjs', '*.js', '*.css'], { encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && existsSync(file));
}

function longLines(source: string): number[] {
  const lines = source.split('\n');
  if (lines.every(({ length }) => length <= MAX_LENGTH)) return [];
  const comments = commentsOf(source);
  let start = 0;
  return lines.flatMap((line, index) => {
    const first = start + line.length - line.trimStart().length;
    start += line.length + 1;
    return line.length > MAX_LENGTH && comments.some(([from, to]) => from <= first && first < to) ? [index + 1] : [];
  });
}

/** A slash begins a regular expression if no operand precedes it. */
const TOKEN =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=(?:^|[(,=:[!&|?{};+*%<>~^-]|\b(?:return|typeof|case|of|in))\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|(?<sign>[`{}])/gm;
/** Matches the rest of a template, up to its end or its next expression. */
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{)/y;

function commentsOf(source: string): [number, number][] {
  const comments: [number, number][] = [];
  const open: ('{' | '${')[] = [];
  const token = new RegExp(TOKEN);
  for (let found = token.exec(source); found; found = token.exec(source)) {
    const { comment, sign } = found.groups!;
    if (comment !== undefined) comments.push([found.index, found.index + comment.length]);
    if (sign === '{') open.push('{');
    const resumesTemplate = sign === '}' && open.pop() === '${';
    if (sign !== '`' && !resumesTemplate) continue;
    TEMPLATE.lastIndex = token.lastIndex;
    if (TEMPLATE.exec(source)?.[0].endsWith('${')) open.push('${');
    token.lastIndex = TEMPLATE.lastIndex || source.length;
  }
  return comments;
}
