import type { Sandbox } from '../../sandbox/open-sandbox.ts';
import { anEchoHost, aRequest, aSandbox } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

/** Line and column of each call that the code made; undefined where none is known. */
async function placesOf(code: string): Promise<unknown[]> {
  const host = anEchoHost();
  const result = await sandbox.runPass(aRequest(code), host);
  expect(result.kind).toBe('returned');
  return host.events.map((event) => (event.kind === 'call' && event.line !== undefined ? [event.line, event.column] : undefined));
}

test('each call says where in the code as it was sent it stands: in loops, helpers, callbacks, after an await and in a timer', async () => {
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
])('the place counts in what the caller sent: %s', async (_, code, places) => {
  expect(await placesOf(code)).toEqual(places);
});

test.each([
  ['stack traces that are cut to nothing', 'Error.stackTraceLimit = 0; await svc.echo.say({});'],
  ['a limit that is no number', "Error.stackTraceLimit = 'all'; await svc.echo.say({});"],
  [
    'code made in the run, further down than the code is long',
    "await eval('\\n'.repeat(900) + 'svc.echo.say({})\\n//# sourceURL=code.js')",
  ],
  ['code made in the run, further right', "await eval('\\n\\n' + ' '.repeat(5000) + 'svc.echo.say({})\\n//# sourceURL=code.js')"],
  ['code made in the run, longer than anyone can send', "await eval('\\n'.repeat(2e6) + 'svc.echo.say({})\\n//# sourceURL=code.js')"],
])('a call whose place is not one of the code has none, and is made all the same: %s', async (_, code) => {
  expect(await placesOf(code)).toEqual([undefined]);
});

test('no hook of the caller hears of it or has a say in it', async () => {
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
