import { createPublicKey, verify } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import { compactVerify, createLocalJWKSet } from 'jose';
import { createApp } from '../../../api/app.ts';
import { openServer } from '../../../api/open-server.ts';
import { openReceiptSigner } from '../../../commands/open-receipt-signer.ts';
import { revokeReceiptKey } from '../../../commands/revoke-receipt-key.ts';
import { verifyReceipt } from '../../../commands/verify-receipt.ts';
import { callerOf } from '../../support/caller.ts';
import { aSigningKey } from '../../support/receipts.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { aWorkspace, checkedCaller, withKey, withWorkspaceKey } from '../checked-caller.ts';

const APPROVALS = '/api/v1/approvals';
const JWKS = '/.well-known/jwks.json';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openApiBed({ BASE_URL: 'https://gateway.example' });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', timeoutSeconds: 600 });
});
afterAll(() => bed.close());

let count = 0;

/** A gated call that nobody made before, and the input that it runs with. */
async function aGatedCall() {
  count += 1;
  const input = { text: `text ${count}`, algorithm: 'sha512', encoding: 'base64' };
  const call = { workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  return { call, input: Buffer.from(JSON.stringify(input)), path: `${APPROVALS}/${approval.id}`, approval };
}

async function anApproved() {
  const gated = await aGatedCall();
  const decided = await bed.api.must(200).post(`${gated.path}/approve`, { reason: 'a reason that is nobody else’s' });
  const { receipt } = await bed.api.must(200).get(`${gated.path}/receipt`);
  return { ...gated, decided, receipt };
}

const keySet = () => callerOf(bed.apiUrl).must(200).get(JWKS);

describe('the receipt of a call', () => {
  test('states who approved what, for whom, until when, and what binds it', async () => {
    const { decided, receipt, path, approval } = await anApproved();
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
    const { receipt, input, approval } = await anApproved();
    const jwks = await keySet();
    const { payload } = await compactVerify(receipt.jws, createLocalJWKSet(jwks), { algorithms: ['EdDSA'] });
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual(receipt.claims);
    const [head, body, signature] = receipt.jws.split('.');
    const publicKey = createPublicKey({ key: jwks.keys[0], format: 'jwk' });
    expect(verify(null, Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true);
    expect((await verifyReceipt({ jws: receipt.jws, jwks, input, approvalId: approval.id })).claims).toEqual(receipt.claims);
    const other = Buffer.from(input.toString().replace('text', 'test'));
    await expect(verifyReceipt({ jws: receipt.jws, jwks, input: other })).rejects.toThrow(/not what was approved/);
  });

  test('names the account, as it was connected when the call was approved', async () => {
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
    await verifyReceipt({ jws: receipt.jws, jwks: await keySet(), input: Buffer.from('{"to":"ada"}') });
  });

  test('stays what it was when the call was made and the approval is used up', async () => {
    const { call, receipt, approval, path, input } = await anApproved();
    await bed.api.must(200).post('/api/v1/actions/execute', { ...call, ...approval.retry });
    expect((await bed.api.must(200).get(path)).approval.status).toBe('consumed');
    const again = (await bed.api.must(200).get(`${path}/receipt`)).receipt;
    expect(again).toEqual(receipt);
    await verifyReceipt({ jws: again.jws, jwks: await keySet(), input });
  });

  test('goes by the database clock, whatever the clock of the process says', async () => {
    const { path } = await aGatedCall();
    for (const hours of [-1, 1]) {
      skewClock(hours);
      const { rows } = await bed.patient.raw('select now() as now');
      expect(Math.abs(Date.now() - rows[0].now.getTime())).toBeGreaterThan(3_500_000);
      const gated = hours < 0 ? { path } : await aGatedCall();
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

/** Shifts the clock of this process, and nothing else of it. */
function skewClock(hours: number): void {
  jest.useFakeTimers({
    now: Date.now() + hours * 3_600_000,
    doNotFake: [
      ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
      ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
    ],
  });
}

describe('there is none, and it is said why,', () => {
  test.each([
    ['while the approval is pending', undefined, /pending, and a receipt is made when it is approved/],
    ['when it was rejected', 'reject', /was rejected, and a receipt states what was approved/],
    ['when it was canceled', 'cancel', /was canceled, and a receipt states what was approved/],
  ])('%s', async (_, decision, why) => {
    const { path } = await aGatedCall();
    if (decision) await bed.api.must(200).post(`${path}/${decision}`);
    const { status, body } = await bed.api.get(`${path}/receipt`);
    expect([status, body.code, body.error]).toEqual([404, 'NOT_FOUND', expect.stringMatching(why)]);
  });

  test('when nobody decided in time', async () => {
    const { path, approval } = await aGatedCall();
    await bed.gateway.db('approvals').where({ id: approval.id }).update({ status: 'rejected', decided_by_type: 'timeout' });
    expect((await bed.api.must(404).get(`${path}/receipt`)).error).toMatch(/nobody decided the approval in time/);
  });

  test('when a policy let the call through', async () => {
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

  test('when it was approved before receipts were signed', async () => {
    const { path, receipt } = await anApproved();
    await bed.gateway.db('receipts').where({ id: receipt.id }).update({ kid: null, jws: null });
    expect((await bed.api.must(404).get(`${path}/receipt`)).error).toMatch(/approved by an earlier version/);
  });

  test('and for an approval that is unknown or of others that one is not found', async () => {
    expect((await bed.api.must(404).get(`${APPROVALS}/apr_0000000000000000000000/receipt`)).code).toBe('APPROVAL_NOT_FOUND');
    expect((await bed.api.must(404).get(`${APPROVALS}/nonsense/receipt`)).code).toBe('APPROVAL_NOT_FOUND');
  });
});

test('a receipt is for every key of the workspace, one that may not decide as well, and for no other', async () => {
  const { path, receipt } = await anApproved();
  const tenant = { ...bed };
  for (const caller of [await withKey(tenant, {}), await withWorkspaceKey(tenant)])
    expect((await caller.must(200).get(`${path}/receipt`)).receipt).toEqual(receipt);
  const elsewhere = await withWorkspaceKey(tenant, [await aWorkspace(tenant, 'elsewhere')]);
  expect((await elsewhere.must(403).get(`${path}/receipt`)).code).toBe('SCOPE_DENIED');
  expect((await checkedCaller(bed.apiUrl).get(`${path}/receipt`)).status).toBe(401);
});

describe('the key set', () => {
  test('is for everybody, may be kept for a while, and is not sent again while it is the same', async () => {
    const answer = await fetch(`${bed.apiUrl}${JWKS}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    const { keys } = (await answer.json()) as { keys: object[] };
    expect(keys).toContainEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      x: expect.any(String),
      kid: bed.gateway.receipts.kid,
      use: 'sig',
      alg: 'EdDSA',
    });
    const same = await fetch(`${bed.apiUrl}${JWKS}`, { headers: { 'if-none-match': answer.headers.get('etag')! } });
    expect([same.status, await same.text()]).toEqual([304, '']);
  });

  test('can only be read', async () => {
    const { status, headers } = await callerOf(bed.apiUrl).post(JWKS, {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('holds the key before anything was signed under it', async () => {
    const fresh = await openApiBed();
    expect((await callerOf(fresh.apiUrl).must(200).get(JWKS)).keys).toHaveLength(1);
    await fresh.close();
  });
});

describe('another key', () => {
  /** What a process does that was started on the same database with a new RECEIPT_SIGNING_KEY. */
  async function restarted<T>(use: (api: ApiBed['api'], kid: string, apiUrl: string) => Promise<T>): Promise<T> {
    const gateway = { ...bed.gateway, receipts: openReceiptSigner(bed.gateway.db, aSigningKey()) };
    const server = openServer(createApp(gateway).callback(), gateway.logger).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      return await use(checkedCaller(apiUrl, bed.plainKey), gateway.receipts.kid, apiUrl);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }

  test('leaves what was signed before as good as it was, after two rotations as well', async () => {
    const first = await anApproved();
    const [second, third] = [await aGatedCall(), await aGatedCall()];
    for (const gated of [second, third]) await restarted((api) => api.must(200).post(`${gated.path}/approve`));
    const saved = JSON.parse(JSON.stringify(await keySet()));
    const kids = new Set<string>();
    for (const { path, input } of [first, second, third]) {
      const { receipt } = await bed.api.must(200).get(`${path}/receipt`);
      kids.add((await verifyReceipt({ jws: receipt.jws, jwks: saved, input })).kid);
    }
    expect(kids.size).toBe(3);
  });

  test('that was revoked verifies nothing more, and nothing is approved under it', async () => {
    const gated = await aGatedCall();
    await restarted(async (api, kid, apiUrl) => {
      await api.must(200).post(`${gated.path}/approve`);
      const { receipt } = await api.must(200).get(`${gated.path}/receipt`);
      await restarted((_, __, later) => callerOf(later).must(200).get(JWKS));
      const before = await keySet();
      await revokeReceiptKey(bed.gateway.db, kid);
      const after = await keySet();
      expect([before, after].map(({ keys }) => keys.some((key: { kid: string }) => key.kid === kid))).toEqual([true, false]);
      await expect(verifyReceipt({ jws: receipt.jws, jwks: after })).rejects.toThrow(/the key was revoked/);

      const next = await aGatedCall();
      const refused = await checkedCaller(apiUrl, bed.plainKey).post(`${next.path}/approve`);
      expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
      expect((await bed.api.must(200).get(next.path)).approval.status).toBe('pending');
      await bed.api.must(200).post(`${next.path}/approve`);
    });
  });

  test('is not revoked while receipts are signed under it, and one that is unknown is named', async () => {
    await restarted(async (_, kid, apiUrl) => {
      await callerOf(apiUrl).must(200).get(JWKS);
      await expect(revokeReceiptKey(bed.gateway.db, kid)).rejects.toThrow(`Receipts are signed under ${kid} now.`);
      await expect(revokeReceiptKey(bed.gateway.db, 'x'.repeat(43))).rejects.toThrow(
        /^There is no receipt key x+\. Those that signed here: .*/,
      );
    });
  });
});
