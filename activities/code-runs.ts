import { Context } from '@temporalio/activity';
import { advanceCodeRun } from '../commands/advance-code-run.ts';
import type { Gateway } from '../commands/gateway.ts';
import type { Sandbox } from '../sandbox/open-sandbox.ts';
import type { CodeRunState } from '../workflows/contract.ts';

const HEARTBEAT_MS = 2000;

/** Effects on code runs. */
export function createCodeRunActivities(gateway: Gateway, sandbox: Sandbox) {
  return {
    /** Moves a run as far as it can go now: to a gate, or to its end. Safe to repeat: what was done is in the journal. */
    async advanceCodeRun(request: { codeRunId: string; resume: boolean; cancel: boolean }): Promise<CodeRunState> {
      const context = Context.current();
      const beat = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
      try {
        return await advanceCodeRun(gateway, sandbox, { ...request, signal: context.cancellationSignal });
      } finally {
        clearInterval(beat);
      }
    },
  };
}
