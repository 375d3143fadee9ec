import { backtestPolicy } from '../../../commands/policies/backtest-policy.ts';
import { openPolicyHistory } from '../../../commands/policies/policy-history.ts';
import { type Replayed, replayCall } from '../../../domain/policies/replay-call.ts';
import type { KeyPrincipal } from '../../../domain/principal.ts';
import { FairScheduler } from '../../../infra/concurrency/fair-scheduler.ts';
import { listCalls } from '../../../store/call-facts.ts';
import { extent } from '../../support/extent.ts';
import { thePolicy } from '../../support/the-policy.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

const POLICIES = '/api/v1/approval-policies';
const CALLS = extent({ whole: 100_000, sample: 3000 });

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed();
});
afterAll(() => bed?.close());

const hash = (text: string) =>
  bed.api.post('/api/v1/actions/execute', {
    ...{ workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash' },
    input: { text },
  });
const TEXTS = ['https://a.example', 'https://b.example', 'ann@a.example', 'plain', '900', 'https://c.example?password=hunter2@a.example'];
const aPolicy = async (fields: object) => (await bed.api.must(200).post(POLICIES, { name: 'x', ...fields })).policy.id as string;

test('a replay of many stored calls with the policies of their time yields the original decisions', async () => {
  const everything = async () => {
    for (const text of TEXTS) await hash(text);
  };
  await everything();
  const first = await aPolicy({ decision: 'block', rules: { domainDenylist: ['a.example'] } });
  await everything();
  const second = await aPolicy({ decision: 'auto_approve', priority: 1, rules: { amountThresholds: [{ path: 'text', gte: 500 }] } });
  await everything();
  await bed.api.must(200).patch(`${POLICIES}/${first}`, { decision: 'notify_only', rules: { domainAllowlist: ['a.example'] } });
  await everything();
  await bed.api.must(200).delete(`${POLICIES}/${second}`);
  await aPolicy({ decision: 'block', priority: 2, mode: 'shadow' });
  await everything();
  const calls = bed.patient('calls').where({ org_id: bed.orgId });
  const [{ count: made }] = (await calls.clone().count()) as [{ count: string }];
  expect(Number(made)).toBe(5 * TEXTS.length);
  await bed.patient.raw(
    `insert into calls (org_id, workspace_id, source, integration_name, integration_alias, action_name, requested_by_type, input_hash, status, facts, started_at)
     select org_id, workspace_id, source, integration_name, integration_alias, action_name, requested_by_type, input_hash, status, facts,
       started_at - n * interval '10 ms'
     from calls, generate_series(1, ?::int) n where org_id = ? limit ?::int`,
    [Math.ceil(CALLS / Number(made)), bed.orgId, CALLS - Number(made)],
  );

  const filter = {
    orgId: bed.orgId,
    workspaceIds: 'all',
    from: new Date(Date.now() - 86_400_000),
    to: new Date(Date.now() + 60_000),
  } as const;
  const history = await openPolicyHistory(bed.gateway.db, bed.orgId, filter.from);
  const differing: unknown[] = [];
  let judged = 0;
  for (let after: { at: string; id: string } | undefined, size = 1000; size === 1000; ) {
    const page = await listCalls(bed.gateway.db, filter, { limit: 1000, after });
    for (const { facts, ...call } of page) {
      const policies = await history.at(facts!.policiesVersion!);
      const replayed: Replayed = replayCall(policies!, { ...call, facts: facts! });
      const was = { decision: facts!.decidedBy?.decision ?? 'allow', policyId: facts!.decidedBy?.policyId ?? null };
      if ('unjudged' in replayed) continue;
      judged += 1;
      if (JSON.stringify(replayed) !== JSON.stringify(was)) differing.push([was, replayed]);
    }
    after = page.at(-1)?.cursor;
    size = page.length;
  }
  expect(differing).toEqual([]);
  expect(judged).toBeGreaterThan(0.8 * CALLS);

  const tried = await bed.api.must(200).post(`${POLICIES}/backtest`, { policy: { priority: 9999, decision: 'auto_approve' } });
  expect(tried.total).toBe(CALLS);
  expect(tried.decisions.filter(({ was, would }: Record<string, string>) => was !== would)).toEqual([
    { was: 'allow', would: 'auto_approve', calls: tried.byDecision.auto_approve - autoApproved(tried.decisions) },
  ]);
});

const autoApproved = (decisions: { was: string; calls: number }[]) => decisions.find(({ was }) => was === 'auto_approve')?.calls ?? 0;

test('a backtest ends after the current batch if its caller disconnects', async () => {
  const gone = new AbortController();
  let batches = 0;
  const backtests = Object.assign(new FairScheduler({ maxConcurrent: 1, maxPerTenant: 1, reserved: 0 }), {
    run: async (_: unknown, work: () => Promise<unknown>) => {
      batches += 1;
      const done = await work();
      gone.abort(new Error('the caller has gone'));
      return done;
    },
  }) as FairScheduler;
  const gateway = { ...bed.gateway, schedulers: { ...bed.gateway.schedulers, backtests } };
  const principal: KeyPrincipal = {
    ...{ type: 'api_key', id: 'k', name: 'k', orgId: bed.orgId, workspaceIds: 'all', mayDecide: true },
    ...{ policiesVersion: 0, seenAt: new Date() },
  };
  const fields = { ...thePolicy(), rules: {} };
  const asked = backtestPolicy(gateway, principal, { fields, references: fields, days: 1 }, gone.signal);
  await expect(asked).rejects.toThrow('the caller has gone');
  expect(batches).toBe(2);
});
