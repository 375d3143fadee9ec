import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Confinement } from '../../sandbox/host/confinement.ts';
import { loadRunnerProgram } from '../../sandbox/host/runner-program.ts';
import { runProbe } from '../../sandbox/selftest/run-probe.ts';
import { attemptsFor } from '../../sandbox/selftest/system-call-attempts.ts';
import { tryNative } from '../../sandbox/selftest/try-confinements.ts';
import { aSandbox } from './a-sandbox.ts';

const SELFTEST = join(import.meta.dirname, '../../sandbox/selftest.ts');
const onLinux = process.platform === 'linux' ? test : test.skip;
/** Tests the selftest without permission to create namespaces, as in most containers. */
const inContainer = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0 ? test : test.skip;

function selftest(command: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(command, args, (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }));
  });
}

onLinux(
  'without confinement, every attack except the one on the environment succeeds',
  async () => {
    const bare: Confinement = {
      hasOwnRoot: false,
      hasNoNetwork: false,
      user: 'same',
      hasNoPrivileges: false,
      hasResourceLimits: false,
      hasCallFilter: false,
    };
    const rows = await tryNative({ confinement: bare, program: loadRunnerProgram(), memoryMb: 64 });
    expect(rows.filter(({ holds }) => holds).map(({ confinement }) => confinement)).toEqual(['empty environment']);
  },
  120_000,
);

onLinux('a file that can be created counts as writable, even if no byte can be written', async () => {
  const confinement: Confinement = {
    ...{ hasOwnRoot: false, hasNoNetwork: false, user: 'same', hasNoPrivileges: false },
    hasResourceLimits: true,
    hasCallFilter: false,
  };
  const attempts = attemptsFor(process.arch);
  const target = {
    port: 1,
    parentPid: process.pid,
    siblingPid: process.pid,
    ownFile: SELFTEST,
    setpriv: 'setpriv',
    memoryMaxMb: 64,
    launcher: '',
    attempts,
  };
  const { addonPath } = loadRunnerProgram();
  const { got, detail } = await runProbe('writing files', target, { confinement, addonPath, memoryMb: 64 });
  expect({ got, detail }).toEqual({ got: true, detail: expect.stringMatching(/^made \/.*nothing could be written/) });
  expect(existsSync(/^made (\S+),/.exec(detail)![1]!)).toBe(false);
});

onLinux(
  'the selftest reports each confinement, and its exit code is 0 if every confinement holds',
  async () => {
    const sandbox = aSandbox();
    const { missing } = await sandbox.describeConfinement();
    await sandbox.close();
    const { code, stdout, stderr } = await selftest(process.execPath, SELFTEST);
    expect(stderr).toBe('');
    expect(stdout.match(/^.+ {2}(holds {2}|MISSING) {2}.+$/gm)).toHaveLength(21);
    expect(stdout).toMatch(
      /^SANDBOX_REUSE=principal: a process serves one principal .*\n\nSANDBOX_REUSE=never: a process serves one pass/m,
    );
    expect(stdout).toMatch(/^SANDBOX_REUSE=principal: passes isolated +holds +two passes of one principal in one process/m);
    if (missing.length === 0) expect([code, stdout.match(/MISSING.*/g)]).toEqual([0, null]);
  },
  120_000,
);

inContainer(
  "if namespaces are forbidden, the selftest explains the consequence and the remedy, with the kernel's error",
  async () => {
    const setpriv = ['--bounding-set=-sys_admin', '--', process.execPath, SELFTEST];
    const { code, stdout } = await selftest('setpriv', ...setpriv);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^no files of this machine +MISSING +read/m);
    expect(stdout).toMatch(/^no network +holds/m);
    expect(stdout).toMatch(/^no files of the service +holds/m);
    expect(stdout).toMatch(/How to get it: .*kernel\.unprivileged_userns_clone/);
    expect(stdout).toMatch(/Operation not permitted/);
    const brief = await selftest('setpriv', ...setpriv, '--brief');
    expect(brief).toMatchObject({ code: 1, stdout: expect.stringContaining('can read the files that their user may read') });
  },
  120_000,
);
