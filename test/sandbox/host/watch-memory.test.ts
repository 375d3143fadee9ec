import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { memoryOfTree, watchMemory } from '../../../sandbox/host/watch-memory.ts';

const MEGABYTE = 1024 ** 2;
const BUSY = `const kept = Buffer.alloc(64 * ${MEGABYTE}, 1); console.log(kept.length); setInterval(() => {}, 1000);`;

let parent: ChildProcess;

/** Starts a shell whose child process holds 64 MB. */
beforeEach(async () => {
  parent = spawn('sh', ['-c', `"${process.execPath}" -e "${BUSY}" & wait`], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await once(parent.stdout!, 'data');
});

afterEach(() => {
  process.kill(-parent.pid!, 'SIGKILL');
});

test('the memory of a process includes the memory of its children, in bytes', async () => {
  const bytes = await memoryOfTree(parent.pid!);
  expect(bytes).toBeGreaterThan(64 * MEGABYTE);
  expect(bytes).toBeLessThan(1024 * MEGABYTE);
});

test('memory above the limit is reported', async () => {
  const reported = Promise.withResolvers<void>();
  const watch = watchMemory(parent.pid!, 64 * MEGABYTE, reported.resolve);
  await expect(reported.promise).resolves.toBeUndefined();
  watch.stop();
});
