import type { ApiBed } from '../../api-bed.ts';
import { importTasks, tasksAt } from '../../integrations/own/own-bed.ts';
import { anApproval } from '../page-bed.ts';
import { aRun } from '../page-records.ts';
import { aMember, pageBed } from './app-bed.ts';
import { connectedRecords } from './connected-records.ts';
import type { ScreenIds } from './screen-matrix.ts';

/** Makes a record of each kind that rows of the matrix of screens name. */
export async function screenIds(bed: ApiBed): Promise<ScreenIds> {
  const [target, owner] = [await aMember(bed, 'viewer'), await aMember(bed, 'owner')];
  const keyId = (await bed.api.must(200).get('/api/v1/api-keys')).apiKeys[0].id;
  await importTasks(bed, 'tasks', tasksAt('https://api.example.com'));
  const { server } = await bed.api.must(201).post('/api/v1/mcp/servers', { name: 'Desk', workspaceId: bed.workspaceId });
  const { policy } = await bed.api.must(200).post('/api/v1/approval-policies', { name: 'Hashes', actionNames: ['hash'] });
  return {
    ...{ memberId: target.id, ownerId: owner.id, workspaceId: bed.workspaceId, keyId, serverId: server.id },
    policyId: policy.id,
    approvalId: (await anApproval(pageBed(bed))).id,
    runId: (await aRun(pageBed(bed), 'return 1')).id,
    connected: await connectedRecords(bed),
  };
}
