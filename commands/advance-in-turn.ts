import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { RUN_MOVED } from '../store/code-run-moves.ts';
import { findCodeRun, findOrgOfCodeRun } from '../store/code-runs.ts';
import { type AdvanceCodeRun, advanceCodeRun, PassAwaitedError, RunLeasedError } from './advance-code-run.ts';
import type { AdvancedCodeRun } from './end-code-run.ts';
import { atOnce, NoPlaceError } from './fair-turns.ts';
import type { Gateway } from './gateway.ts';

/** Thrown when a run's turn has not come: it is to be offered to all workers again, as another one may have a place for it. */
export class TurnAwaitedError extends Error {
  override name = 'TurnAwaitedError';
}

export interface AdvanceInTurn extends Omit<AdvanceCodeRun, 'mayPass'> {
  /** Undefined in histories of before. */
  orgId: string | undefined;
  /** Epoch milliseconds; what was asked for first comes first. */
  askedAt: number;
  /** So long this worker keeps the run waiting. */
  patienceMs: number;
}

/**
 * Moves a run on, its passes in turns with those of other organizations. While it waits it holds no process, none of its running time passes,
 * and what needs no pass is done: an ending, a question to people. A pass that began ahead is waited for. Throws TurnAwaitedError.
 */
export async function advanceInTurn(gateway: Gateway, sandbox: Sandbox, request: AdvanceInTurn): Promise<AdvancedCodeRun> {
  for (;;) {
    try {
      const state = await takeTurn(gateway, sandbox, request);
      // Somebody else is at it, in a pass that has no lease: it comes to an end, or breaks off.
      if (state.status === 'running') throw new TurnAwaitedError('is under way elsewhere');
      return state;
    } catch (error) {
      if (!(error instanceof RunLeasedError)) throw error;
      await untilFree(gateway, request.codeRunId, request.signal);
    }
  }
}

/** A lease that nobody renews is over sooner than this. */
const LOOK_AGAIN_MS = 2500;

async function untilFree({ db, notices }: Gateway, codeRunId: string, signal: AbortSignal): Promise<void> {
  const check = async () => (signal.aborted || !(await findCodeRun(db, codeRunId))?.isLeased ? true : undefined);
  while (!(await notices.waitFor(RUN_MOVED, codeRunId, LOOK_AGAIN_MS, check))) {}
  signal.throwIfAborted();
}

async function takeTurn(gateway: Gateway, sandbox: Sandbox, request: AdvanceInTurn): Promise<AdvancedCodeRun> {
  const { orgId, askedAt, patienceMs, signal, ...move } = request;
  const { forPasses } = gateway.turns;
  const advance = (mayPass: boolean) => advanceCodeRun(gateway, sandbox, { ...move, signal, mayPass });
  if (move.cancel) return advance(false);
  const party = orgId ?? (await findOrgOfCodeRun(gateway.db, move.codeRunId)) ?? '';

  return atOnce(forPasses, party, () => advance(true), askedAt).catch(async (error) => {
    if (!(error instanceof NoPlaceError)) throw error;
    const done = await advance(false).catch(unlessPassAwaited);
    if (done) return done;
    const patience = AbortSignal.timeout(patienceMs);
    return forPasses(party, AbortSignal.any([signal, patience]), () => advance(true), askedAt).catch((reason) => {
      throw reason === patience.reason ? new TurnAwaitedError('waits for its turn') : reason;
    });
  });
}

function unlessPassAwaited(error: unknown): undefined {
  if (!(error instanceof PassAwaitedError)) throw error;
}
