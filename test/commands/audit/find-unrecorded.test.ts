import { expireUnusedApproval } from '../../../commands/approvals/expire-unused-approval.ts';
import { timeOutApproval } from '../../../commands/approvals/time-out-approval.ts';
import { findUnrecorded } from '../../../commands/audit/find-unrecorded.ts';
import { sealActivity } from '../../../commands/audit/seal-activity.ts';
import { verifyActivity } from '../../../commands/audit/verify-activity.ts';
import type { Db } from '../../../infra/database.ts';
import { countOlderThanTrail } from '../../../store/unrecorded.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
let life: Life;
beforeAll(async () => {
  bed = await openApiBed();
  life = await aLife();
  await sealActivity(bed.gateway.db);
});
afterAll(() => bed.close());

const call = (text: string) => ({ workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text } });
const execute = (text: string) => bed.api.post('/api/v1/actions/execute', call(text));
const ask = async (text: string): Promise<string> => (await bed.api.must(202).post('/api/v1/actions/execute', call(text))).approval.id;
const decide = (id: string, decision: string) => bed.api.must(200).post(`/api/v1/approvals/${id}/${decision}`);
const aPolicy = async (fields: object): Promise<string> =>
  (await bed.api.must(200).post('/api/v1/approval-policies', { name: 'x', ...fields })).policy.id;
const runOut = (table: string, where: object) =>
  bed
    .patient(table)
    .where(where)
    .update({ expires_at: bed.patient.raw("now() - interval '1 second'") });

async function aLife() {
  const approvers = [{ type: 'webhook', webhookUrl: 'https://hooks.example.com/approvals' }];
  const policy = await aPolicy({ approvers });
  await bed.api.must(200).patch(`/api/v1/approval-policies/${policy}`, { priority: 7 });
  const [used, unused, rejected, canceled, late, pending] = [
    await ask('used'),
    await ask('unused'),
    await ask('rejected'),
    await ask('canceled'),
    await ask('late'),
    await ask('pending'),
  ];
  for (const id of [used, unused]) await decide(id, 'approve');
  expect((await execute('used')).status).toBe(200);
  await decide(rejected, 'reject');
  await decide(canceled, 'cancel');
  await runOut('receipts', { approval_id: unused });
  await expireUnusedApproval(bed.gateway, unused);
  await runOut('approvals', { id: late });
  await timeOutApproval(bed.gateway, late);
  const gone = await aPolicy({ priority: 1, decision: 'auto_approve', actionNames: ['encode'] });
  const { body } = await bed.api.post('/api/v1/actions/execute', {
    ...call('x'),
    actionName: 'encode',
    input: { text: 'x', encoding: 'hex' },
  });
  expect(body.code).toBeUndefined();
  await bed.api.must(200).delete(`/api/v1/approval-policies/${gone}`);
  const block = await aPolicy({ priority: 2, decision: 'block', actionNames: ['hash'], integrationAliases: [] });
  expect((await execute('blocked')).status).toBe(403);
  const [blocked] = await bed.patient('calls').where({ status: 'blocked' }).pluck('id');
  const [made] = await bed.patient('calls').where({ approval_id: used }).pluck('id');
  const [letThrough] = await bed.patient('approvals').where({ decided_by_type: 'policy' }).pluck('id');
  const [encoded] = await bed.patient('calls').where({ approval_id: letThrough }).pluck('id');
  return { policy, gone, block, used, unused, rejected, canceled, late, pending, blocked, made, letThrough, encoded };
}

type Life = Awaited<ReturnType<typeof aLife>>;

const TABLES = ['activity', 'activity_seals', 'activity_heads', 'activity_unsealed'];

const GONE = 'delete from activity; delete from activity_seals; delete from activity_heads';

/** Runs SQL with triggers off, as only the owner of the tables can. Returns the problems found. */
async function afterTampering(sql: string, bindings: Record<string, unknown> = {}) {
  const tx = await bed.patient.transaction();
  try {
    for (const table of TABLES) await tx.raw('alter table ?? disable trigger user', [table]);
    for (const statement of sql.split(';'))
      expect((await tx.raw(statement, bindings as Record<string, string>)).rowCount).toBeGreaterThan(0);
    const ofChain: string[] = [];
    await verifyActivity(tx, bed.orgId, ({ problem }) => ofChain.push(problem));
    return { missing: await missing(tx), ofChain };
  } finally {
    await tx.rollback();
  }
}

async function missing(db: Db): Promise<string[]> {
  return ((await findUnrecorded(db)).get(bed.orgId) ?? []).map(({ problem }) => problem);
}

test('in an intact activity log nothing is missing', async () => {
  expect(await missing(bed.gateway.db)).toEqual([]);
});

test('if the activity log is empty, the check names every record that needs a row', async () => {
  const found = await afterTampering(GONE);
  const asked = [life.used, life.unused, life.rejected, life.canceled, life.late, life.pending];
  const expected = [
    ...asked.map((id) => `the approval ${id} has no row approval.requested`),
    `the approval ${life.letThrough} has no row call.let_through`,
    ...[life.used, life.unused].map((id) => `the approval ${id} has no row approval.approved`),
    `the approval ${life.used} has no row approval.consumed`,
    `the approval ${life.rejected} has no row approval.rejected`,
    `the approval ${life.canceled} has no row approval.canceled`,
    ...[life.unused, life.late].map((id) => `the approval ${id} has no row approval.expired`),
    `the call ${life.made} has no row approval.consumed`,
    `the call ${life.encoded} has no row call.let_through`,
    `the call ${life.blocked} has no row call.blocked`,
    `the policy ${life.policy} version 1 has no row policy.created`,
    `the policy ${life.policy} version 2 has no row policy.updated`,
    `the policy ${life.block} version 1 has no row policy.created`,
  ];
  expect([found.ofChain, found.missing.sort()]).toEqual([[], expected.sort()]);
});

test('the check names the missing rows of a truncated log, although the chain is valid', async () => {
  const found = await afterTampering(
    `delete from activity where id in (select activity_id from activity_seals where position > :kept);
     delete from activity_seals where position > :kept;
     update activity_heads set position = :kept, hash = (select hash from activity_seals where position = :kept)`,
    { kept: 3 },
  );
  expect(found.ofChain).toEqual([]);
  expect(found.missing).toContain(`the approval ${life.pending} has no row approval.requested`);
  expect(found.missing).not.toContain(`the policy ${life.policy} version 2 has no row policy.updated`);
});

test.each<[string, string, () => [string, string]]>([
  [
    'of a deleted policy',
    `policy_id = :id and type = 'policy.deleted'`,
    () => [life.gone, `policy ${life.gone} version 1 has no row policy.deleted`],
  ],
  [
    'of a policy change',
    'policy_id = :id and policy_version = 2 and approval_id is null',
    () => [life.policy, `policy ${life.policy} version 2 has no row policy.updated`],
  ],
  ['of a blocked call', 'call_id = :id', () => [life.blocked, `call ${life.blocked} has no row call.blocked`]],
])('a missing row %s is found', async (_, where, which) => {
  const [id, problem] = which();
  expect((await afterTampering(`delete from activity where ${where}`, { id })).missing).toEqual([`the ${problem}`]);
});

test('an approval that was reset to pending is found through its receipt', async () => {
  const { missing } = await afterTampering(
    `delete from activity where approval_id = :id and type in ('approval.approved', 'approval.expired');
     update approvals set status = 'pending', decided_at = null where id = :id`,
    { id: life.unused },
  );
  expect(missing).toEqual([`the approval ${life.unused} has no row approval.approved`]);
});

test('a successful delivery must have a row', async () => {
  const [{ id }] = await bed.patient('webhook_deliveries').limit(1);
  const sql = `update webhook_deliveries set status = 'success', delivered_at = now() where id = :id`;
  expect((await afterTampering(sql, { id })).missing).toEqual([`the delivery ${id} has no row webhook.delivered`]);
});

test('the check names at most a hundred missing rows and counts the others', async () => {
  const { missing } = await afterTampering('update approval_policies set version = 262 where id = :id', { id: life.policy });
  expect([missing.length, missing[0], missing.at(-1)]).toEqual([
    101,
    expect.stringMatching(`^the policy ${life.policy} version \\d+ has no row policy.updated$`),
    'and 160 more rows are missing',
  ]);
});

async function anHourAgo(): Promise<void> {
  const columns = {
    approvals: ['created_at', 'decided_at', 'consumed_at', 'updated_at'],
    receipts: ['created_at'],
    calls: ['started_at'],
    approval_policies: ['created_at', 'updated_at'],
  };
  for (const [table, names] of Object.entries(columns))
    await bed.patient(table).update(Object.fromEntries(names.map((name) => [name, bed.patient.raw("?? - interval '1 hour'", [name])])));
}

test('a record older than the activity log needs no row until the record changes', async () => {
  await bed.patient.raw(`update schema_migrations set migration_time = now() where name = '0013_activity.ts'`);
  expect(await countOlderThanTrail(bed.gateway.db)).toEqual(new Map());
  await anHourAgo();
  expect(await countOlderThanTrail(bed.gateway.db)).toEqual(new Map([[bed.orgId, 9]]));
  await bed.patient.raw('alter table activity disable trigger user; delete from activity; alter table activity enable trigger user');
  await bed.api.must(200).patch(`/api/v1/approval-policies/${life.policy}`, { priority: 8 });
  await decide(life.pending, 'approve');
  expect(await missing(bed.gateway.db)).toEqual([]);
  expect((await afterTampering('delete from activity')).missing).toEqual([
    `the approval ${life.pending} has no row approval.approved`,
    `the policy ${life.policy} version 3 has no row policy.updated`,
  ]);
});
