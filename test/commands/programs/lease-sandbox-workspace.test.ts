import { leaseSandboxWorkspace } from '../../../commands/programs/lease-sandbox-workspace.ts';
import { type ApiBed, openApiBed } from '../../api/api-bed.ts';

let bed: ApiBed;
let owner: Parameters<typeof leaseSandboxWorkspace>[1];
beforeAll(async () => {
  bed = await openApiBed();
  const { orgId, workspaceId } = bed;
  const path = `/api/v1/workspaces/${workspaceId}/integrations`;
  const { integration } = await bed.api.must(201).post(path, { integrationName: 'advanced-code' });
  owner = { orgId, workspaceId, workspaceIntegrationId: integration.id, endUserId: 'ann' };
});
afterAll(() => bed.close());

/** The parts of a gateway on which a caller that would have to wait is refused immediately. */
const impatient = () => ({ db: bed.gateway.db, notices: { ...bed.gateway.notices, waitFor: async () => undefined } });
const aFile = (path: string) => ({ path, content: Buffer.from(path), isExecutable: false });
/** A lease lasts 60 seconds longer than the time limit, so this lease has already ended. */
const LONG_AGO_SECONDS = -61;

test('while one run holds a folder, another run is refused after its maximum wait', async () => {
  const held = await leaseSandboxWorkspace(bed.gateway, owner, 300);
  await expect(leaseSandboxWorkspace(impatient(), owner, 300)).rejects.toMatchObject({
    code: 'ACTION_FAILED',
    details: { code: 'CODE_SANDBOX_BUSY' },
  });
  const other = await leaseSandboxWorkspace(impatient(), { ...owner, endUserId: 'bob' }, 300);
  await Promise.all([held.release(), other.release()]);
  await (await leaseSandboxWorkspace(impatient(), owner, 300)).release();
});

test('a waiting caller continues as soon as the folder is free', async () => {
  const held = await leaseSandboxWorkspace(bed.gateway, owner, 300);
  const waiting = leaseSandboxWorkspace(bed.gateway, owner, 300);
  await held.release();
  await (await waiting).release();
});

test('after the time limit, a killed process loses its lease and cannot save files', async () => {
  const killed = await leaseSandboxWorkspace(bed.gateway, owner, LONG_AGO_SECONDS);
  const next = await leaseSandboxWorkspace(impatient(), owner, 300);
  await bed.gateway.db.transaction((tx) => next.save(tx, [aFile('next')]));
  const late = bed.gateway.db.transaction((tx) => killed.save(tx, [aFile('late')]));
  await expect(late).rejects.toMatchObject({ code: 'ACTION_FAILED', message: expect.stringContaining('given to another run') });
  await killed.release();
  await expect(leaseSandboxWorkspace(impatient(), owner, 300)).rejects.toMatchObject({ details: { code: 'CODE_SANDBOX_BUSY' } });
  await next.release();
  const after = await leaseSandboxWorkspace(impatient(), owner, 300);
  expect(after.files).toEqual([aFile('next')]);
  await after.release();
});
