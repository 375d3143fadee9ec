import { callerOf } from '../../support/caller.ts';
import { type ApiBed, openApiBed } from '../api-bed.ts';

export const APPROVALS = '/api/v1/approvals';
export const JWKS = '/.well-known/jwks.json';

/** Opens an API with a fixed BASE_URL and a policy that requires approval for every call. */
export async function openReceiptBed(): Promise<ApiBed> {
  const bed = await openApiBed({ BASE_URL: 'https://gateway.example' });
  await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Ask first', timeoutSeconds: 600 });
  return bed;
}

let count = 0;

/** Makes a call with a new input, which then waits for approval. */
export async function aGatedCall(bed: ApiBed) {
  count += 1;
  const input = { text: `text ${count}`, algorithm: 'sha512', encoding: 'base64' };
  const call = { workspaceId: bed.workspaceId, integrationName: 'hash-encode', actionName: 'hash', input };
  const { approval } = await bed.api.must(202).post('/api/v1/actions/execute', call);
  return { call, input: Buffer.from(JSON.stringify(input)), path: `${APPROVALS}/${approval.id}`, approval };
}

/** Makes a call and approves it. */
export async function anApproved(bed: ApiBed) {
  const gated = await aGatedCall(bed);
  const decided = await bed.api.must(200).post(`${gated.path}/approve`, { reason: 'a reason that is nobody else’s' });
  const { receipt } = await bed.api.must(200).get(`${gated.path}/receipt`);
  return { ...gated, decided, receipt };
}

/** Returns the public key set. */
export function keySet(bed: ApiBed) {
  return callerOf(bed.apiUrl).must(200).get(JWKS);
}
