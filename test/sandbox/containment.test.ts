import type { Sandbox } from '../../sandbox/host/open-sandbox.ts';
import { aSandbox, returned, run } from './a-sandbox.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = aSandbox();
});
afterAll(() => sandbox.close());

test('a run leaves nothing behind that the next run can see', async () => {
  await run(sandbox, 'globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = () => "evil"; return 1');
  expect(await returned(sandbox, 'return [typeof left, [1].map((n) => n)]')).toEqual(['undefined', [1]]);
});

test('concurrent runs do not see each other', async () => {
  const code = (n: number) => `globalThis.mine = ${n}; for (let i = 0; i < 5; i++) await svc.echo.say({ i }); return mine`;
  expect(await Promise.all([1, 2, 3, 4].map((n) => returned(sandbox, code(n))))).toEqual([1, 2, 3, 4]);
});
