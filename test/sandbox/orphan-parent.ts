/** Starts a pass and prints the runner's process id. The test then kills this process. */
import { type Confinement, confinementsFor } from '../../sandbox/host/confinement.ts';
import { driveRunner } from '../../sandbox/host/drive-runner.ts';
import { launchRunner, type Runner } from '../../sandbox/host/launch-runner.ts';
import { loadRunnerProgram } from '../../sandbox/host/runner-program.ts';
import { readRunnable } from '../../sandbox/reader/read-code.ts';

const [, , how, rest] = process.argv;
const candidates = confinementsFor(process.platform, process.getuid?.() === 0);
const runner = await startTightest(how === 'bare' ? candidates.slice(-1) : candidates);
const code = `await svc.echo.say({}); ${rest}`;
let isUnderWay = false;
await driveRunner(
  runner,
  {
    principal: { orgId: 'o', workspaceId: 'w', endUserId: null },
    program: readRunnable(code, 'svc'),
    surface: { echo: ['say'] },
    seed: '',
    startedAt: 0,
    limits: { timeMs: 60_000, memoryMb: 128 },
  },
  {
    onEvents: () => {},
    nextCompletion: async () => {
      if (isUnderWay) return new Promise(() => {});
      isUnderWay = true;
      setTimeout(() => process.stdout.write(`${runner.pid}\n`), 100);
      return { number: 0, now: 0, ok: true, value: 'null' };
    },
  },
);

async function startTightest([confinement, ...others]: Confinement[]): Promise<Runner> {
  const start = launchRunner({ program: loadRunnerProgram(), confinement: confinement!, memoryMb: 128 });
  return others.length > 0 ? start.catch(() => startTightest(others)) : start;
}
