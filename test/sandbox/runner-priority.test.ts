import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { confinementsFor } from '../../sandbox/host/confinement.ts';
import { driveRunner } from '../../sandbox/host/drive-runner.ts';
import { launchRunner } from '../../sandbox/host/launch-runner.ts';
import { innermostProcess } from '../../sandbox/host/runner-process.ts';
import { loadRunnerProgram } from '../../sandbox/host/runner-program.ts';
import { startTightest } from '../../sandbox/host/start-tightest.ts';
import { until } from '../support/until.ts';
import { anEchoHost, aRequest } from './a-sandbox.ts';

const onLinux = process.platform === 'linux' ? test : test.skip;
/** A thread is busy if it has used this many clock ticks more than any thread before the pass. */
const BUSY_TICKS = 5;

function threadsOf(pid: number): { niceness: number; ticks: number }[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
    // The first field after the process name is field 3 of the file.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { niceness: fields[16]!, ticks: fields[11]! };
  });
}

/** Returns undefined if the kernel has no autogroups. */
function nicenessOfSession(pid: number): number | undefined {
  const path = `/proc/${pid}/autogroup`;
  return existsSync(path) ? Number(/nice (-?\d+)/.exec(readFileSync(path, 'latin1'))?.[1]) : undefined;
}

onLinux("a runner starts with the service's priority, and lowers its priority when a program begins", async () => {
  const program = loadRunnerProgram();
  const { runner } = await startTightest(confinementsFor(process.platform, process.getuid?.() === 0), (confinement) =>
    launchRunner({ program, confinement, memoryMb: 128 }),
  );
  const pid = await innermostProcess(runner.pid);
  const ours = getPriority();
  expect(new Set(threadsOf(pid).map(({ niceness }) => niceness))).toEqual(new Set([ours]));

  const upTicks = Math.max(...threadsOf(pid).map(({ ticks }) => ticks));
  const canceling = new AbortController();
  const pass = driveRunner(runner, aRequest('while (true);'), anEchoHost(), { signal: canceling.signal });
  const busy = () => threadsOf(pid).find(({ ticks }) => ticks > upTicks + BUSY_TICKS);
  const spinning = await until(busy);
  expect(spinning.niceness).toBe(Math.max(ours, 5));
  expect([5, undefined]).toContain(nicenessOfSession(runner.pid));
  canceling.abort();
  await pass;
});
