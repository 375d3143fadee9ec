import { existsSync } from 'node:fs';
import { LAUNCHER_FORMAT } from '../../sandbox/launcher/launcher.ts';
import { useAdvancedCode } from './advanced-code-bed.ts';
import { issuesOf } from './run-action.ts';

const { bed, aSandbox, withPrograms } = useAdvancedCode();

describe('JavaScript', () => {
  test('has the same output fields as other languages', async () => {
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

  test('code is ended after the configured seconds', async () => {
    const { execute } = await aSandbox({ timeoutSeconds: 1 });
    expect((await execute('javascript', 'for (;;) {}')).body).toMatchObject({
      code: 'ACTION_FAILED',
      error: 'The code ran longer than 1 seconds.',
      details: { code: 'CODE_TIMEOUT' },
    });
  });

  test('code is ended at its memory limit, even inside a built-in call, and the next run works', async () => {
    const { execute, js } = await aSandbox();
    for (const code of ["return JSON.parse('[' + '1,'.repeat(3e7) + '1]').length", 'return new Array(3e7).fill(1).length'])
      expect((await execute('javascript', code)).body).toMatchObject({ code: 'ACTION_FAILED', details: { code: 'CODE_MEMORY' } });
    expect(await js('return new Array(1e7).fill(1).length')).toMatchObject({ result: 1e7 });
  });

  test('the output says that the log was cut', async () => {
    const { js } = await aSandbox();
    expect(await js('for (let i = 0; i < 1001; i++) console.log(i)')).toMatchObject({ exitCode: 0, truncated: true });
  });
});

test('a call may take one minute longer than its code', () => {
  const { deadlineSeconds } = bed.gateway.catalog.builtIn.getAction('advanced-code', 'run_code');
  expect([{}, { advancedCode: {} }, { advancedCode: { timeoutSeconds: 1 } }].map((settings) => deadlineSeconds!(settings))).toEqual([
    360, 360, 61,
  ]);
});

test('in a workspace without a workspace integration, code runs with the defaults', async () => {
  const { workspace } = await bed.api.must(201).post('/api/v1/workspaces', { name: 'Bare', slug: 'bare' });
  const call = { workspaceId: workspace.id, integrationName: 'advanced-code', actionName: 'run_code' };
  const answer = await bed.api.must(200).post('/api/v1/actions/execute', { ...call, input: { language: 'javascript', code: 'return 1' } });
  expect(answer.output).toMatchObject({ exitCode: 0, result: 1 });
});

describe('programs', () => {
  withPrograms('return their exit code and output', async () => {
    const { sh } = await aSandbox();
    expect(await sh('echo out; echo err >&2; exit 3')).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n', result: null });
  });

  const HAS_FILTERS = process.platform === 'linux' && process.arch === 'x64' && existsSync('/proc/sys/kernel/seccomp');
  (HAS_FILTERS ? withPrograms : test.skip)(
    'cannot reach keyrings, or sockets other than local, TCP and UDP, even with a binary that they create',
    async () => {
      const { sh } = await aSandbox();
      // The calls are keyctl(GET_KEYRING_ID), keyctl(JOIN_SESSION_KEYRING), socket(AF_NETLINK) and
      // getpid.
      const calls = ['fa 0 fffffffd 1', 'fa 1 0', '29 10 3 0', '27'].map((call) => `./call -c ${call}; echo $?`);
      const { stdout } = await sh([`printf '${LAUNCHER_FORMAT}' > call; chmod +x call`, ...calls].join('\n'));
      expect(stdout).toBe('1\n1\n1\n0\n');
    },
  );

  withPrograms('run in Python, or fail with an error that says that Python is missing', async () => {
    const { status, body } = await (await aSandbox()).execute('python', 'import sys; print(sys.version_info.major)');
    if (['/usr/bin/python3', '/usr/local/bin/python3'].some(existsSync)) expect(body).toMatchObject({ output: { stdout: '3\n' } });
    else expect([status, body]).toMatchObject([400, { code: 'ACTION_FAILED', error: 'python3 is not installed on this machine.' }]);
  });

  withPrograms('programs are ended after the configured seconds, which callers cannot change', async () => {
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

  withPrograms('each program starts in a new folder', async () => {
    const { sh } = await aSandbox();
    await sh('echo x > left');
    expect((await sh('ls -A')).stdout).toBe('');
  });
});
