import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Runner } from '../../sandbox/host/launch-runner.ts';
import { RunnerPool } from '../../sandbox/host/runner-pool.ts';
import { until } from '../support/until.ts';
import { aSandbox, run } from './a-sandbox.ts';
import { childrenOf, isAlive, launch } from './runner-bed.ts';

describe('the pool', () => {
  const aPool = (least: number, most = least, calmMs?: number) => {
    const launched: Promise<Runner>[] = [];
    const pool = new RunnerPool({ least, most, ...(calmMs && { calmMs }) }, () => {
      const start = launch();
      launched.push(start);
      return start;
    });
    return { pool, launched };
  };

  test('starts runners in advance, hands out each runner once, and starts a replacement', async () => {
    const { pool, launched } = aPool(1);
    expect(launched).toHaveLength(1);
    const taken = await Promise.all([pool.take(), pool.take(), pool.take()]);
    expect(new Set(taken.map(({ pid }) => pid)).size).toBe(3);
    await new Promise(setImmediate);
    expect(launched).toHaveLength(4);
    await pool.close();
    expect(await (await launched[3]!).exited).toMatchObject({ signal: 'SIGKILL' });
    await expect(pool.take()).rejects.toThrow('closed');
    for (const runner of taken) runner.kill();
  });

  test('a runner that died in the pool is not handed out', async () => {
    const { pool, launched } = aPool(1);
    const first = await launched[0]!;
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const taken = await pool.take();
    expect(taken.pid).not.toBe(first.pid);
    taken.kill();
    await pool.close();
  });

  test('a runner that dies while it waits is replaced immediately', async () => {
    const { pool, launched } = aPool(1);
    process.kill((await launched[0]!).pid, 'SIGKILL');
    await until(() => launched.length === 2);
    const second = await launched[1]!;
    expect(await pool.take()).toBe(second);
    second.kill();
    await pool.close();
  });

  test('the target size of the pool grows with demand, and shrinks without demand', async () => {
    const { pool, launched } = aPool(1, 3, 2000);
    const taken = await Promise.all(Array.from({ length: 5 }, () => pool.take()));
    await until(() => launched.length === 5 + 3);
    const waiting = await Promise.all(launched.slice(5));
    expect(waiting.map((runner) => runner.isGone())).toEqual([false, false, false]);
    await Promise.all(waiting.slice(1).map(({ exited }) => exited));
    expect(waiting[0]!.isGone()).toBe(false);
    for (const runner of taken) runner.kill();
    await pool.close();
    expect(launched).toHaveLength(8);
  });

  test('a failed start rejects its caller, and the next start can succeed', async () => {
    let isBroken = true;
    const pool = new RunnerPool({ least: 1, most: 1 }, () => (isBroken ? Promise.reject(new Error('no processes left')) : launch()));
    await expect(pool.take()).rejects.toThrow('no processes left');
    isBroken = false;
    (await pool.take()).kill();
    await pool.close();
  });
});

describe('the sandbox', () => {
  test('ten concurrent runs with a pool of one runner all succeed', async () => {
    const sandbox = aSandbox();
    const results = await Promise.all(Array.from({ length: 10 }, (_, n) => run(sandbox, `return ${n}`)));
    expect(results.map((result) => result.kind === 'returned' && Number(result.value))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await sandbox.close();
  });

  test('closing ends running passes and refuses new passes', async () => {
    const sandbox = aSandbox();
    const spinning = run(sandbox, 'while (true);');
    await sandbox.describeConfinement();
    await sandbox.close();
    expect(await spinning).toMatchObject({ kind: 'failed' });
    expect(await run(sandbox, 'return 1')).toMatchObject({ kind: 'failed', error: { code: 'CODE_UNAVAILABLE' } });
  });
});

describe('when the parent process is gone', () => {
  test.each([
    ['waits (bare)', 'bare', 'await svc.echo.say({})'],
    ['spins (bare)', 'bare', 'while (true);'],
    ['waits (confined)', 'confined', 'await svc.echo.say({})'],
    ['spins (confined)', 'confined', 'while (true);'],
  ])('a runner exits even if its program %s', async (_what, how, code) => {
    const args = [join(import.meta.dirname, 'orphan-parent.ts'), how, code];
    const parent = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = (await once(parent.stdout, 'data')) as [Buffer];
    const root = Number(said.toString());
    const pids = [root, ...childrenOf(root).flatMap((child) => [child, ...childrenOf(child)])];
    expect(pids.every(isAlive)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    await expect(Promise.all(pids.map(untilGone))).resolves.toBeDefined();
  });
});

async function untilGone(pid: number): Promise<void> {
  await until(() => !isAlive(pid));
}
