import { decideApproval } from '../../../commands/approvals/decide-approval.ts';
import { timeOutApproval } from '../../../commands/approvals/time-out-approval.ts';
import { consumeApproval, expireUnusedApproval } from '../../../store/approval-transitions.ts';
import { insertPolicyDecidedApproval } from '../../../store/approvals.ts';
import { anApproval, decide, letTimePass, linkOf, openPages, type PageBed, read } from './page-bed.ts';
import { approve, recordCall } from './page-records.ts';
import { aPlan, CODE } from './page-states.ts';

let bed: PageBed;
beforeAll(async () => {
  bed = await openPages();
});
afterAll(() => bed?.close());

const rowOf = (id: string) => bed.gateway.db('approvals').where({ id }).first();

test.each([
  ['approve', 'approved', 'Approved The action may run once, with exactly this input, until'],
  ['reject', 'rejected', 'Rejected The action does not run.'],
  ['cancel', 'canceled', 'Withdrawn Nobody decides it any more. The action does not run.'],
])('%s records the decision of the link’s holder and shows the outcome', async (decision, status, words) => {
  const approval = await anApproval(bed);
  const link = linkOf(bed, approval);
  const answer = await decide(link, decision, { reason: '  Checked with Ada.\r\nFine.  ' });
  expect(answer.status).toBe(303);
  expect(new URL(answer.headers.get('location')!, link).href).toBe(link);

  expect(await rowOf(approval.id)).toMatchObject({
    status,
    decided_by_type: 'hosted_link',
    decided_by_id: null,
    decision_reason: 'Checked with Ada.\nFine.',
  });
  const { text, html } = await read(link);
  expect(text).toContain(words);
  expect(text).toContain('Decided by A reviewer, on this page When');
  expect(text).toContain('Reason Checked with Ada. Fine.');
  expect(html).not.toContain('<form');
});

test('approving creates one receipt, with the hash of the input', async () => {
  const approval = await anApproval(bed);
  await decide(linkOf(bed, approval), 'approve');
  expect(await bed.gateway.db('receipts').where({ approval_id: approval.id }).select('input_hash')).toEqual([
    { input_hash: approval.inputHash },
  ]);
});

test('an empty reason is stored as no reason', async () => {
  const approval = await anApproval(bed);
  await decide(linkOf(bed, approval), 'reject', { reason: ' \r\n ' });
  expect((await rowOf(approval.id)).decision_reason).toBeNull();
});

const SENT_TWICE = 'This request was already rejected. If that was you, your first decision counts. This one changed nothing.';

test('a second decision changes nothing and shows the request’s status', async () => {
  const approval = await anApproval(bed);
  const link = linkOf(bed, approval);
  await decide(link, 'reject', { reason: 'Wrong customer.' });
  const before = await rowOf(approval.id);
  for (const decision of ['approve', 'reject', 'cancel']) {
    const answer = await decide(link, decision, { reason: 'again' });
    expect(answer.status).toBe(409);
    const html = await answer.text();
    expect(html).toContain(decision === 'reject' ? SENT_TWICE : 'Your decision came too late and changed nothing.');
    expect(html).toContain('Wrong customer.');
  }
  expect(await rowOf(approval.id)).toEqual(before);
});

test('of two concurrent decisions, one counts and the other gets a conflict page', async () => {
  for (let round = 0; round < 5; round += 1) {
    const approval = await anApproval(bed);
    const link = linkOf(bed, approval);
    const answers = await Promise.all([decide(link, 'approve', { reason: 'first' }), decide(link, 'reject', { reason: 'second' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409]);
    const approved = answers[0]!.status === 303;
    expect(await rowOf(approval.id)).toMatchObject(
      approved ? { status: 'approved', decision_reason: 'first' } : { status: 'rejected', decision_reason: 'second' },
    );
    expect(await answers[approved ? 1 : 0]!.text()).toContain(approved ? 'first' : 'second');
    expect(await bed.gateway.db('receipts').where({ approval_id: approval.id })).toHaveLength(approved ? 1 : 0);
  }
});

test('after the expiry, the page says so, shows no form and accepts no decision', async () => {
  const approval = await anApproval(bed);
  const link = linkOf(bed, approval);
  await letTimePass(bed, approval.id);
  const { text, html } = await read(link);
  expect(text).toContain('Time ran out Nobody decided in time. The action does not run.');
  expect(html).not.toContain('<form');
  const answer = await decide(link, 'approve');
  expect(answer.status).toBe(409);
  expect(await answer.text()).toContain('Your decision came too late');
  expect((await rowOf(approval.id)).status).toBe('pending');
});

test.each([
  ['reject', 'Rejected, time ran out'],
  ['expire', 'Expired'],
] as const)('after a timeout with the outcome %s, the page says that nobody decided', async (defaultOnTimeout, label) => {
  const approval = await anApproval(bed, { defaultOnTimeout });
  await letTimePass(bed, approval.id);
  await timeOutApproval(bed.gateway, approval.id);
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain(`${label} Nobody decided in time. The action does not run. Decided by Nobody: the time ran out`);
});

test('the page of a consumed approval says when it was used and that it cannot be used again', async () => {
  const approval = await anApproval(bed);
  await decide(linkOf(bed, approval), 'approve');
  await consumeApproval(bed.gateway.db, approval.id);
  expect((await read(linkOf(bed, approval))).text).toMatch(
    /Approved and used The approval was used on .* UTC: the action was started, once. It cannot be used again./,
  );
});

test.each([
  ['succeeded', 'Approved, and it succeeded', 'the action was started, once. It succeeded. It cannot be used again.'],
  ['failed', 'Approved, but it failed', 'the action was started, once. It failed. It cannot be used again.'],
  ['unknown', 'Approved, outcome unknown', 'Its answer was lost, so it is unknown whether it took effect'],
  ['executing', 'Approved, running', 'It has not answered yet.'],
])('the page of an approval shows the status of its call: %s', async (status, label, words) => {
  const approval = await anApproval(bed);
  await approve(bed, approval);
  await consumeApproval(bed.gateway.db, approval.id);
  await recordCall(bed, approval, status);
  const { text } = await read(linkOf(bed, approval));
  expect(text).toContain(label);
  expect(text).toContain(words);
});

test('the page of an approved program says what the program may do, and until when', async () => {
  const approval = await aPlan(bed, null, CODE);
  await approve(bed, approval);
  expect((await read(linkOf(bed, approval))).text).toMatch(/The program may run, with the calls that this approval covers, until .* UTC\./);
});

test('the page of an approval that expires unused says so, before and after the status changes', async () => {
  const approval = await anApproval(bed);
  await decide(linkOf(bed, approval), 'approve');
  await bed.gateway
    .db('receipts')
    .where({ approval_id: approval.id })
    .update({ expires_at: bed.gateway.db.raw("now() - interval '1 second'") });
  const words =
    'Approved, not used in time This was approved, but the action did not run before the approval expired. Decided by A reviewer';
  expect((await read(linkOf(bed, approval))).text).toContain(words);
  await expireUnusedApproval(bed.gateway.db, approval.id);
  expect((await read(linkOf(bed, approval))).text).toContain(words);
});

test('a decision made elsewhere is attributed without names', async () => {
  const [byKey, byOperator] = await Promise.all([anApproval(bed), anApproval(bed)]);
  await decideApproval(bed.gateway, { approvalId: byKey.id, decision: 'approve', by: { type: 'api_key', id: 'secret-id' } });
  await decideApproval(bed.gateway, { approvalId: byOperator.id, decision: 'cancel', by: { type: 'operator', id: null } });
  const { text, html } = await read(linkOf(bed, byKey));
  expect(text).toContain('Decided by A reviewer, through the API');
  expect(html).not.toContain('secret-id');
  expect((await read(linkOf(bed, byOperator))).text).toContain('Decided by An operator');

  const { id, createdAt: _, updatedAt: __, expiresAt: ___, ...fields } = await anApproval(bed);
  const { decidedByType, decidedById, decisionReason, decidedAt, consumedAt, ...given } = fields;
  const byPolicy = await insertPolicyDecidedApproval(bed.gateway.db, { ...given, id: `${id}P`, status: 'consumed' });
  expect((await read(linkOf(bed, byPolicy))).text).toContain('Allowed by policy The policy allowed this to run at once');
});
