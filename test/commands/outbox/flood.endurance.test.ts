import { Client, Connection } from '@temporalio/client';
import { inParallel } from '../../support/in-parallel.ts';
import { patientDatabase } from '../../support/patient-database.ts';
import { startSystem } from '../../support/system.ts';
import { aPolicy, aTenant } from '../../support/tenant.ts';
import { until } from '../../support/until.ts';

// Uses a separate system: the flood would delay the workflows of other tests.
test('after a flood of decisions, each approval has its workflow and the outbox is empty', async () => {
  const system = await startSystem();
  const connection = await Connection.connect({ address: system.temporalAddress });
  const { workflow } = new Client({ connection });
  const db = patientDatabase(system.databaseUrl);
  try {
    const tenant = await aTenant(system);
    await aPolicy(tenant, { integrationNames: ['hash-encode'] });
    const texts = Array.from({ length: 60 }, (_, index) => `flood ${index}`);
    const ids = await inParallel(texts, 30, async (text) => {
      const call = { integrationName: 'hash-encode', actionName: 'hash', workspaceId: tenant.workspaceId, input: { text } };
      const { approval } = await tenant.api.must(202).post('/api/v1/actions/execute', call);
      await tenant.api.must(200).post(`/api/v1/approvals/${approval.id}/approve`);
      return approval.id as string;
    });
    await until(async () => (await db('outbox')).length === 0);
    const outcomes = await Promise.all(ids.map((id) => workflow.getHandle(`approval/${id}`).result()));
    expect(outcomes).toEqual(ids.map(() => 'approved'));
  } finally {
    await db.destroy();
    await connection.close();
    await system.stop();
  }
});
