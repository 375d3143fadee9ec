import { mergeCounts } from '../../../commands/approvals/merge-counts.ts';
import { createWorkspace } from '../../../commands/workspaces/create-workspace.ts';
import { APPROVAL_STATUSES } from '../../../domain/approval.ts';
import { type Db, inSnapshot } from '../../../infra/database.ts';
import { mergeApprovalCounts } from '../../../store/approval-counts.ts';
import { type ApprovalFilter, listApprovals } from '../../../store/approval-list.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

const WRITERS = 6;
const ROUNDS = 30;
/** The minimum number of snapshots to compare during the writes. */
const READS = 10;

let bed: ApiBed;
let workspaceIds: string[];
beforeAll(async () => {
  bed = await openApiBed();
  const { id } = await createWorkspace(bed.gateway, { type: 'system', id: null }, { orgId: bed.orgId, name: 'Other', slug: 'other' });
  workspaceIds = [bed.workspaceId, id];
});
afterAll(() => bed?.close());
afterEach(async () => {
  await bed.patient('approvals').delete();
});

async function insert(db: Db, prefix: string, count: number): Promise<void> {
  await db.raw(
    `insert into approvals (id, org_id, workspace_id, source, status, integration_name, action_name, input_hash, input_preview, redacted_paths,
       risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, expires_at)
     select 'apr_' || :prefix || n, :orgId, case n % 2 when 0 then :first::uuid else :second::uuid end, case n % 3 when 0 then 'rest' else 'mcp_code' end,
       (:statuses::text[])[1 + n % 6], case n % 5 when 0 then 'http' else 'mail' end, 'send', :prefix || n, '{}', '{}', '{}', 'dashboard_only', 60,
       'reject', :prefix || n, 'api_key', now() from generate_series(1, :count) n`,
    { prefix, count, orgId: bed.orgId, first: workspaceIds[0]!, second: workspaceIds[1]!, statuses: [...APPROVAL_STATUSES] },
  );
}

function filters(): ApprovalFilter[] {
  const choices: Partial<ApprovalFilter>[][] = [
    [{}, { workspaceIds: [workspaceIds[0]!] }, { workspaceIds }, { workspaceIds: [] }],
    [{}, { status: 'pending' }, { status: 'approved' }],
    [{}, { source: 'rest' }],
    [{}, { integrationName: 'http' }, { integrationName: 'mail', actionName: 'send' }, { actionName: 'none' }],
  ];
  return choices.reduce<ApprovalFilter[]>(
    (made, more) => made.flatMap((one) => more.map((other) => ({ ...one, ...other }))),
    [{ orgId: bed.orgId }],
  );
}

function totals(db: Db, asked = filters()): Promise<{ listed: number[]; counted: number[] }> {
  return inSnapshot(db, async (tx) => {
    const listed: number[] = [];
    const counted: number[] = [];
    for (const filter of asked) {
      const { orgId, workspaceIds: among, ...exact } = filter;
      const columns = {
        status: exact.status,
        source: exact.source,
        integration_name: exact.integrationName,
        action_name: exact.actionName,
      };
      const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
      const rows = tx('approvals').where({ org_id: orgId, ...given });
      const counting = among ? rows.whereIn('workspace_id', [...among]) : rows;
      counted.push(Number((await counting.count({ total: '*' }).first())!.total));
      listed.push((await listApprovals(tx, filter, { limit: 1 })).total);
    }
    return { listed, counted };
  });
}

function sampleOf<Item>(items: Item[], count: number): Item[] {
  return Array.from({ length: count }, () => items[Math.floor(Math.random() * items.length)]!);
}

test('the total for every filter is the number of matching rows', async () => {
  const { patient } = bed;
  await insert(patient, 'a', 60);
  await patient('approvals').whereRaw("id like 'apr_a1%'").update({ status: 'consumed' });
  await patient('approvals').whereRaw("id like 'apr_a2%'").delete();
  const before = await totals(patient);
  expect(before.listed).toEqual(before.counted);
  expect(Math.max(...before.listed)).toBe(49);
  await mergeCounts(bed.gateway);
  expect(await patient('approval_count_changes')).toEqual([]);
  expect(await totals(patient)).toEqual(before);
});

test('a change that affects no count writes no count, and a rollback leaves no count', async () => {
  const { patient } = bed;
  await insert(patient, 'a', 6);
  await mergeCounts(bed.gateway);
  await patient('approvals').update({ decision_reason: 'x', status: patient.ref('status') });
  await expect(
    patient.transaction(async (tx) => {
      await tx('approvals').update({ status: 'rejected' });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await patient('approval_count_changes')).toEqual([]);
});

test('totals are exact in every snapshot while approvals change and several processes merge counts', async () => {
  const { db } = bed.gateway;
  let writing = WRITERS;
  let read = 0;
  const write = async (writer: number) => {
    const mine = `w${writer}x`;
    const own = (tx: Db) => tx('approvals').whereRaw('id like ?', [`apr_${mine}%`]);
    for (let round = 0; round < ROUNDS || read < READS; round += 1) {
      const change = db.transaction(async (tx) => {
        await insert(tx, `${mine}${round}x`, 1 + (round % 4));
        const status = APPROVAL_STATUSES[(writer + round) % APPROVAL_STATUSES.length]!;
        await own(tx).whereRaw('hashtext(id) % 3 = 0').update({ status });
        if (round % 5 === 0) await own(tx).whereRaw('hashtext(id) % 4 = 1').delete();
        if (round % 7 === 3) throw new Error('rolled back');
      });
      await change.catch((error: Error) => {
        if (error.message !== 'rolled back') throw error;
      });
    }
    writing -= 1;
  };
  const merge = async () => {
    while (writing > 0) await mergeApprovalCounts(db, 7);
  };
  const differing: object[] = [];
  const compare = async () => {
    while (writing > 0) {
      const found = await totals(db, sampleOf(filters(), 6));
      if (found.listed.join() !== found.counted.join()) differing.push(found);
      read += 1;
    }
  };
  await Promise.all([...Array.from({ length: WRITERS }, (_, writer) => write(writer)), merge(), merge(), compare()]);
  expect(differing).toEqual([]);
  await mergeCounts(bed.gateway);
  const { listed, counted } = await totals(db);
  expect(listed).toEqual(counted);
  expect(await db('approval_counts').where('total', '<', 0)).toEqual([]);
});
