import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../infra/config.ts';
import { testEnvironment } from '../support/system.ts';
import { aTenant } from '../support/tenant.ts';

const DEMO = join(import.meta.dirname, '../../demo/main.ts');

test('the demo shows the signed receipt of an approved call and how to verify the receipt', async () => {
  const { apiUrl, api } = await aTenant();
  const { plainKey } = await api.must(200).post('/api/v1/api-keys', { name: 'Demo', permissions: { approvals: { decide: true } } });
  const options = { env: childEnvironment(await testEnvironment()) as NodeJS.ProcessEnv, timeout: 100_000 };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [DEMO, '--decide', 'approve', '--url', apiUrl, '--key', plainKey],
    options,
  );
  const { approvals } = await api.must(200).get('/api/v1/approvals?status=consumed');
  const { receipt } = await api.must(200).get(`/api/v1/approvals/${approvals[0].id}/receipt`);
  const shown = stdout.slice(stdout.indexOf('The receipt: a signed statement'));
  for (const part of [receipt.id, receipt.claims.inputHash, '"approvedBy": "api_key"', '"http.send_request"'])
    expect(shown).toContain(part);
  expect(shown).toContain(`${apiUrl}/api/v1/approvals/${receipt.approvalId}/receipt > /tmp/receipt.json`);
  expect(shown).toContain('npm run --silent verify-receipt -- /tmp/receipt.json --jwks /tmp/keys.json');
});
