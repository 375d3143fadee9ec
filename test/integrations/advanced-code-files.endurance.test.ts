import { SANDBOX_PROGRAM } from '../../domain/limits.ts';
import { useAdvancedCode } from './advanced-code-bed.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = SANDBOX_PROGRAM.files;

const { bed, aSandbox, withPrograms, storage, paths } = useAdvancedCode();

describe('a persistent sandbox', () => {
  const persistent = { sandboxPersistence: 'persistent' };

  withPrograms('keeps the files of its folder for the next run', async () => {
    const { sh } = await aSandbox(persistent);
    await sh(
      'mkdir -p d/e; printf one > d/e/f; printf "#!/bin/sh\\necho ran" > run; chmod +x run; printf "\\000\\377" > bytes; touch gone; exit 9',
    );
    expect((await sh('cat d/e/f; ./run; wc -c < bytes; rm gone; printf two > d/e/f')).stdout.replaceAll(' ', '')).toBe('oneran\n2\n');
    expect((await sh('cat d/e/f; ls')).stdout).toBe('twobytes\nd\nrun\n');
  });

  withPrograms('is separate for each workspace integration and each end user', async () => {
    const [one, two] = [await aSandbox(persistent), await aSandbox(persistent)];
    await one.sh('echo mine > f', { endUserId: 'ann' });
    expect((await one.sh('cat f', { endUserId: 'ann' })).stdout).toBe('mine\n');
    for (const other of [one.sh('ls', { endUserId: 'bob' }), one.sh('ls'), two.sh('ls', { endUserId: 'ann' })])
      expect((await other).stdout).toBe('');
  });

  withPrograms('is used by one run at a time; other runs wait', async () => {
    const { sh } = await aSandbox(persistent);
    const count = 'n=$(cat n 2>/dev/null || echo 0); sleep 0.2; echo $((n+1)) > n';
    await Promise.all([sh(count), sh(count), sh(count)]);
    expect((await sh('cat n')).stdout).toBe('3\n');
  });

  withPrograms('keeps only files; the answer names the links and other entries that are not kept', async () => {
    const { sh } = await aSandbox(persistent);
    expect((await sh('echo x > f; ln -s /etc/passwd link; mkfifo pipe; ln -s . here')).notKept.sort()).toEqual(['here', 'link', 'pipe']);
    expect((await sh('ls -A')).stdout).toBe('f\n');
  });

  withPrograms('the changes of a run that was stopped are not kept', async () => {
    const { id, sh, refused } = await aSandbox({ ...persistent, timeoutSeconds: 5 });
    await sh('echo before > f');
    const path = `/api/v1/workspaces/${bed.workspaceId}/integrations/${id}`;
    await bed.api.must(200).patch(path, { settings: { advancedCode: { ...persistent, timeoutSeconds: 1 } } });
    expect(await refused('echo after > f; sleep 60')).toMatchObject({ details: { code: 'CODE_TIMEOUT' } });
    expect((await sh('cat f')).stdout).toBe('before\n');
  });

  withPrograms(
    'keeps files up to its limits; a run that exceeds the limits is refused and changes nothing',
    async () => {
      const { sh, refused } = await aSandbox(persistent);
      const mb = (bytes: number) => bytes / MEGABYTE;
      const fill = (files: number, each: number) => `rm -rf *; for i in $(seq ${files}); do head -c ${each} /dev/zero > f$i; done`;
      const most = Math.floor(LIMITS.maxBytes / LIMITS.fileMaxBytes);
      const refusals = [fill(LIMITS.max + 1, 0), fill(1, LIMITS.fileMaxBytes + 1), `${fill(most, LIMITS.fileMaxBytes)}; echo x > more`];
      for (const code of refusals) {
        expect(await refused(code)).toMatchObject({
          status: 400,
          error: expect.stringContaining(`${LIMITS.max} files and ${mb(LIMITS.maxBytes)} MB`),
          details: { code: 'CODE_FILES_TOO_LARGE' },
        });
      }
      expect((await sh('ls -A')).stdout).toBe('');
      for (const code of [fill(LIMITS.max, 0), fill(most, LIMITS.fileMaxBytes)]) await sh(code);
      expect((await sh('ls | wc -l')).stdout.trim()).toBe(String(most));
    },
    60_000,
  );

  withPrograms('a sandbox is deleted with its workspace integration', async () => {
    const { id, sh } = await aSandbox(persistent);
    await sh('echo x > f');
    await bed.api.must(200).delete(`/api/v1/workspaces/${bed.workspaceId}/integrations/${id}`);
    for (const table of ['sandbox_workspaces', 'sandbox_files'])
      expect(await bed.gateway.db(table).where({ workspace_integration_id: id })).toEqual([]);
  });
});

describe('mounted storage', () => {
  const workspace = { scope: 'workspace' };

  withPrograms('appears at ./storage and is written back: new, changed and removed files', async () => {
    const { sh } = await aSandbox({ storageMountScope: 'workspace' });
    await storage('write_file', { path: 'reports/a.csv', content: '1', contentType: 'text/csv' }, workspace);
    await storage('write_file', { path: 'old', content: 'x' }, workspace);
    expect(
      (
        await sh(
          'cat storage/reports/a.csv; rm storage/old; echo 2 >> storage/reports/a.csv; mkdir -p storage/n; printf "\\377" > storage/n/b',
        )
      ).stdout,
    ).toBe('1');
    expect(await paths(workspace)).toEqual(['n/b', 'reports/a.csv']);
    expect(await storage('read_file', { path: 'reports/a.csv' }, workspace)).toMatchObject({ content: '12\n', contentType: 'text/csv' });
    expect(await storage('read_file', { path: 'n/b', outputEncoding: 'base64' }, workspace)).toMatchObject({
      content: '/w==',
      contentType: 'application/octet-stream',
    });
  });

  withPrograms('has its folder even if no file is stored', async () => {
    for (const more of [{}, { sandboxPersistence: 'persistent' }]) {
      const { sh } = await aSandbox({ storageMountScope: 'external', storageExternalId: 'empty', ...more });
      expect(await sh('ls storage && echo first > storage/f')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
      expect(await paths({ scope: 'external', externalId: 'empty' })).toEqual(['f']);
      expect(await sh('rm storage/f')).toMatchObject({ exitCode: 0 });
      expect(await paths({ scope: 'external', externalId: 'empty' })).toEqual([]);
    }
  });

  withPrograms('the storage is unchanged after a program that failed', async () => {
    const { sh } = await aSandbox({ storageMountScope: 'external', storageExternalId: 'failing' });
    expect(await sh('echo x > storage/f && exit 3')).toMatchObject({ exitCode: 3 });
    expect(await paths({ scope: 'external', externalId: 'failing' })).toEqual([]);
  });

  withPrograms('the storage has the scope of the settings', async () => {
    const external = (externalId: string) => ({ scope: 'external', externalId });
    await (await aSandbox({ storageMountScope: 'external', storageExternalId: 'one' })).sh('echo x > storage/ext');
    expect(await paths(external('one'))).toEqual(['ext']);
    expect(await paths(external('two'))).toEqual([]);
    const perUser = await aSandbox({ storageMountScope: 'end_user' });
    await perUser.sh('echo x > storage/usr', { endUserId: 'ann' });
    expect(await paths({ scope: 'end_user' }, 'ann')).toEqual(['usr']);
    expect(await paths({ scope: 'end_user' }, 'bob')).toEqual([]);
    expect((await (await aSandbox()).sh('ls -A')).stdout).toBe('');
  });

  test('the storage scope end_user requires an end user, and the error names both remedies', async () => {
    const { refused } = await aSandbox({ storageMountScope: 'end_user' });
    expect(await refused('true')).toMatchObject({
      status: 400,
      code: 'END_USER_REQUIRED',
      error: expect.stringMatching(/endUserId.*settings\.advancedCode\.storageMountScope/),
    });
  });

  withPrograms('a run that leaves a link in the storage is refused, and changes nothing', async () => {
    const { refused, sh } = await aSandbox({ storageMountScope: 'external', storageExternalId: 'links', sandboxPersistence: 'persistent' });
    await sh('echo x > storage/f; echo y > g');
    for (const code of [
      'ln -s /etc/passwd storage/link',
      'rm storage/f; ln -s /etc/passwd storage/f',
      'mkfifo storage/pipe',
      'rm -rf storage; ln -s / storage',
    ])
      expect(await refused(`echo z > g; ${code}`)).toMatchObject({
        status: 400,
        code: 'ACTION_FAILED',
        error: expect.stringContaining('only plain files'),
      });
    expect((await sh('cat g storage/f')).stdout).toBe('y\nx\n');
  });

  withPrograms('storage with conflicting paths or too much data is refused, and the error states the reason', async () => {
    const scope = { scope: 'external', externalId: 'odd' };
    const { refused, sh } = await aSandbox({ storageMountScope: 'external', storageExternalId: 'odd' });
    await storage('write_file', { path: 'a', content: '' }, scope);
    await storage('write_file', { path: 'a/b', content: '' }, scope);
    expect(await refused('true')).toMatchObject({
      status: 400,
      error: expect.stringContaining('"a" is a file and also the folder of "a/b"'),
    });
    await storage('delete_file', { path: 'a' }, scope);
    await storage('write_file', { path: 'x'.repeat(256), content: '' }, scope);
    expect(await refused('true')).toMatchObject({ status: 400, error: expect.stringContaining('255 bytes') });
    await storage('delete_file', { path: 'x'.repeat(256) }, scope);
    expect(await refused('cd storage; head -c 1048577 /dev/zero > large')).toMatchObject({
      status: 400,
      error: expect.stringContaining('1048576'),
    });
    expect(await refused(`cd storage; for i in $(seq ${LIMITS.max}); do : > f$i; done`)).toMatchObject({
      details: { code: 'CODE_FILES_TOO_LARGE' },
    });
    await sh(`cd storage; for i in $(seq ${LIMITS.max - 1}); do : > f$i; done`);
    expect(await paths(scope)).toHaveLength(LIMITS.max);
  });
});
