import { decidingLinks } from '../../../commands/approvals/approval-links.ts';
import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { timeOutApproval } from '../../../commands/approvals/time-out-approval.ts';
import type { Approval, Decision } from '../../../domain/approval.ts';
import { consumeApproval, expireUnusedApproval } from '../../../store/approval-transitions.ts';
import { insertPolicyDecidedApproval, type NewApproval } from '../../../store/approvals.ts';
import { recordRun } from '../../support/record-run.ts';
import { anApproval, anApprovalOf, decide, letTimePass, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { aMember, anAccount, asPerson } from './page-records.ts';
import { aCallWithHistory, aPlan } from './page-states.ts';
import { RESULT } from './run-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

/** This marker is in every value that a link must hide once the approval is settled. */
const MARK = 'zq-told';

async function aMarkedCall(given: Partial<NewApproval> = {}): Promise<Approval> {
  const account = await anAccount(bed, { display_name: `${MARK}-account` });
  const marked = { riskReasons: [`${MARK}-reason`], concernedConnectionIds: [account], connectionId: account, connectionVersion: 1 };
  const before = await anApprovalOf(bed, { note: `${MARK}-before`, password: 'x' }, { ...marked, ...given });
  await settle(before, 'approve');
  return anApprovalOf(bed, { note: `${MARK}-input`, password: 'x' }, { ...marked, ...given });
}

const settle = (approval: Approval, decision: Decision) =>
  decideApproval(bed.gateway, { approvalId: approval.id, decision, by: { type: 'hosted_link', id: null }, reason: 'Checked.' });

const WAYS: Record<string, { words: string; go: (approval: Approval) => Promise<unknown> }> = {
  approved: { words: 'Approved', go: (approval) => settle(approval, 'approve') },
  rejected: { words: 'Rejected', go: (approval) => settle(approval, 'reject') },
  canceled: { words: 'Nobody decides it any more.', go: (approval) => settle(approval, 'cancel') },
  'overdue, before the timeout is processed': { words: 'Time ran out', go: ({ id }) => letTimePass(bed, id) },
  'timed out': {
    words: 'Rejected, time ran out',
    async go({ id }) {
      await letTimePass(bed, id);
      await timeOutApproval(bed.gateway, id);
    },
  },
  consumed: {
    words: 'The approval was used',
    async go(approval) {
      await settle(approval, 'approve');
      await consumeApproval(bed.gateway.db, approval.id);
    },
  },
  'approved but not used in time': {
    words: 'Approved, not used in time',
    async go(approval) {
      await settle(approval, 'approve');
      const past = bed.gateway.db.raw("now() - interval '1 second'");
      await bed.gateway.db('receipts').where({ approval_id: approval.id }).update({ expires_at: past });
      await expireUnusedApproval(bed.gateway.db, approval.id);
    },
  },
};

async function linksOf(approval: Approval): Promise<string[]> {
  const { pathname, search } = new URL(decidingLinks(bed.gateway, approval).hostedApprovalUrl!);
  const links = [linkOf(bed, approval), `${bed.origin}${pathname}${search}`, asPerson(bed, approval, await aMember(bed, 'owner'))];
  return links.flatMap((link) => [link, link.replace('?', '/run?')]);
}

/** Reads one page after another: a busy machine could answer 503 to concurrent requests. */
async function readAll(links: readonly string[]) {
  const pages: Awaited<ReturnType<typeof read>>[] = [];
  for (const link of links) pages.push(await read(link));
  return pages;
}

const PEOPLE: NewApproval['approvers'] = [{ type: 'org_role', roles: ['owner'] }];

test.each(Object.entries(WAYS))('once a call is %s, its links show only the outcome', async (_, { words, go }) => {
  const approval = await aMarkedCall({ approvers: PEOPLE });
  expect((await read(linkOf(bed, approval))).html).toContain(`${MARK}-input`);
  await go(approval);
  for (const link of await linksOf(approval)) {
    const { status, text, html } = await read(link);
    expect(status).toBe(200);
    expect(text).toContain(words);
    expect(text).toContain(approval.id);
    expect(html).not.toContain(MARK);
    expect(html).not.toMatch(/<form|password|\/run\?/);
  }
});

test('only the pages of links that can decide compare a call with an earlier call', async () => {
  const approval = await aMarkedCall({ approvers: PEOPLE });
  const [shows, , decides, , personal] = await linksOf(approval);
  expect((await read(shows!)).html).not.toMatch(/zq-told-before|Compared with/);
  for (const link of [decides!, personal!]) expect((await read(link)).html).toContain(`${MARK}-before`);
});

test('the link of a call that a policy allowed shows only the outcome', async () => {
  const { id, createdAt, updatedAt, expiresAt, ...fields } = await aMarkedCall();
  const { decidedByType, decidedById, decisionReason, decidedAt, consumedAt, ...given } = fields;
  const passed = await insertPolicyDecidedApproval(bed.gateway.db, { ...given, id: `${id.slice(0, -1)}P`, status: 'consumed' });
  const { text, html } = await read(linkOf(bed, passed));
  expect(text).toContain('Allowed by policy');
  expect(html).not.toContain(MARK);
});

async function aMarkedRun(): Promise<{ plan: Approval; call: Approval }> {
  const plan = await aPlan(bed, null, `// ${MARK}-code\nreturn await svc.mail.send_email({ to: '${MARK}-planned' });`);
  const call = await anApprovalOf(
    bed,
    { note: `${MARK}-call` },
    { codeRunId: plan.codeRunId, callNumber: 1, source: 'mcp_code', riskReasons: [`${MARK}-reason`] },
  );
  return { plan, call };
}

async function finishMarkedRun({ plan, call }: { plan: Approval; call: Approval }): Promise<void> {
  for (const { id } of [plan, call]) await consumeApproval(bed.gateway.db, id);
  const outcome = { ok: true, output: `${MARK}-answer` } as const;
  const later = { tool: 'crm.list_customers', status: 'succeeded', input: { a: `${MARK}-later` }, outcome } as const;
  const log = { ...RESULT.logs[0]!, message: `${MARK}-log` };
  const calls = [
    { ...later, number: 0, approvalId: plan.id },
    { ...later, number: 1, approvalId: call.id },
    { ...later, number: 2 },
  ];
  const result = { ...RESULT, output: `${MARK}-output`, logs: [log] };
  await recordRun(bed.gateway.db, { ...plan, id: plan.codeRunId! }, { status: 'executed', calls, result });
}

test('a settled approval’s links hide the run, before and after the run ends', async () => {
  const run = await aMarkedRun();
  const { plan, call } = run;
  expect((await read(linkOf(bed, plan).replace('?', '/run?'))).html).toContain(`${MARK}-code`);
  for (const approval of [plan, call]) await settle(approval, 'approve');
  const before = await readAll(await linksOf(plan));
  await finishMarkedRun(run);
  const after = [...(await linksOf(plan)), ...(await linksOf(call))];
  for (const { status, text, html } of [...before, ...(await readAll(after))]) {
    expect(status).toBe(200);
    expect(text).toContain('Approved');
    expect(html).not.toContain(MARK);
    expect(text).not.toMatch(/ran to its end|succeeded|\d calls|line \d|crm|svc\./);
  }
});

test('a pending approval shows its run, although another approval is settled', async () => {
  const run = await aMarkedRun();
  await settle(run.plan, 'approve');
  expect((await read(linkOf(bed, run.call).replace('?', '/run?'))).html).toContain(`${MARK}-code`);
  expect((await read(linkOf(bed, run.plan).replace('?', '/run?'))).html).not.toContain(MARK);
});

async function moveTimesBack({ id }: Approval, interval: string): Promise<void> {
  const earlier = (column: string) => bed.gateway.db.raw(`${column} - ?::interval`, [interval]);
  const columns = ['created_at', 'decided_at', 'expires_at', 'consumed_at', 'updated_at'];
  await bed.gateway
    .db('approvals')
    .where({ id })
    .update(Object.fromEntries(columns.map((column) => [column, earlier(column)])));
}

test.each(Object.entries(WAYS))('24 hours after a call is %s, all of its links expire, for reading and for deciding', async (_, { go }) => {
  const approval = await aMarkedCall({ approvers: PEOPLE });
  await go(approval);
  // After a timeout, the 24 hours begin at the deadline, which was one minute ago.
  await moveTimesBack(approval, '23 hours 58 minutes');
  const links = await linksOf(approval);
  expect((await readAll(links)).map(({ status }) => status)).toEqual(links.map(() => 200));
  await moveTimesBack(approval, '2 minutes');
  for (const link of links) {
    const page = await read(link);
    expect(page.status).toBe(410);
    expect(page.text).toContain('This link has expired');
    expect(page.html).not.toContain(MARK);
    expect(page.html).not.toContain(approval.policyName!);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(410);
    const asked = await fetch(link, { headers: { Accept: 'application/json' } });
    expect([asked.status, await asked.json()]).toMatchObject([410, { code: 'APPROVAL_LINK_EXPIRED' }]);
    expect(asked.headers.get('cache-control')).toBe('no-store');
  }
  for (const link of links.filter((link) => !link.includes('/run?'))) {
    const as = new URL(link).searchParams.get('as');
    expect((await decide(link, 'approve', as === null ? {} : { as })).status).toBe(410);
  }
});

test('invalid and forbidden links get 404, before and after the valid links expire', async () => {
  const [old, closed] = [await anApproval(bed), await anApproval(bed, { approvalAccessMode: 'dashboard_only' })];
  const [other, leaver] = [await anApproval(bed), await aMember(bed, 'owner')];
  const links = [
    linkOf(bed, closed),
    linkOf(bed, old).replace(old.id, other.id),
    `${linkOf(bed, old)}x`,
    `${linkOf(bed, old)}&as=decides`,
    asPerson(bed, old, leaver),
  ];
  await bed.gateway.db('memberships').where({ user_id: leaver.id }).delete();
  const statuses = async () => (await readAll(links)).map(({ status }) => status);
  expect(await statuses()).toEqual([404, 404, 404, 404, 404]);
  for (const approval of [old, closed]) {
    await settle(approval, 'approve');
    await moveTimesBack(approval, '25 hours');
  }
  expect(await statuses()).toEqual([404, 404, 404, 404, 404]);
});

test('a timeout that is processed late does not reopen links that expired a day ago', async () => {
  const approval = await anApproval(bed);
  await letTimePass(bed, approval.id);
  await moveTimesBack(approval, '24 hours');
  expect((await read(linkOf(bed, approval))).status).toBe(410);
  await timeOutApproval(bed.gateway, approval.id);
  expect((await read(linkOf(bed, approval))).status).toBe(410);
});

test('on the page of a settled approval, another member can read who decided, when and why', async () => {
  const approval = await aCallWithHistory(bed);
  const ada = await aMember(bed, 'owner', 'Ada Lovelace');
  const link = asPerson(bed, approval, ada);
  await decide(link, 'reject', { as: `user:${ada.id}`, reason: 'Wrong channel.' });
  const other = asPerson(bed, approval, await aMember(bed, 'member'));
  expect((await read(other)).text).toMatch(/Decided by Ada Lovelace When .* UTC Reason Wrong channel\./);
});
