import { CODE_RUN } from '../../domain/limits.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { issuesOf } from './run-action.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ CODE_MEMORY_MB: '32' });
});
afterAll(() => bed.close());

const call = (code: string, inputs?: object) => ({
  workspaceId: bed.workspaceId,
  integrationName: 'code',
  actionName: 'run_code',
  input: { code, ...(inputs && { inputs }) },
});
const run = async (code: string, inputs?: object) => (await bed.api.must(200).post('/api/v1/actions/execute', call(code, inputs))).output;
const failure = async (code: string) => {
  const { error, code: kind, details } = await bed.api.must(400).post('/api/v1/actions/execute', call(code));
  expect(kind).toBe('ACTION_FAILED');
  return { error, ...details };
};

test('code computes with its inputs, and its result and log are returned', async () => {
  const code = 'console.log("adding", inputs.a); console.warn("done"); return { sum: inputs.a + inputs.b.c };';
  expect(await run(code, { a: 1, b: { c: 2 } })).toEqual({
    result: { sum: 3 },
    logs: [
      { level: 'log', message: 'adding 1', timestamp: expect.any(String) },
      { level: 'warn', message: 'done', timestamp: expect.any(String) },
    ],
  });
});

test.each([
  ['one arrow function gets the inputs', '({ n }) => n * 2', 42],
  ['one async arrow function', 'async (inputs) => { await null; return inputs.n }', 21],
  ['top-level await and timers', 'await new Promise((done) => setTimeout(done, 30)); return inputs.n', 21],
  [
    'timers in the order in which they are due',
    'const a = []; for (const ms of [30, 10, 20]) setTimeout(() => a.push(ms), ms); await new Promise((d) => setTimeout(d, 40)); return a',
    [10, 20, 30],
  ],
  ['TypeScript types', 'const n: number = inputs.n; return n', 21],
  ['Markdown fences', '```js\nreturn inputs.n\n```', 21],
  ['nothing returned', 'inputs.n', null],
])('%s', async (_what, code, result) => {
  expect(await run(code, { n: 21 })).toEqual({ result, logs: [] });
});

test('code without inputs gets empty inputs', async () => {
  expect((await run('return inputs')).result).toEqual({});
});

test.each([
  ['a syntax error', 'return (', { code: 'CODE_SYNTAX_ERROR', line: 1 }],
  [
    'an error that the code throws',
    'const x = 1\nthrow new Error("mine")',
    { error: expect.stringMatching(/^mine \(line 2, column \d+\)/), line: 2 },
  ],
  ['svc', 'return svc.http', { error: expect.stringContaining('svc is not defined') }],
  ['the network', 'await fetch("https://example.com")', { code: 'CODE_NOT_AVAILABLE', error: expect.stringContaining('no network') }],
  ['files and modules', 'require("fs")', { code: 'CODE_NOT_AVAILABLE', error: expect.not.stringContaining('svc') }],
  ['the process', 'return process.env', { code: 'CODE_NOT_AVAILABLE' }],
  [
    'import()',
    'const a = 1;\n  const fs = await import("fs");',
    {
      code: 'CODE_NOT_AVAILABLE',
      error:
        'import() is not available here. This code can compute with its inputs; it reaches no network, no files and no modules. (line 2, column 20)',
      ...{ line: 2, column: 20 },
    },
  ],
  ['import() of one arrow function', '(inputs) => {\n  return import("fs");\n}', { code: 'CODE_NOT_AVAILABLE', line: 2, column: 10 }],
  ['imports', 'import fs from "fs"', { code: 'CODE_SYNTAX_ERROR', error: expect.not.stringContaining('svc') }],
  ['a result that is not JSON', 'return 1n', { code: 'CODE_OUTPUT_NOT_JSON' }],
  [
    'unbounded memory',
    'const a = []; for (;;) a.push(new Array(1e5).fill(Math.random()))',
    { code: 'CODE_MEMORY', reason: expect.stringContaining('memory') },
  ],
  ['a promise that never settles', 'await new Promise(() => {})', { code: 'CODE_STALLED' }],
  ['too many timers', 'for (let i = 0; i < 1001; i++) setTimeout(() => {}, 1)', { code: 'CODE_TIMER_LIMIT' }],
  ['an output that is too large', `return "x".repeat(${CODE_RUN.outputMaxBytes})`, { code: 'CODE_OUTPUT_TOO_LARGE' }],
])('%s fails with ACTION_FAILED and details about the problem', async (_what, code, expected) => {
  expect(await failure(code)).toMatchObject(expected);
});

test('the log of code that failed is in the details', async () => {
  expect(await failure('console.log("so far"); null.x')).toMatchObject({ logs: [{ message: 'so far' }], line: 1 });
});

test('code that never ends is stopped, and other code still runs', async () => {
  const [endless, next] = await Promise.all([failure('for (;;) {}'), run('return 1')]);
  expect(endless).toMatchObject({ code: 'CODE_TIMEOUT', error: 'The code ran longer than 30 seconds.' });
  expect(next.result).toBe(1);
});

test('runs above the capacity wait for a free slot', async () => {
  const results = await Promise.all(Array.from({ length: 12 }, (_, n) => run('return inputs.n', { n })));
  expect(results.map(({ result }) => result)).toEqual(Array.from({ length: 12 }, (_, n) => n));
});

test('the input is checked: code from one character to 256 kB, inputs as an object, no other keys', () => {
  expect(issuesOf('code.run_code', { code: 'x'.repeat(CODE_RUN.codeMaxBytes) })).toEqual([]);
  for (const input of [
    {},
    { code: '' },
    { code: 'x'.repeat(CODE_RUN.codeMaxBytes + 1) },
    { code: '1', inputs: [1] },
    { code: '1', timeoutSeconds: 300 },
  ])
    expect(issuesOf('code.run_code', input)).toHaveLength(1);
});
