import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import { anEchoHost, aRequest, aSandbox } from '../a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

async function placesOf(code: string): Promise<unknown[]> {
  const host = anEchoHost();
  const result = await sandbox.runPass(aRequest(code), host);
  expect(result.kind).toBe('returned');
  return host.events.map((event) => (event.kind === 'call' && event.line !== undefined ? [event.line, event.column] : undefined));
}

test("each call has its position in the caller's code, also in callbacks and timers", async () => {
  const code = [
    'await svc.echo.say({});',
    'const tell = (x) => svc.echo.say({ x });',
    'for (const x of [1, 2]) await tell(x);',
    'await Promise.all([1, 2].map((x) =>',
    '  svc.echo.say({ x })));',
    "await new Promise((resolve) => setTimeout(() => svc['echo'].say({}).then(resolve), 5));",
    'await tell.call(null, 1).then(() => svc.echo.say({}));',
  ].join('\n');
  const lines = (await placesOf(code)).map((place) => (place as number[] | undefined)?.[0]);
  expect(lines).toEqual([1, 2, 2, 5, 5, undefined, 6, 2, 7]);
});

test.each([
  ['one bare arrow function', 'async () => { await svc.echo.say({}) }', [[1, 30]]],
  ['TypeScript', 'const x: number = 1;\nawait svc.echo.say({ x } as object);', [[2, 16]]],
  ['a Markdown fence', '```js\nawait svc.echo.say({});\n```', [[2, 16]]],
])('positions refer to the code that the caller sent: %s', async (_, code, places) => {
  expect(await placesOf(code)).toEqual(places);
});

test.each([
  ['stack traces of length 0', 'Error.stackTraceLimit = 0; await svc.echo.say({});'],
  ['a limit that is not a number', "Error.stackTraceLimit = 'all'; await svc.echo.say({});"],
  ['evaluated code on a line beyond the end of the code', "await eval('\\n'.repeat(900) + 'svc.echo.say({})\\n//# sourceURL=code.js')"],
  [
    'evaluated code in a column beyond the end of the line',
    "await eval('\\n\\n' + ' '.repeat(5000) + 'svc.echo.say({})\\n//# sourceURL=code.js')",
  ],
  ['evaluated code longer than any request', "await eval('\\n'.repeat(2e6) + 'svc.echo.say({})\\n//# sourceURL=code.js')"],
])('a call without a valid position in the code is made without a position: %s', async (_, code) => {
  expect(await placesOf(code)).toEqual([undefined]);
});

test('hooks that the code sets cannot observe or change positions', async () => {
  const code = `const heard = [];
    Error.prepareStackTrace = () => heard.push('prepare');
    Object.defineProperty(Error, 'stackTraceLimit', { get() { heard.push('limit'); return 10; }, configurable: true });
    for (const key of ['line', 'column', 'toJSON']) Object.defineProperty(Object.prototype, key, { get() { heard.push(key); }, set() {}, configurable: true });
    globalThis.Error = class { constructor() { heard.push('Error'); } };
    await svc.echo.say({});
    for (const key of ['line', 'column', 'toJSON']) delete Object.prototype[key];
    return heard.filter((what) => what !== 'toJSON');`;
  const host = anEchoHost();
  const result = await sandbox.runPass(aRequest(code), host);
  expect(result).toMatchObject({ kind: 'returned', value: '[]' });
});
