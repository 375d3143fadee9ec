import { createWorkspace } from '../../../commands/workspaces/create-workspace.ts';
import { findApprovalReview } from '../../../store/approval-reviews.ts';
import type { NewApproval } from '../../../store/approvals.ts';
import { readPlans } from '../read-plans.ts';
import { anApproval, anApprovalOf, decide, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aMember, approve, asPerson } from './page-records.ts';
import { aCallWithHistory, aProgramWithHistory, CODE } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

let made = 0;
/** Names a new action, because a new action has no history. */
const anAction = (): Partial<NewApproval> => ({ actionName: `action_${made++}` });

test('a call is compared with the last approved call of the same action', async () => {
  const { text, html } = await read(linkOf(bed, await aCallWithHistory(bed)));
  expect(text).toContain('Compared with what was approved less than a minute ago: 2 changed, 1 added, 1 removed .');
  expect(text).toContain('channel changed Before: − #general Now: + #launches');
  expect(text).toMatch(/for Removed: October Added: November is done: Removed: 209 Added: 214 invoices/);
  expect(text).toContain('notify.1 added Now: + ada@example.com');
  expect(text).toContain('thread removed Before: − 1700000000.000100');
  expect(text).toContain('Not compared: hidden or cut headers.Authorization');
  expect(text).toContain('Unchanged: 2 values notify.0 unfurl');
  expect(html).toMatch(/<del>.*#general.*<\/del>/s);
});

test('a program is compared line by line with the last approved program on its server', async () => {
  const { text } = await read(linkOf(bed, await aProgramWithHistory(bed)));
  expect(text).toContain('2 lines added, 2 removed');
  expect(text).toContain('Removed: await svc.mail.send_email({ ...letter, body: "Please pay soon." });');
  expect(text).toContain('Added: await svc.mail.send_email({ ...letter, body: "Please pay within 14 days." });');
  expect(text).toContain('Not compared: hidden or cut what is hidden in the program');
  expect(CODE).toContain('sk_live_');
  expect(text).not.toContain('sk_live_');
});

test('only a person who can decide sees the last approved call', async () => {
  const action = anAction();
  await approve(bed, await anApprovalOf(bed, { mark: 'OTHER' }, action));
  const [owner, viewer] = [await aMember(bed, 'owner'), await aMember(bed, 'viewer')];
  const approval = await anApprovalOf(bed, { mark: 'MINE' }, { ...action, approvers: [{ type: 'dashboard_user', userIds: [owner.id] }] });
  expect((await read(asPerson(bed, approval, owner))).text).toContain('OTHER');
  const { text } = await read(asPerson(bed, approval, viewer));
  expect([text.includes('MINE'), text.includes('OTHER')]).toEqual([true, false]);
});

test('without an earlier approval there is no comparison', async () => {
  const { text } = await read(linkOf(bed, await anApprovalOf(bed, { a: 1 }, anAction())));
  expect(text).not.toContain('Compared with');
});

test('if only hidden values can differ, the page does not claim that everything is the same', async () => {
  const action = anAction();
  await approve(bed, await anApprovalOf(bed, { to: 'ada', password: 'one' }, action));
  const { text } = await read(linkOf(bed, await anApprovalOf(bed, { to: 'ada', password: 'two' }, action)));
  expect(text).toContain(': nothing that is shown differs .');
  await approve(bed, await anApprovalOf(bed, { to: 'ada', password: 'two' }, action));
  const again = await read(linkOf(bed, await anApprovalOf(bed, { to: 'ada', password: 'two' }, action)));
  expect(again.text).toContain(': nothing that is shown differs .');
});

test('a call is compared with the newest approved call', async () => {
  const action = anAction();
  await approve(bed, await anApprovalOf(bed, { step: 'first' }, action));
  await approve(bed, await anApprovalOf(bed, { step: 'second' }, action));
  expect((await read(linkOf(bed, await anApprovalOf(bed, { step: 'third' }, action)))).text).toContain('Before: − second Now: + third');
});

test.each<[string, (mine: Partial<NewApproval>) => Promise<unknown>]>([
  ['rejected', async (mine) => decide(linkOf(bed, await anApprovalOf(bed, { mark: 'OTHER' }, mine)), 'reject')],
  ['still waiting', async (mine) => anApprovalOf(bed, { mark: 'OTHER' }, mine)],
  ['of another end user', async (mine) => approve(bed, await anApprovalOf(bed, { mark: 'OTHER' }, { ...mine, endUserId: 'somebody' }))],
  ['of another integration', async (mine) => approve(bed, await anApprovalOf(bed, { mark: 'OTHER' }, { ...mine, integrationName: 'x' }))],
  [
    'of another workspace',
    async (mine) => {
      const { id } = await createWorkspace(
        bed.gateway,
        { type: 'system', id: null },
        { orgId: bed.org.orgId, name: 'Elsewhere', slug: `elsewhere-${made}` },
      );
      await approve(bed, await anApprovalOf(bed, { mark: 'OTHER' }, { ...mine, workspaceId: id }));
    },
  ],
  [
    'of the access mode dashboard_only',
    async (mine) => approve(bed, await anApprovalOf(bed, { mark: 'OTHER' }, { ...mine, approvalAccessMode: 'dashboard_only' })),
  ],
  [
    'let through by a policy',
    async (mine) => {
      const { id } = await anApprovalOf(bed, { mark: 'OTHER' }, mine);
      const consumed = { status: 'consumed', decided_by_type: 'policy', decided_at: bed.gateway.db.fn.now() };
      await bed.gateway.db('approvals').where({ id }).update(consumed);
    },
  ],
])('a call is not compared with an earlier call that is %s', async (_, makeOther) => {
  const mine = anAction();
  await makeOther(mine);
  const { text } = await read(linkOf(bed, await anApprovalOf(bed, { mark: 'MINE' }, mine)));
  expect(text).not.toContain('Compared with');
  expect(text).not.toContain('OTHER');
});

test('one index look-up finds the last approved call among 5,000', async () => {
  const action = anAction();
  const approval = await anApproval(bed, action);
  const fill = `insert into approvals (id, org_id, workspace_id, source, status, integration_name, action_name, input_hash, input_preview, redacted_paths,
      risk_reasons, approval_access_mode, timeout_seconds, default_on_timeout, idempotency_key, requested_by_type, expires_at, decided_by_type, decided_at)
    select 'apr_many' || n, :orgId, :workspaceId, 'rest', 'consumed', 'http', :actionName, n::text, json_build_object('n', n), '{}',
      '{}', 'hosted_link_only', 3600, 'reject', 'idem_' || n, 'api_key', now(), 'hosted_link', now() - n * interval '1 second'
    from generate_series(1, 5000) n`;
  const { orgId, workspaceId } = bed.org;
  await bed.gateway.db.raw(fill, { orgId, workspaceId, actionName: action.actionName! });
  await bed.gateway.db.raw('analyze approvals');
  let found: Awaited<ReturnType<typeof findApprovalReview>>;
  const plans = await readPlans(bed.gateway.db, 'approvals', async () => {
    found = await findApprovalReview(bed.gateway.db, approval.id);
  });
  expect(found!.lastApproved!.inputPreview).toEqual({ n: 1 });
  expect(plans).toHaveLength(1);
  expect(plans[0]).toMatch(/Index Scan using approvals_last_approved_call on approvals l .*rows=1\.00/);
  expect(plans[0]).toMatch(/Index Scan using approvals_last_approved_program on approvals l/);
});
