import { randomUUID } from 'node:crypto';
import { readRunnable } from '../reader/read-code.ts';
import type { Sandbox } from './open-sandbox.ts';
import type { CodePrincipal, PassHost, PassResult } from './pass.ts';
import { LOG_CUT } from './pass-log.ts';

export interface Computation {
  code: string;
  /** JSON of the value that the code sees as `inputs`. */
  inputs: string;
  limits: { timeMs: number; memoryMb: number };
  principal: CodePrincipal;
}

/**
 * Runs JavaScript once, with `inputs` and without `svc`. An error of the code is a result, not a
 * rejection.
 */
export async function compute(
  sandbox: Sandbox,
  { code, inputs, limits, principal }: Computation,
  signal: AbortSignal,
): Promise<PassResult & { isLogCut: boolean; durationMs: number }> {
  const begunAt = performance.now();
  const host = timerHost();
  try {
    const program = readRunnable(code, 'inputs', principal.orgId);
    const request = { principal, program, inputs, surface: {}, seed: randomUUID(), startedAt: Date.now(), limits };
    const result = await sandbox.runPass(request, host, signal);
    return { ...result, durationMs: Math.round(performance.now() - begunAt), isLogCut: result.logs.at(-1)?.message === LOG_CUT };
  } finally {
    host.close();
  }
}

function timerHost(): PassHost & { close(): void } {
  const waiting: { number: number; dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  return {
    onEvents(events) {
      const now = Date.now();
      for (const event of events) if (event.kind === 'timer') waiting.push({ number: event.number, dueAt: now + event.delayMs });
      waiting.sort((a, b) => a.dueAt - b.dueAt || a.number - b.number);
    },
    async nextCompletion() {
      const { number, dueAt } = waiting.shift()!;
      await new Promise<void>((resolve) => {
        timer = setTimeout(resolve, Math.max(0, dueAt - Date.now()));
      });
      return { number, now: Math.max(dueAt, Date.now()), ok: true, value: 'null' };
    },
    close: () => clearTimeout(timer),
  };
}
