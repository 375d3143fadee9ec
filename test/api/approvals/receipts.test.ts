import { createPublicKey, verify } from 'node:crypto';
import { jest } from '@jest/globals';
import { compactVerify, createLocalJWKSet } from 'jose';
import { verifyReceipt } from '../../../commands/approvals/verify-receipt.ts';
import type { ApiBed } from '../api-bed.ts';
import { aWorkspace, checkedCaller, withKey, withWorkspaceKey } from '../checked-caller.ts';
import { APPROVALS, aGatedCall, anApproved, keySet, openReceiptBed } from './receipt-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openReceiptBed();
});
afterAll(() => bed.close());

describe('the receipt of a call', () => {
  test('states what was decided, by whom, for whom, and until when', async () => {
    const { decided, receipt, path, approval } = await anApproved(bed);
    expect(receipt).toEqual({
      ...decided.receipt,
      approvalId: approval.id,
      createdAt: decided.approval.decidedAt,
      jws: expect.any(String),
      claims: expect.any(Object),
    });
    const detail = (await bed.api.must(200).get(path)).approval;
    const decidedAt = Math.floor(Date.parse(detail.decidedAt) / 1000);
    expect(receipt.claims).toEqual({
      jti: receipt.id,
      iss: 'https://gateway.example',
      iat: decidedAt,
      exp: decidedAt + 600,
      kind: 'call',
      approvalId: approval.id,
      orgId: bed.orgId,
      workspaceId: bed.workspaceId,
      source: 'rest',
      mcpServerId: null,
      workspaceIntegrationId: null,
      integrationName: 'hash-encode',
      integrationAlias: 'hash-encode',
      actionName: 'hash',
      connectionId: null,
      connectionVersion: null,
      endUserId: null,
      codeRunId: null,
      codeHash: null,
      toolSurfaceHash: null,
      inputHash: detail.inputHash,
      policyId: detail.policyId,
      policyVersion: 1,
      policyName: 'Ask first',
      requestedBy: { type: 'api_key', id: detail.requestedById },
      decidedBy: { type: 'api_key', id: detail.decidedById },
      decidedAt: detail.decidedAt,
    });
    expect(Buffer.from(receipt.jws.split('.')[1], 'base64url').toString()).not.toContain('nobody else');
  });

  test('can be verified by jose, by node:crypto, and by the verifier with the input', async () => {
    const { receipt, input, approval } = await anApproved(bed);
    const jwks = await keySet(bed);
    const { payload } = await compactVerify(receipt.jws, createLocalJWKSet(jwks), { algorithms: ['EdDSA'] });
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual(receipt.claims);
    const [head, body, signature] = receipt.jws.split('.');
    const publicKey = createPublicKey({ key: jwks.keys[0], format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect((await verifyReceipt({ jws: receipt.jws, jwks, input, approvalId: approval.id })).claims).toEqual(receipt.claims);
    const other = Buffer.from(input.toString().replace('text', 'test'));
    await expect(verifyReceipt({ jws: receipt.jws, jwks, input: other })).rejects.toThrow(/not what was approved/);
  });

  test('a receipt names the account that was connected when the call was approved', async () => {
    const { api, workspaceId } = bed;
    const account = {
      integrationName: 'mail',
      type: 'SECRET_TEXT',
      secretText: 'one',
      externalId: 'ours',
      workspaceId,
      scope: 'WORKSPACE',
    };
    const { connection } = await api.must(201).post('/api/v1/connections', account);
    const call = { workspaceId, integrationName: 'mail', actionName: 'send', input: { to: 'ada' } };
    const { approval } = await api.must(202).post('/api/v1/actions/execute', call);
    await api.must(200).post(`${APPROVALS}/${approval.id}/approve`);
    const { receipt } = await api.must(200).get(`${APPROVALS}/${approval.id}/receipt`);
    expect(receipt.claims).toMatchObject({ connectionId: connection.id, connectionVersion: 1 });
    await verifyReceipt({ jws: receipt.jws, jwks: await keySet(bed), input: Buffer.from('{"to":"ada"}') });
  });

  test('a receipt stays unchanged after the call has run and consumed the approval', async () => {
    const { call, receipt, approval, path, input } = await anApproved(bed);
    await bed.api.must(200).post('/api/v1/actions/execute', { ...call, ...approval.retry });
    expect((await bed.api.must(200).get(path)).approval.status).toBe('consumed');
    const again = (await bed.api.must(200).get(`${path}/receipt`)).receipt;
    expect(again).toEqual(receipt);
    await verifyReceipt({ jws: again.jws, jwks: await keySet(bed), input });
  });

  test('a receipt uses the database clock, even if the clock of the process is wrong', async () => {
    const { path } = await aGatedCall(bed);
    for (const hours of [-1, 1]) {
      skewClock(hours);
      const { rows } = await bed.patient.raw('select now() as now');
      expect(Math.abs(Date.now() - rows[0].now.getTime())).toBeGreaterThan(3_500_000);
      const gated = hours < 0 ? { path } : await aGatedCall(bed);
      await bed.api.must(200).post(`${gated.path}/approve`);
      const { receipt } = await bed.api.must(200).get(`${gated.path}/receipt`);
      jest.useRealTimers();
      const now = Math.floor(rows[0].now.getTime() / 1000);
      expect(receipt.claims.iat - now).toBeGreaterThanOrEqual(0);
      expect(receipt.claims.iat - now).toBeLessThan(60);
      expect(receipt.claims.exp - receipt.claims.iat).toBe(600);
      expect(Math.floor(Date.parse(receipt.expiresAt) / 1000)).toBe(receipt.claims.exp);
    }
  });
});

function skewClock(hours: number): void {
  jest.useFakeTimers({
    now: Date.now() + hours * 3_600_000,
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
}

describe('approvals without a receipt', () => {
  test.each([
    ['while the approval is pending', undefined, /pending, and a receipt is made when it is approved/],
    ['when it was rejected', 'reject', /was rejected, and a receipt states what was approved/],
    ['when it was canceled', 'cancel', /was canceled, and a receipt states what was approved/],
  ])('there is no receipt %s, and the answer says why', async (_, decision, why) => {
    const { path } = await aGatedCall(bed);
    if (decision) await bed.api.must(200).post(`${path}/${decision}`);
    const { status, body } = await bed.api.get(`${path}/receipt`);
    expect([status, body.code, body.error]).toEqual([404, 'NOT_FOUND', expect.stringMatching(why)]);
  });

  test('an approval that timed out has no receipt', async () => {
    const { path, approval } = await aGatedCall(bed);
    await bed.gateway.db('approvals').where({ id: approval.id }).update({ status: 'rejected', decided_by_type: 'timeout' });
    expect((await bed.api.must(404).get(`${path}/receipt`)).error).toMatch(/nobody decided the approval in time/);
  });

  test('an approval that a policy decided has no receipt', async () => {
    const { api, workspaceId } = bed;
    const { policy } = await api
      .must(200)
      .post('/api/v1/approval-policies', { name: 'Let through', decision: 'auto_approve', priority: 1 });
    const call = { workspaceId, integrationName: 'hash-encode', actionName: 'hash', input: { text: 'let through' } };
    await api.must(200).post('/api/v1/actions/execute', call);
    const { approvals } = await api.must(200).get(`${APPROVALS}?status=consumed&limit=1`);
    await api.must(200).delete(`/api/v1/approval-policies/${policy.id}`);
    expect(approvals[0].decidedByType).toBe('policy');
    expect((await api.must(404).get(`${APPROVALS}/${approvals[0].id}/receipt`)).error).toMatch(/a policy let the call through/);
  });

  test('an approval from before receipts were signed has no receipt', async () => {
    const { path, receipt } = await anApproved(bed);
    await bed.gateway.db('receipts').where({ id: receipt.id }).update({ kid: null, jws: null });
    expect((await bed.api.must(404).get(`${path}/receipt`)).error).toMatch(/approved by an earlier version/);
  });

  test('an unknown or malformed approval id is not found', async () => {
    expect((await bed.api.must(404).get(`${APPROVALS}/apr_0000000000000000000000/receipt`)).code).toBe('APPROVAL_NOT_FOUND');
    expect((await bed.api.must(404).get(`${APPROVALS}/nonsense/receipt`)).code).toBe('APPROVAL_NOT_FOUND');
  });
});

test('every key that reaches the workspace can read the receipt', async () => {
  const { path, receipt } = await anApproved(bed);
  const tenant = { ...bed };
  for (const caller of [await withKey(tenant, {}), await withWorkspaceKey(tenant)])
    expect((await caller.must(200).get(`${path}/receipt`)).receipt).toEqual(receipt);
  const elsewhere = await withWorkspaceKey(tenant, [await aWorkspace(tenant, 'elsewhere')]);
  expect((await elsewhere.must(403).get(`${path}/receipt`)).code).toBe('SCOPE_DENIED');
  expect((await checkedCaller(bed.apiUrl).get(`${path}/receipt`)).status).toBe(401);
});
