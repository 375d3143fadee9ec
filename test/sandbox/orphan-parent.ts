/** A process that starts a pass, bare or confined as tightly as this machine can, says its runner's id once the pass is under way, and is then killed by the test. */
import { type Confinement, confinementsFor } from '../../sandbox/confinement.ts';
import { executePass } from '../../sandbox/execute-pass.ts';
import { launchRunner, type Runner } from '../../sandbox/launch-runner.ts';
import { loadRunnerProgram } from '../../sandbox/runner-program.ts';

const [, , how, rest] = process.argv;
const candidates = confinementsFor(process.platform, process.getuid?.() === 0);
const runner = await startTightest(how === 'bare' ? candidates.slice(-1) : candidates);
const code = `await svc.echo.say({}); ${rest}`;
let isUnderWay = false;
await executePass(
  runner,
  { code, surface: { echo: ['say'] }, seed: '', startedAt: 0, limits: { timeMs: 60_000, memoryMb: 128 } },
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
