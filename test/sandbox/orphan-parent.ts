/** A process that starts a pass without confinement, says its runner's id once the pass is under way, and is then killed by the test. */
import { executePass } from '../../sandbox/execute-pass.ts';
import { launchRunner } from '../../sandbox/launch-runner.ts';
import { loadRunnerProgram } from '../../sandbox/runner-program.ts';

const confinement = { hasNoNetwork: false, user: 'same', hasNoPrivileges: false, hasResourceLimits: false } as const;
const runner = await launchRunner({ program: loadRunnerProgram(), confinement, memoryMb: 128 });
const code = `await svc.echo.say({}); ${process.argv[2]}`;
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
