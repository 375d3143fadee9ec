import type { RecordedTimer } from '../domain/code-run.ts';
import { type Db, runPrepared } from '../infra/database.ts';
import { type Fence, writtenRow } from './fence.ts';

const INSERT_TIMERS = {
  name: 'journal-insert-timers',
  text: `with fence as (select id from code_runs where id = $1 and pass_number = $2 for share)
         insert into code_run_timers (code_run_id, number, delay_ms, due_at, due_ms)
         select id, timer.* from fence, unnest($3::int[], $4::int[], $5::timestamptz[], $6::bigint[]) timer returning number`,
};

export type NewTimer = Pick<RecordedTimer, 'number' | 'delayMs' | 'dueAt'> & { dueMs: number };

/** Records timers. Throws PassReplacedError if another pass has taken over. */
export async function insertTimers(db: Db, { codeRunId, passNumber }: Fence, timers: readonly NewTimer[]): Promise<void> {
  const column = <Value>(read: (timer: NewTimer) => Value) => timers.map(read);
  const rows = await runPrepared(db, INSERT_TIMERS, [
    codeRunId,
    passNumber,
    column(({ number }) => number),
    column(({ delayMs }) => delayMs),
    column(({ dueAt }) => dueAt),
    column(({ dueMs }) => Math.round(dueMs)),
  ]);
  writtenRow(rows);
}

const FINISH_TIMER = {
  name: 'journal-finish-timer',
  text: `with fence as (select id from code_runs where id = $1 and pass_number = $2 for share)
         update code_run_timers set completion_number = $4, completed_at = $5 from fence where code_run_id = fence.id and number = $3 returning number`,
};

export async function finishTimer(
  db: Db,
  { codeRunId, passNumber }: Fence,
  timer: { number: number; completionNumber: number; completedAt: Date },
): Promise<void> {
  writtenRow(await runPrepared(db, FINISH_TIMER, [codeRunId, passNumber, timer.number, timer.completionNumber, timer.completedAt]));
}
