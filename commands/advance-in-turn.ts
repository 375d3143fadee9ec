import type { Sandbox } from '../sandbox/open-sandbox.ts';
import { findOrgOfCodeRun } from '../store/code-runs.ts';
import { type AdvanceCodeRun, type AdvancedCodeRun, advanceCodeRun, PassAwaitedError } from './advance-code-run.ts';
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
 * and what needs no pass is done: an ending, a question to people. Throws TurnAwaitedError.
 */
export async function advanceInTurn(gateway: Gateway, sandbox: Sandbox, request: AdvanceInTurn): Promise<AdvancedCodeRun> {
  const { orgId, askedAt, patienceMs, signal, ...move } = request;
  const { forPasses } = gateway.turns;
  const advance = (mayPass: boolean) => advanceCodeRun(gateway, sandbox, { ...move, signal, mayPass });
  if (move.cancel) return advance(false);
  const party = orgId ?? (await findOrgOfCodeRun(gateway.db, move.codeRunId)) ?? '';

  const atOnce = new AbortController();
  const advanced = forPasses(party, atOnce.signal, () => advance(true), askedAt);
  // Has no effect on one that has got its place.
  atOnce.abort(NO_PLACE);
  return advanced.catch(async (error) => {
    if (error !== NO_PLACE) throw error;
    const done = await advance(false).catch(unlessPassAwaited);
    if (done) return done;
    const patience = AbortSignal.timeout(patienceMs);
    return forPasses(party, AbortSignal.any([signal, patience]), () => advance(true), askedAt).catch((reason) => {
      throw reason === patience.reason ? new TurnAwaitedError('waits for its turn') : reason;
    });
  });
}

const NO_PLACE = new Error('no place is free');

function unlessPassAwaited(error: unknown): undefined {
  if (!(error instanceof PassAwaitedError)) throw error;
}
