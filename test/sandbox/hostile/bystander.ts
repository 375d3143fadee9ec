import type { Sandbox } from '../../../sandbox/host/open-sandbox.ts';
import type { PassRequest, PassResult, SandboxEvent } from '../../../sandbox/host/pass.ts';
import { aRequest } from '../a-sandbox.ts';

const CODE = `const own = Object.getOwnPropertyNames(globalThis).length; let calls = 0;
while ((await svc.echo.say({ calls })).goOn) calls++;
console.log("still here");
return [calls, own === Object.getOwnPropertyNames(globalThis).length, Object.keys(Object.prototype).length, [1, 2].map((n) => n + 1)]`;

/** Starts an ordinary run beside hostile programs. Each `step` lets this run make one more call. */
export function startBystander(sandbox: Sandbox, limits: PassRequest['limits']) {
  const events: SandboxEvent[] = [];
  const steps: { goOn: boolean }[] = [];
  let taken = 0;
  let wake = () => {};
  const push = (goOn: boolean) => {
    steps.push({ goOn });
    wake();
  };
  const pass = sandbox.runPass(aRequest(CODE, { limits }), {
    onEvents: (issued) => void events.push(...issued),
    async nextCompletion() {
      while (steps.length <= taken) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const value = JSON.stringify(steps[taken]);
      return { number: events[taken++]!.number, now: 0, ok: true, value };
    },
  });
  return {
    step: () => push(true),
    /** Ends the run. Returns a sentence if the result is not as expected. */
    async end(): Promise<string[]> {
      push(false);
      return noticed(await pass, steps.length - 1);
    },
  };
}

function noticed(result: PassResult, steps: number): string[] {
  const isWell = result.kind === 'returned' && result.value === JSON.stringify([steps, true, 0, [2, 3]]) && result.logs.length === 1;
  return isWell ? [] : [`another run noticed: ${JSON.stringify(result).slice(0, 500)}`];
}
