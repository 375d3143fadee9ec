import { openApiBed } from './api-bed.ts';
import { aServer } from '../support/tenant.ts';
test('x', async () => {
  const bed = await openApiBed();
  const server = await aServer(bed as never, 'CODE', ['kv-store']);
  for (let i = 0; i < 6; i += 1) {
    const t = performance.now();
    const answer = await bed.api.post(`/api/v1/mcp/servers/${server.id}/execute-code`, { code: 'return 1' });
    console.log(i, answer.status, answer.body.code, performance.now() - t, (await bed.gateway.db('code_runs').count())[0]);
  }
  await bed.close();
}, 120_000);
