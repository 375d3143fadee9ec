import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { confinementsFor } from '../../sandbox/confinement.ts';
import { executePass } from '../../sandbox/execute-pass.ts';
import { launchRunner } from '../../sandbox/launch-runner.ts';
import { innermostProcess } from '../../sandbox/runner-process.ts';
import { loadRunnerProgram } from '../../sandbox/runner-program.ts';
import { startTightest } from '../../sandbox/start-tightest.ts';
import { anEchoHost, aRequest } from './a-sandbox.ts';

const onLinux = process.platform === 'linux' ? test : test.skip;
/** Of processor time, a hundredth of a second each. */
const BUSY_TICKS = 5;

function threadsOf(pid: number): { niceness: number; ticks: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    // After the name come the fields from the third on.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { niceness: fields[16]!, ticks: fields[11]! };
  });
}

/** Of the session as a whole; undefined where the kernel does not share the processor by sessions. */
function nicenessOfSession(pid: number): number | undefined {
  const path = `/proc/${pid}/autogroup`;
  return existsSync(path) ? Number(/nice (-?\d+)/.exec(readFileSync(path, 'latin1'))?.[1]) : undefined;
}

onLinux('a runner comes up with the priority of the service, and gives way to others once its code begins', async () => {
  const program = loadRunnerProgram();
  const { runner } = await startTightest(confinementsFor(process.platform, process.getuid?.() === 0), (confinement) =>
    launchRunner({ program, confinement, memoryMb: 128 }),
  );
  const pid = await innermostProcess(runner.pid);
  const ours = getPriority();
  expect(new Set(threadsOf(pid).map(({ niceness }) => niceness))).toEqual(new Set([ours]));

  const upTicks = Math.max(...threadsOf(pid).map(({ ticks }) => ticks));
  const canceling = new AbortController();
  const pass = executePass(runner, aRequest('while (true);'), anEchoHost(), canceling.signal);
  const busy = () => threadsOf(pid).find(({ ticks }) => ticks > upTicks + BUSY_TICKS);
  let spinning = busy();
  while (!spinning) {
    await new Promise(setImmediate);
    spinning = busy();
  }
  expect(spinning.niceness).toBe(Math.max(ours, 5));
  expect([5, undefined]).toContain(nicenessOfSession(runner.pid));
  canceling.abort();
  await pass;
});
