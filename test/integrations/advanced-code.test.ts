import { existsSync } from 'node:fs';
import { SANDBOX_PROGRAM } from '../../domain/limits.ts';
import { type ApiBed, openApiBed } from '../api/api-bed.ts';
import { issuesOf } from './run-action.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = SANDBOX_PROGRAM.files;

let bed: ApiBed;
let runsPrograms = false;
beforeAll(async () => {
  bed = await openApiBed();
  runsPrograms = (await (await bed.gateway.sandboxes.programs()).cage()) !== null;
});
afterAll(() => bed.close());

let aliases = 0;
/** A sandbox of the workspace with these settings; answers what runs code in it. */
async function aSandbox(advancedCode: object = {}) {
  const alias = `box-${++aliases}`;
  const settings = { advancedCode };
  const made = { integrationName: 'advanced-code', alias, settings };
  const { integration } = await bed.api.must(201).post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, made);
  const call = (language: string, code: string, fields: object) => ({
    ...{ workspaceId: bed.workspaceId, integrationName: 'advanced-code', integrationAlias: alias, actionName: 'run_code' },
    ...{ input: { language, code }, ...fields },
  });
  const execute = (language: string, code: string, fields: object = {}) =>
    bed.api.post('/api/v1/actions/execute', call(language, code, fields));
  return {
    id: integration.id as string,
    execute,
    js: async (code: string) => output(await execute('javascript', code)),
    sh: async (code: string, fields: object = {}) => output(await execute('shell', code, fields)),
    refused: async (code: string, fields: object = {}) => {
      const { status, body } = await execute('shell', code, fields);
      return { status, ...body } as { status: number; code: string; error: string; details: Record<string, string> };
    },
  };
}

function output({ status, body }: { status: number; body: Record<string, unknown> }) {
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.output as { exitCode: number; stdout: string; stderr: string; truncated: boolean; result: unknown; notKept: string[] };
}

/** Where this machine cannot confine programs, the promise is the refusal. */
function withPrograms(promise: string, check: () => Promise<void>, timeoutMs?: number) {
  test(
    promise,
    async () => {
      if (runsPrograms) return check();
      expect(await (await aSandbox()).refused('true')).toMatchObject({
        status: 400,
        code: 'ACTION_FAILED',
        details: { code: 'CODE_UNAVAILABLE' },
      });
    },
    timeoutMs,
  );
}

const storage = async (actionName: string, input: object, scope: object, endUserId?: string) => {
  const alias = `files-${++aliases}`;
  await bed.api
    .must(201)
    .post(`/api/v1/workspaces/${bed.workspaceId}/integrations`, { integrationName: 'storage', alias, settings: { persistence: scope } });
  const call = { workspaceId: bed.workspaceId, integrationName: 'storage', integrationAlias: alias, actionName, input };
  return (await bed.api.must(200).post('/api/v1/actions/execute', { ...call, ...(endUserId && { endUserId }) })).output;
};
const paths = async (scope: object, endUserId?: string) =>
  (await storage('list_files', {}, scope, endUserId)).files.map(({ path }: { path: string }) => path);

describe('JavaScript', () => {
  test('answers in the shape of a program', async () => {
    const { js } = await aSandbox();
    expect(await js('console.log("out"); console.error("err"); return { a: 1 }')).toEqual({
      exitCode: 0,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
      durationMs: expect.any(Number),
      result: { a: 1 },
      notKept: [],
    });
    expect(await js('console.log("so far")\nthrow new Error("mine")')).toMatchObject({
      exitCode: 1,
      stdout: 'so far\n',
      stderr: expect.stringMatching(/^mine \(line 2, column \d+\)\n$/),
      result: null,
    });
  });

  test('has no Node.js', async () => {
    const { js } = await aSandbox();
    expect(await js('return [typeof module, typeof __dirname]')).toMatchObject({ result: ['undefined', 'undefined'] });
    expect((await js('require("fs")')).stderr).toContain('not available');
  });

  test('is ended after the seconds of the settings', async () => {
    const { execute } = await aSandbox({ timeoutSeconds: 1 });
    expect((await execute('javascript', 'for (;;) {}')).body).toMatchObject({
      code: 'ACTION_FAILED',
      error: 'The code ran longer than 1 seconds.',
      details: { code: 'CODE_TIMEOUT' },
    });
  });

  test('says when its log was cut', async () => {
    const { js } = await aSandbox();
    expect(await js('for (let i = 0; i < 1001; i++) console.log(i)')).toMatchObject({ exitCode: 0, truncated: true });
  });
});

test('a call may take as long as the settings let the code run, and a minute round it', () => {
  const { deadlineSeconds } = bed.gateway.catalog.getAction('advanced-code', 'run_code');
  expect([{}, { advancedCode: {} }, { advancedCode: { timeoutSeconds: 1 } }].map((settings) => deadlineSeconds!(settings))).toEqual([
    360, 360, 61,
  ]);
});

test('where the workspace has not configured it, it runs with the defaults', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Bare', slug: 'bare' });
  const call = { workspaceId: workspace.id, integrationName: 'advanced-code', actionName: 'run_code' };
  const answer = await bed.api.must(200).post('/api/v1/actions/execute', { ...call, input: { language: 'javascript', code: 'return 1' } });
  expect(answer.output).toMatchObject({ exitCode: 0, result: 1 });
});

describe('programs', () => {
  withPrograms('answer their exit code and what they wrote', async () => {
    const { sh } = await aSandbox();
    expect(await sh('echo out; echo err >&2; exit 3')).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', result: null });
  });

  withPrograms('run in Python, or say that it is missing', async () => {
    const { status, body } = await (await aSandbox()).execute('python', 'import sys; print(sys.version_info.major)');
    if (['/usr/bin/python3', '/usr/local/bin/python3'].some(existsSync)) expect(body).toMatchObject({ output: { stdout: '3\n' } });
    else expect([status, body]).toMatchObject([400, { code: 'ACTION_FAILED', error: 'python3 is not installed on this machine.' }]);
  });

  withPrograms('are ended after the seconds of the settings, which no caller can change', async () => {
    const { refused } = await aSandbox({ timeoutSeconds: 1 });
    expect(await refused('echo begun; sleep 60')).toMatchObject({
      status: 400,
      code: 'ACTION_FAILED',
      error: 'The program ran longer than 1 seconds and was ended.',
      details: { code: 'CODE_TIMEOUT', stdout: 'begun\n' },
    });
    const input = { language: 'shell', code: 'true' };
    for (const name of ['timeoutSeconds', 'sandboxPersistence', 'storageMountScope', 'env', 'cwd'])
      expect(issuesOf('advanced-code.run_code', { ...input, [name]: 1 })).toHaveLength(1);
    expect(issuesOf('advanced-code.run_code', { ...input, language: 'perl' })).toHaveLength(1);
  });

  withPrograms('start in a fresh folder each time', async () => {
    const { sh } = await aSandbox();
    await sh('echo x > left');
    expect((await sh('ls -A')).stdout).toBe('');
  });
});

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

  withPrograms('is one for each workspace integration and end user', async () => {
    const [one, two] = [await aSandbox(persistent), await aSandbox(persistent)];
    await one.sh('echo mine > f', { endUserId: 'ann' });
    expect((await one.sh('cat f', { endUserId: 'ann' })).stdout).toBe('mine\n');
    for (const other of [one.sh('ls', { endUserId: 'bob' }), one.sh('ls'), two.sh('ls', { endUserId: 'ann' })])
      expect((await other).stdout).toBe('');
  });

  withPrograms('lets one run at a time change it; the other waits', async () => {
    const { sh } = await aSandbox(persistent);
    const count = 'n=$(cat n 2>/dev/null || echo 0); sleep 0.2; echo $((n+1)) > n';
    await Promise.all([sh(count), sh(count), sh(count)]);
    expect((await sh('cat n')).stdout).toBe('3\n');
  });

  withPrograms('keeps no links and nothing that is no file, and names what it left out', async () => {
    const { sh } = await aSandbox(persistent);
    expect((await sh('echo x > f; ln -s /etc/passwd link; mkfifo pipe; ln -s . here')).notKept.sort()).toEqual(['here', 'link', 'pipe']);
    expect((await sh('ls -A')).stdout).toBe('f\n');
  });

  withPrograms('keeps nothing of a run that was stopped', async () => {
    const { id, sh, refused } = await aSandbox({ ...persistent, timeoutSeconds: 5 });
    await sh('echo before > f');
    const path = `/api/v1/workspaces/${bed.workspaceId}/integrations/${id}`;
    await bed.api.must(200).patch(path, { settings: { advancedCode: { ...persistent, timeoutSeconds: 1 } } });
    expect(await refused('echo after > f; sleep 60')).toMatchObject({ details: { code: 'CODE_TIMEOUT' } });
    expect((await sh('cat f')).stdout).toBe('before\n');
  });

  withPrograms(
    'keeps as much as it may and refuses more, keeping what was there',
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

  withPrograms('goes with its workspace integration', async () => {
    const { id, sh } = await aSandbox(persistent);
    await sh('echo x > f');
    await bed.api.must(200).delete(`/api/v1/workspaces/${bed.workspaceId}/integrations/${id}`);
    for (const table of ['sandbox_workspaces', 'sandbox_files'])
      expect(await bed.gateway.db(table).where({ workspace_integration_id: id })).toEqual([]);
  });
});

describe('mounted storage', () => {
  const workspace = { scope: 'workspace' };

  withPrograms('is found at ./storage and written back: new, changed and removed files', async () => {
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

  withPrograms('has its folder also while nothing is stored', async () => {
    for (const more of [{}, { sandboxPersistence: 'persistent' }]) {
      const { sh } = await aSandbox({ storageMountScope: 'external', storageExternalId: 'empty', ...more });
      expect(await sh('ls storage && echo first > storage/f')).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
      expect(await paths({ scope: 'external', externalId: 'empty' })).toEqual(['f']);
      expect(await sh('rm storage/f')).toMatchObject({ exitCode: 0 });
      expect(await paths({ scope: 'external', externalId: 'empty' })).toEqual([]);
    }
  });

  withPrograms('is as it was after a program that failed', async () => {
    const { sh } = await aSandbox({ storageMountScope: 'external', storageExternalId: 'failing' });
    expect(await sh('echo x > storage/f && exit 3')).toMatchObject({ exitCode: 3 });
    expect(await paths({ scope: 'external', externalId: 'failing' })).toEqual([]);
  });

  withPrograms('is that of the scope of the settings', async () => {
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

  test('of an end user needs one, and the refusal names both ways out', async () => {
    const { refused } = await aSandbox({ storageMountScope: 'end_user' });
    expect(await refused('true')).toMatchObject({
      status: 400,
      code: 'END_USER_REQUIRED',
      error: expect.stringMatching(/endUserId.*settings\.advancedCode\.storageMountScope/),
    });
  });

  withPrograms('takes plain files alone: links in it are refused, and nothing is kept', async () => {
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
        error: expect.stringContaining('plain files alone'),
      });
    expect((await sh('cat g storage/f')).stdout).toBe('y\nx\n');
  });

  withPrograms('that is no tree of files, or too large, is not mounted, and says why', async () => {
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
