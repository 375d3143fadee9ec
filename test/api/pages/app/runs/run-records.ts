import { hashJson } from '../../../../../commands/calls/hash-call.ts';
import { REPLAY_VERSION } from '../../../../../domain/code-run.ts';
import type { JournalCall } from '../../../../support/record-run.ts';
import { recordRun } from '../../../../support/record-run.ts';
import type { ApiBed } from '../../../api-bed.ts';
import { anApprovalOf } from '../../page-bed.ts';
import { approve, aRun } from '../../page-records.ts';
import { CODE, SLACK } from '../../page-states.ts';
import { RESULT, RUN_STATES } from '../../run-states.ts';
import { pageBed } from '../app-bed.ts';

/** Creates a run in a state of RUN_STATES. */
export async function aRunIn(bed: ApiBed, state: string): Promise<string> {
  const link = await RUN_STATES[state]!(pageBed(bed));
  const id = /\/approve\/([^/?]+)/.exec(link)![1]!;
  return (await bed.gateway.db('approvals').where({ id }).first('code_run_id')).code_run_id;
}

/** Creates a run. Its second call waited an hour for an approval and then failed. */
export async function aRunThatWaited(bed: ApiBed): Promise<{ id: string; approvalId: string }> {
  const start = Date.now() - 7_200_000;
  const at = (ms: number) => new Date(start + ms);
  const calls: JournalCall[] = [
    { number: 0, tool: 'crm.list', status: 'succeeded', line: 2, input: { unpaid: true }, outcome: { ok: true, output: 1 } },
    { number: 1, tool: 'mail.send', status: 'failed', line: 10, outcome: { ok: false, error: { code: 'ACTION_FAILED', message: 'No' } } },
  ];
  const { db } = bed.gateway;
  const { id } = await aRun(pageBed(bed), CODE);
  await recordRun(db, { id, orgId: bed.orgId, workspaceId: bed.workspaceId }, { status: 'executed', calls, result: RESULT });
  const approval = await anApprovalOf(pageBed(bed), { a: 1 }, { ...SLACK, codeRunId: id, callNumber: 1, source: 'mcp_code' });
  await approve(pageBed(bed), approval);
  const change = (table: string, where: object, columns: object) => db(table).where(where).update(columns);
  await change('approvals', { id: approval.id }, { created_at: at(500), decided_at: at(3_600_500) });
  await change('code_runs', { id }, { created_at: at(0), clock_started_at: at(0), finished_at: at(3_602_400) });
  const call = (number: number) => ({ code_run_id: id, call_number: number });
  await change('calls', call(0), { started_at: at(100), finished_at: at(400) });
  await change('calls', call(1), { started_at: at(3_600_500), finished_at: at(3_601_000), approval_id: approval.id });
  return { id, approvalId: approval.id };
}

/** The program of `aReplayableRun`. */
export const REPLAYABLE = `const apiKey = "sk_live_abcdefghijklmnop1234";
const customers = await svc.crm.list({ unpaid: true });
for (const to of customers) await svc.mail.send({ to });
console.log('sent', customers.length);
return { sent: customers.length };`;

/** Creates a run of REPLAYABLE that can be replayed. */
export async function aReplayableRun(bed: ApiBed): Promise<string> {
  const { db } = bed.gateway;
  const to = ['ada@example.com', 'grace@example.com'];
  const calls: JournalCall[] = [
    { number: 0, tool: 'crm.list', status: 'succeeded', line: 2, input: { unpaid: true }, outcome: { ok: true, output: to } },
    ...to.map(
      (address, index): JournalCall => ({
        ...{ number: index + 1, tool: 'mail.send', status: 'succeeded', line: 3, input: { to: address } },
        outcome: { ok: true, output: null },
      }),
    ),
  ];
  const { id } = await aRun(pageBed(bed), REPLAYABLE);
  const logs = [{ level: 'log' as const, message: 'sent 2', timestamp: '2026-11-21T10:00:00.120Z' }];
  const result = { ...RESULT, output: { sent: 2 }, logs };
  await recordRun(db, { id, orgId: bed.orgId, workspaceId: bed.workspaceId }, { status: 'executed', calls, result });
  await db('code_runs').where({ id }).update({ clock_started_at: db.fn.now(), replay_version: REPLAY_VERSION });
  for (const { number, tool, input } of calls)
    await db('calls')
      .where({ code_run_id: id, call_number: number })
      .update({ request_hash: hashJson([...tool.split('.'), input]), completion_number: number + 1 });
  return id;
}
