import { holdSandboxWorkspace } from '../../commands/hold-sandbox-workspace.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';

let bed: ApiBed;
let owner: Parameters<typeof holdSandboxWorkspace>[1];
beforeAll(async () => {
  bed = await openApiBed();
  const { orgId, workspaceId } = bed;
  const path = `/api/v1/workspaces/${workspaceId}/integrations`;
  const { integration } = await bed.api.must(201).post(path, { integrationName: 'advanced-code' });
  owner = { orgId, workspaceId, workspaceIntegrationId: integration.id, endUserId: 'ann' };
});
afterAll(() => bed.close());

/** As the gateway, but nobody waits: who would have to is refused at once. */
const impatient = () => ({ db: bed.gateway.db, notices: { ...bed.gateway.notices, waitFor: async () => undefined } });
const aFile = (path: string) => ({ path, content: Buffer.from(path), isExecutable: false });
/** As long ago as a run whose process was killed must have ended. */
const LONG_AGO_SECONDS = -61;

test('while one run holds a folder, another is refused when it has waited long enough', async () => {
  const held = await holdSandboxWorkspace(bed.gateway, owner, 300);
  await expect(holdSandboxWorkspace(impatient(), owner, 300)).rejects.toMatchObject({
    code: 'ACTION_FAILED',
    details: { code: 'CODE_SANDBOX_BUSY' },
  });
  const other = await holdSandboxWorkspace(impatient(), { ...owner, endUserId: 'bob' }, 300);
  await Promise.all([held.release(), other.release()]);
  await (await holdSandboxWorkspace(impatient(), owner, 300)).release();
});

test('who waits is told as soon as the folder is free', async () => {
  const held = await holdSandboxWorkspace(bed.gateway, owner, 300);
  const waiting = holdSandboxWorkspace(bed.gateway, owner, 300);
  await held.release();
  await (await waiting).release();
});

test('what a killed process held is free once its run would have ended, and that run can save nothing more', async () => {
  const killed = await holdSandboxWorkspace(bed.gateway, owner, LONG_AGO_SECONDS);
  const next = await holdSandboxWorkspace(impatient(), owner, 300);
  await bed.gateway.db.transaction((tx) => next.save(tx, [aFile('next')]));
  const late = bed.gateway.db.transaction((tx) => killed.save(tx, [aFile('late')]));
  await expect(late).rejects.toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('given to another run') });
  await killed.release();
  await expect(holdSandboxWorkspace(impatient(), owner, 300)).rejects.toMatchObject({ details: { code: 'CODE_SANDBOX_BUSY' } });
  await next.release();
  const after = await holdSandboxWorkspace(impatient(), owner, 300);
  expect(after.files).toEqual([aFile('next')]);
  await after.release();
});
