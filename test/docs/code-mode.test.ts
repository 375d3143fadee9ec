import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aServer, aTenant } from '../support/tenant.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/code-mode.md'), 'utf8');
const SAMPLES = [...PAGE.matchAll(/```js\n(.+?)```\n\n```json\n(.+?)```/gs)].map(([, code, output]) => ({ code: code!, output: output! }));

test('each program in docs/code-mode.md gives the answer that the page shows', async () => {
  const tenant = await aTenant();
  const { id } = await aServer(tenant, 'CODE', ['hash-encode', 'datetime']);
  expect(SAMPLES).toHaveLength(3);
  for (const { code, output } of SAMPLES) {
    const { structuredContent } = await tenant.api.must(200).post(`/api/v1/mcp/servers/${id}/execute-code`, { code });
    expect(structuredContent).toMatchObject({ status: 'executed', output: JSON.parse(output) });
  }
});
