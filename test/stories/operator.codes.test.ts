import { randomUUID } from 'node:crypto';
import { addUser } from '../../commands/access/add-user.ts';
import { admin } from '../standalone/run-admin.ts';
import { anOperatorCode } from '../support/operator-codes.ts';
import { aPolicy } from '../support/tenant.ts';
import { useOperatorBed } from './operator-bed.ts';

const { bed, aGatedCall, workflowOf, approvalOf, detailsOf, isRefused, isSettledBy } = useOperatorBed();

test.each([
  ['nothing', []],
  ['the name of an owner', [{ by: 'boss@example.com' }]],
  ['a reason', ['because I say so']],
  ['an empty code', [{ code: '' }]],
  ['null for a code', [{ code: null }]],
])('an approve signal with %s approves nothing, and the details say what to do', async (_, args) => {
  const id = await aGatedCall();
  await workflowOf(id).signal('approve', ...args);
  await isRefused(id, 'approve. Approving needs a code.');
  expect(await detailsOf(id)).toContain(`npm run --silent admin -- operator-code ${id}`);
  await isSettledBy(id, 'reject', 'rejected');
});

test('a code from operator-code approves once, as the operator or as the member in --as', async () => {
  const email = `ada-${bed.tenant.orgId}@example.com`;
  const { id: userId } = await addUser(bed.db, {
    orgId: bed.tenant.orgId,
    email,
    displayName: null,
    role: 'owner',
    by: { type: 'operator', id: null },
  });
  for (const [args, decided] of [
    [[], { decidedByType: 'operator' }],
    [['--as', email], { decidedByType: 'user', decidedById: userId }],
  ] as const) {
    const id = await aGatedCall();
    const { code, stdout, stderr } = await admin('operator-code', id, ...args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^opc_[\w-]+\.[\w-]{43}\n$/);
    await workflowOf(id).signal('approve', { code: stdout.trim() });
    expect(await workflowOf(id).result()).toBe('approved');
    expect(await approvalOf(id)).toMatchObject({ status: 'approved', ...decided });
    expect(await admin('operator-code', id)).toMatchObject({ code: 1, stdout: '', stderr: `${id} is approved already.\n` });
  }
});

test('operator-code prints no code for an unknown approval or for a member who may not decide', async () => {
  await aPolicy(bed.tenant, { integrationNames: ['datetime'], approvers: [{ type: 'org_role', roles: ['owner'] }] });
  const call = {
    integrationName: 'datetime',
    actionName: 'parse_date',
    workspaceId: bed.tenant.workspaceId,
    input: { dateString: '2026-01-01' },
  };
  const { id } = (await bed.tenant.api.must(202).post('/api/v1/actions/execute', call)).approval;
  const email = `eve-${bed.tenant.orgId}@example.com`;
  await addUser(bed.db, { orgId: bed.tenant.orgId, email, displayName: null, role: 'member', by: { type: 'operator', id: null } });
  const refusal = async (...args: string[]) => {
    const { code, stdout, stderr } = await admin('operator-code', ...args);
    expect([code, stdout]).toEqual([1, '']);
    return stderr;
  };
  expect(await refusal('apr_none')).toContain('There is no approval apr_none');
  expect(await refusal(id, '--as', 'nobody@example.com')).toContain('is not a member');
  expect(await refusal(id, '--as', email)).toContain('The policy asks for an owner');
  expect(await refusal()).toContain('The ID of the approval is missing');
});

function forged(code: string, change: (parts: unknown[]) => void): string {
  const [body, mac] = code.slice(4).split('.');
  const parts = JSON.parse(Buffer.from(body!, 'base64url').toString());
  change(parts);
  return `opc_${Buffer.from(JSON.stringify(parts)).toString('base64url')}.${mac}`;
}

test('a changed code and an expired code approve nothing', async () => {
  const [id, other] = [await aGatedCall(), await aGatedCall()];
  const code = await anOperatorCode(id);
  const changes: ((parts: unknown[]) => void)[] = [
    (parts) => parts.splice(0, 1, other),
    (parts) => parts.splice(1, 1, randomUUID()),
    (parts) => parts.splice(2, 1, 'boss'),
    (parts) => parts.splice(3, 1, 4_000_000_000),
    (parts) => parts.splice(4, 1, 'another'),
  ];
  for (const change of changes) for (const at of [id, other]) await workflowOf(at).signal('approve', { code: forged(code, change) });
  await workflowOf(id).signal('approve', { code: `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}` });
  await isRefused(id, 'approve. This installation did not issue that code.');
  await isRefused(other, 'approve. This installation did not issue that code.');

  await workflowOf(id).signal('approve', { code: await anOperatorCode(id, { secondsAgo: 601 }) });
  await isRefused(id, 'approve. That code has expired.');
  await isSettledBy(id, 'reject', 'rejected');
  await isSettledBy(other, 'cancel', 'canceled');
});

test('a code approves nothing and is consumed if sent to another approval or with an invalid note', async () => {
  const [id, other] = [await aGatedCall(), await aGatedCall()];
  const [first, second] = [await anOperatorCode(id), await anOperatorCode(id)];
  await workflowOf(other).signal('approve', { code: first });
  await isRefused(other, 'approve. That code is for another approval.');
  await workflowOf(id).signal('approve', { code: second, force: true });
  await isRefused(id, 'approve. The note of the signal is not understood.');
  for (const code of [first, second]) await workflowOf(id).signal('approve', { code });
  await isRefused(id, 'approve. That code was used before.');
  await isSettledBy(id, 'reject', 'rejected');
  await isSettledBy(other, 'cancel', 'canceled');
});

test('of a burst of signals, at most 50 are recorded, and a later decision counts', async () => {
  const id = await aGatedCall();
  await Promise.all(Array.from({ length: 300 }, (_, n) => workflowOf(id).signal('approve', n % 2 ? [n] : { by: 'boss' })));
  await workflowOf(id).signal('reject', 'enough');
  expect(await workflowOf(id).result()).toBe('rejected');
  expect(await approvalOf(id)).toMatchObject({ status: 'rejected', decisionReason: 'enough' });
  const recorded = await bed.db('activity').where({ approval_id: id, type: 'approval.decision_refused' });
  expect(recorded.length).toBeLessThanOrEqual(50);
  expect((await detailsOf(id)).split('\n').length).toBeLessThanOrEqual(7);
});
