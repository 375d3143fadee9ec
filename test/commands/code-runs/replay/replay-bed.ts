import type { ReplayView } from '../../../../commands/code-runs/replay/preview-replay.ts';
import { type ReplayCodeRun, replayCodeRun } from '../../../../commands/code-runs/replay/replay-code-run.ts';
import type { CodeRun } from '../../../../domain/code-run.ts';
import type { KeyPrincipal } from '../../../../domain/principal.ts';
import { findCodeRun } from '../../../../store/code-runs.ts';
import { type DrivenRuns, openDrivenRuns } from '../driven-runs.ts';
import { aPlace, type Place } from '../gated-world.ts';

/** Executes runs and replays them. */
export interface ReplayBed extends DrivenRuns {
  aPlace(): Promise<Place & { tag: string }>;
  /** Executes a program until it ends or waits for approval. */
  record(place: Place, code: string): Promise<{ run: CodeRun; approvalId: string | undefined }>;
  read(id: string): Promise<CodeRun>;
  replay(run: CodeRun, code: string, given?: { signal?: AbortSignal; limitSeconds?: number }): ReturnType<typeof replayCodeRun>;
}

/** Opens the bed with a real sandbox and a real database. */
export async function openReplayBed(): Promise<ReplayBed> {
  const runs = await openDrivenRuns();
  let places = 0;
  const read = async (id: string) => (await findCodeRun(runs.gateway.db, id))!;
  return {
    ...runs,
    read,
    aPlace: async () => {
      places += 1;
      const tag = `replay${places}`;
      return { ...(await aPlace(runs.gateway, tag, { name: 'x', amount: 1, op: 'pay' })), tag };
    },
    record: async (place, code) => {
      const { said, run } = await runs.execute(place, { code });
      return { run: await read(run.id), approvalId: said.approval?.id };
    },
    replay: (run, code, { signal = new AbortController().signal, limitSeconds = 300 } = {}) => {
      const { config } = runs.gateway;
      const sandboxes = { ...runs.gateway.sandboxes, isolates: async () => runs.sandbox };
      const gateway = { ...runs.gateway, sandboxes, config: { ...config, code: { ...config.code, limitSeconds } } };
      const request: ReplayCodeRun = { run, code, signal };
      return replayCodeRun(gateway, principalOf(run), request);
    },
  };
}

function principalOf({ orgId }: CodeRun): KeyPrincipal {
  const rights = { workspaceIds: 'all', mayDecide: true, policiesVersion: 1, seenAt: new Date() } as const;
  return { type: 'user', id: '33333333-3333-4333-8333-333333333333', orgId, name: 'Ada', ...rights };
}

/**
 * Returns a row for each call: [comparison with the record, number in the record, whether the
 * replay answered the call].
 */
export const rowsOf = ({ calls }: ReplayView) => calls.map(({ is, recorded, replayed }) => [is, recorded, replayed?.isAnswered ?? null]);

/** The rows of answered calls that equal the record, by their numbers in the record. */
export const same = (...recorded: number[]) => recorded.map((number) => ['same', number, true]);
