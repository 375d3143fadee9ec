import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createApp } from '../../../api/app.ts';
import { openServer } from '../../../api/open-server.ts';
import { openReceiptSigner } from '../../../commands/approvals/receipt-signer.ts';
import { revokeReceiptKey } from '../../../commands/approvals/revoke-receipt-key.ts';
import { verifyReceipt } from '../../../commands/approvals/verify-receipt.ts';
import { callerOf } from '../../support/caller.ts';
import { aSigningKey } from '../../support/receipts.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';
import { checkedCaller } from '../checked-caller.ts';
import { aGatedCall, anApproved, JWKS, keySet, openReceiptBed } from './receipt-bed.ts';

let bed: ApiBed;
beforeAll(async () => {
  bed = await openReceiptBed();
});
afterAll(() => bed.close());

describe('the key set', () => {
  test('is public and cacheable, and is sent again only if it has changed', async () => {
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

  test('the key set is read-only', async () => {
    const { status, headers } = await callerOf(bed.apiUrl).post(JWKS, {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('a new process publishes its key before the key signs anything', async () => {
    const fresh = await openApiBed();
    expect((await callerOf(fresh.apiUrl).must(200).get(JWKS)).keys).toHaveLength(1);
    await fresh.close();
  });
});

describe('a key rotation', () => {
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

  test('keeps earlier receipts valid, even after two rotations', async () => {
    const first = await anApproved(bed);
    const [second, third] = [await aGatedCall(bed), await aGatedCall(bed)];
    for (const gated of [second, third]) await restarted((api) => api.must(200).post(`${gated.path}/approve`));
    const saved = JSON.parse(JSON.stringify(await keySet(bed)));
    const kids = new Set<string>();
    for (const { path, input } of [first, second, third]) {
      const { receipt } = await bed.api.must(200).get(`${path}/receipt`);
      kids.add((await verifyReceipt({ jws: receipt.jws, jwks: saved, input })).kid);
    }
    expect(kids.size).toBe(3);
  });

  test('after a key is revoked, its receipts are invalid and no process can approve with the key', async () => {
    const gated = await aGatedCall(bed);
    await restarted(async (api, kid, apiUrl) => {
      await api.must(200).post(`${gated.path}/approve`);
      const { receipt } = await api.must(200).get(`${gated.path}/receipt`);
      await restarted((_, __, later) => callerOf(later).must(200).get(JWKS));
      const before = await keySet(bed);
      await revokeReceiptKey(bed.gateway.db, kid);
      const after = await keySet(bed);
      expect([before, after].map(({ keys }) => keys.some((key: { kid: string }) => key.kid === kid))).toEqual([true, false]);
      await expect(verifyReceipt({ jws: receipt.jws, jwks: after })).rejects.toThrow(/the key was revoked/);

      const next = await aGatedCall(bed);
      const refused = await checkedCaller(apiUrl, bed.plainKey).post(`${next.path}/approve`);
      expect([refused.status, refused.body.code]).toEqual([503, 'UNAVAILABLE']);
      expect((await bed.api.must(200).get(next.path)).approval.status).toBe('pending');
      await bed.api.must(200).post(`${next.path}/approve`);
    });
  });

  test('the key in use and an unknown key cannot be revoked', async () => {
    await restarted(async (_, kid, apiUrl) => {
      await callerOf(apiUrl).must(200).get(JWKS);
      await expect(revokeReceiptKey(bed.gateway.db, kid)).rejects.toThrow(`Receipts are signed under ${kid} now.`);
      await expect(revokeReceiptKey(bed.gateway.db, 'x'.repeat(43))).rejects.toThrow(
        /^There is no receipt key x+\. Keys registered here: .*/,
      );
    });
  });
});
