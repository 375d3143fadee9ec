import { once } from 'node:events';
import { existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SANDBOX_PROGRAM } from '../../../domain/limits.ts';
import { until } from '../../support/until.ts';
import { ENVIRONMENT_SECRET, exited, LEAKED, openProgramBed, processesWith, USERS, untilGone, useProgramBed } from './program-bed.ts';

const onLinux = process.platform === 'linux' ? describe.each(USERS) : describe.skip.each(USERS);

onLinux('a program of a service that runs as %s', (_name, uid) => {
  const { confined, run, output, pid } = useProgramBed(uid);
  const folder = mkdtempSync(join(tmpdir(), 'program-test-'));
  const secretFile = join(folder, 'secrets.json');

  beforeAll(() => {
    writeFileSync(secretFile, 'secret-of-the-data-folder', { mode: 0o644 });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  confined('returns its exit code and its output, also if it writes through /dev', async () => {
    expect(await run('echo out; echo err >&2; echo more > /dev/stderr; echo last > /dev/stdout; exit 3')).toMatchObject({
      kind: 'exited',
      exitCode: 3,
      stdout: 'out\nlast\n',
      stderr: 'err\nmore\n',
      truncated: false,
    });
    expect(exited(await run('kill -SEGV $$')).exitCode).toBe(128 + 11);
  });

  confined('starts in its own folder with a fixed list of variables and an empty stdin', async () => {
    const lines = (await output('pwd; wc -c < /dev/stdin; cat | wc -c; env')).split('\n');
    expect(lines.slice(0, 3).map((line) => line.trim())).toEqual(['/workspace', '0', '0']);
    const names = lines.slice(3, -1).map((line) => line.split('=')[0]);
    const known = [
      'HOME',
      'LANG',
      'PATH',
      'PWD',
      'TMPDIR',
      'PYTHONPATH',
      'PYTHONDONTWRITEBYTECODE',
      'MALLOC_ARENA_MAX',
      'OLDPWD',
      'SHLVL',
      '_',
    ];
    expect(names.filter((name) => !known.includes(name!))).toEqual([]);
  });

  confined('sees only the installed programs of this machine, and no other files', async () => {
    const places = [
      '/root',
      '/home',
      '/var',
      '/srv',
      '/mnt',
      '/opt',
      '/run',
      '/sys',
      '/etc/shadow',
      '/etc/hostname',
      process.cwd(),
      folder,
    ];
    expect(await output(places.map((place) => `[ ! -e '${place}' ] || echo '${place}'`).join('\n'))).toBe('');
    const found = await output(
      `cat '${secretFile}'; cat '/proc/${process.pid}/root${secretFile}'; cat /old/etc/shadow; ls /jail /old; true`,
    );
    expect(found.replaceAll(/\/(jail|old):|\s/g, '')).toBe('');
  });

  confined('sees only its own processes, and not the environment or memory of the service', async () => {
    const seen = await output('cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr "\\0" "\\n"; ls -d /proc/[0-9]* | wc -l; echo end');
    expect(seen).not.toContain(ENVIRONMENT_SECRET);
    expect(seen).not.toContain('program-host');
    expect(Number(seen.trim().split('\n').at(-2))).toBeLessThan(10);
    expect(exited(await run(`kill -0 ${pid()}`)).exitCode).not.toBe(0);
  });

  confined('has only three open descriptors, even if the service inherited more', async () => {
    expect(readlinkSync(`/proc/${pid()}/fd/${LEAKED}`)).toBe('/');
    const seen = await output('for fd in /proc/self/fd/*; do readlink $fd; done; (cd /proc/self/fd/30/etc) 2>/dev/null && echo out');
    for (const line of seen.trim().split('\n')) expect(line).toMatch(/^(\/dev\/null|pipe:\[\d+\]|\/proc\/\d+\/fd|)$/);
  });

  confined('cannot learn the name of this machine or the path of its own control group', async () => {
    const seen = await output(
      'uname -n; cat /proc/self/cgroup 2>/dev/null; cat /proc/version /proc/cmdline /proc/sys/kernel/hostname 2>/dev/null; true',
    );
    expect(seen.split('\n')[0]).toBe('sandbox');
    for (const line of seen.trim().split('\n').slice(1)) expect(line).toMatch(/^\d+:[\w=,]*:\/$/);
  });

  confined('sees no folder of a concurrent program', async () => {
    const other = run('echo other-tenant > mine; for i in $(seq 50); do sleep 0.01; done; cat mine');
    expect(
      await output('ls -A /workspace /tmp; grep -rl other-tenant /workspace /tmp /dev /program /proc/*/root/workspace 2>/dev/null'),
    ).not.toMatch(/mine/);
    expect(exited(await other).stdout).toBe('other-tenant\n');
  });

  confined('reaches no network address, on this machine or elsewhere', async () => {
    let connections = 0;
    const server = createServer(() => connections++).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const connect = (host: string) => `(exec 3<>/dev/tcp/${host}/${port}) && echo reached`;
    expect(await output(`${connect('127.0.0.1')}; ${connect('192.0.2.1')}; ${connect('localhost')}; true`)).toBe('');
    expect(connections).toBe(0);
    server.close();
  });

  confined('has no privileges and cannot gain any', async () => {
    const status = await output('cat /proc/self/status || echo none');
    if (status !== 'none\n') {
      for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) expect(status).toMatch(new RegExp(`${set}:\\t0+\\n`));
      expect(status).toContain('NoNewPrivs:\t1');
    }
    const attempts = [
      'unshare --user true',
      'unshare --net true',
      'mount -t tmpfs x /tmp',
      'chroot / true',
      'mknod /tmp/d b 8 0',
      'touch /usr/bin/x',
      'touch /etc/x',
      'touch /x',
      'touch /dev/x',
      'mount -o remount,rw /usr/bin',
    ];
    expect(await output(attempts.map((attempt) => `${attempt} 2>/dev/null && echo '${attempt}'`).join('\n'))).toBe('');
  });

  confined('can send signals only to its own processes', async () => {
    expect(exited(await run('kill -9 1 2>/dev/null; trap "echo trapped" TERM; kill 0; echo on')).stdout).toBe('trapped\non\n');
    expect(exited(await run('kill -9 -1; echo not reached')).stdout).not.toContain('Error');
    expect(exited(await run('echo the next one runs')).stdout).toBe('the next one runs\n');
  });

  confined('leaves no process behind, not even a detached process', async () => {
    const mark = `${1000 + Math.random()}`;
    const ended = exited(
      await run(`sleep ${mark} & setsid sleep ${mark} & (setsid sh -c 'trap "" TERM HUP; sleep ${mark}' &) ; echo done`),
    );
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'done\n' });
    await untilGone(mark);
  });

  confined('is ended at its deadline, with all its child processes', async () => {
    const mark = `${1000 + Math.random()}`;
    const result = await run(`echo begun; setsid sleep ${mark} & while :; do sleep 0.1; done`, { timeMs: 5000 });
    expect(result).toMatchObject({
      kind: 'failed',
      code: 'CODE_TIMEOUT',
      stdout: 'begun\n',
      message: expect.stringContaining('5 seconds'),
    });
    await untilGone(mark);
  });

  confined('is ended when its call is canceled', async () => {
    const mark = `${1000 + Math.random()}`;
    expect(await run(`sleep ${mark}`, { cancelAfterMs: 300 })).toMatchObject({ kind: 'failed', code: 'CODE_CANCELED' });
    await untilGone(mark);
  });

  confined('is ended when the service is killed', async () => {
    const doomed = await openProgramBed(uid);
    const mark = `${1000 + Math.random()}`;
    void doomed.run(`sleep ${mark}`);
    await until(() => processesWith(mark).length > 0);
    await doomed.kill();
    await untilGone(mark);
  });

  confined('cannot start more processes than the limit', async () => {
    const hasProc = (await output('[ ! -d /proc/1 ] || echo yes')) !== '';
    const count = Number(await output(`sh -c 'for i in $(seq 300); do sleep 30 & done' 2>/dev/null; set -- /proc/[0-9]*; echo $#`));
    if (hasProc) expect(count).toBeGreaterThan(SANDBOX_PROGRAM.processes / 2);
    // Two more processes exist: process 1, and the process that ends the program if the service
    // ends.
    expect(count).toBeLessThanOrEqual(SANDBOX_PROGRAM.processes + 2);
    expect(exited(await run('for i in $(seq 40); do sleep 0.1 & done; wait; echo fine')).stdout).toBe('fine\n');
  });

  confined('cannot use more memory than the limit, in one process or in total', async () => {
    const fill = (mb: number) => `head -c ${mb}m /dev/zero | tail -c ${mb}m | wc -c`;
    expect(exited(await run(fill(100))).stdout.trim()).toBe(String(100 * 1024 * 1024));
    const one = await run(fill(SANDBOX_PROGRAM.addressSpaceMb + 100));
    expect(one.kind === 'failed' ? one.code : one.stderr).toMatch(/CODE_MEMORY|memory exhausted|[Cc]annot allocate/);
    const hold = `(head -c 200m /dev/zero | tail -c 200m | (sleep 20; cat)) > /dev/null &`;
    expect(await run(`${hold} ${hold} ${hold} ${hold} wait`)).toMatchObject({ kind: 'failed', code: 'CODE_MEMORY' });
  });

  confined('cannot exceed the limits on the sizes and the number of its files', async () => {
    const code = `head -c ${SANDBOX_PROGRAM.fileMb}m /dev/zero > just && echo just
      (head -c ${SANDBOX_PROGRAM.fileMb + 1}m /dev/zero > over) 2>/dev/null || echo no larger
      rm over; head -c 31m /dev/zero > second && echo second
      head -c 5m /dev/zero > third 2>/dev/null || echo full
      rm -f *; i=0; while [ $i -lt 20000 ] && : > f$i; do i=$((i+1)); done 2>/dev/null; [ $i -lt 20000 ] && echo no more`;
    expect(await output(code)).toBe('just\nno larger\nsecond\nfull\nno more\n');
  });

  confined('can write any amount of output, and the output above the limit is discarded', async () => {
    const max = SANDBOX_PROGRAM.outputMaxBytes;
    const write = async (bytes: number) => exited(await run(`head -c ${bytes} /dev/zero | tr '\\0' x`));
    for (const bytes of [max - 1, max]) expect(await write(bytes)).toMatchObject({ truncated: false, stdout: 'x'.repeat(bytes) });
    for (const bytes of [max + 1, 50_000_000]) expect(await write(bytes)).toMatchObject({ truncated: true, stdout: 'x'.repeat(max) });
    expect(exited(await run(`head -c ${max + 1} /dev/zero >&2`))).toMatchObject({ truncated: true, stdout: '' });
  });

  confined('sees an empty folder in place of a hidden folder, and cannot write there', async () => {
    const hiding = await openProgramBed(uid, { hidden: ['/usr/share', '/no/such/folder'] });
    expect(exited(await hiding.run('ls -A /usr/share; touch /usr/share/x 2>/dev/null || echo read-only')).stdout).toBe('read-only\n');
    await hiding.close();
    expect(await output('ls -A /usr/share')).not.toBe('');
  });

  confined('can import the standard library and modules of its folder in Python', async () => {
    const files = [{ path: 'mine.py', content: Buffer.from('value = 42'), isExecutable: false }];
    const result = await run('import json, os, mine\nprint(json.dumps([mine.value, os.getcwd()]))\nraise SystemExit(7)', {
      language: 'python',
      files,
    });
    if (['/usr/bin/python3', '/usr/local/bin/python3'].some(existsSync))
      expect(result).toMatchObject({ kind: 'exited', exitCode: 7, stdout: '[42, "/workspace"]\n' });
    else expect(result).toMatchObject({ kind: 'failed', code: 'CODE_INTERPRETER_MISSING', message: expect.stringContaining('python3') });
  });
});
