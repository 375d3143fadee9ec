import { readConfig } from '../../infra/config.ts';
import { openLogger } from '../../infra/logger.ts';
import { openTemporal } from '../../infra/temporal.ts';

const NOBODY = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_NAMESPACE: 'default', TEMPORAL_TASK_QUEUE: 'gateway' };
const RUN = { codeRunId: 'crun_0000000000000000000000', orgId: 'o', workspaceId: 'w', serverName: 's' };

// What a call throws where nobody can catch it ends a process, and fails this file.
test('while Temporal has never been there every call says so, one after another and all at once, and none hangs', async () => {
  const temporal = openTemporal(readConfig(NOBODY), openLogger('silent', {}));
  const outcome = () => temporal.startCodeRun(RUN).catch((error) => error.code);
  for (let round = 0; round < 5; round += 1) expect(await outcome()).toBe('UNAVAILABLE');
  expect(await Promise.all(Array.from({ length: 10 }, outcome))).toEqual(Array(10).fill('UNAVAILABLE'));
  await expect(temporal.ping()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await temporal.close();
});
