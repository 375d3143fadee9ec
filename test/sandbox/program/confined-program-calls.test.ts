import { existsSync, readFileSync } from 'node:fs';
import { launcherCode } from '../../../sandbox/launcher/launcher.ts';
import { until } from '../../support/until.ts';
import { CAGES, exited, openProgramBed, USERS, useProgramBed } from './program-bed.ts';

const hasFilters = process.platform === 'linux' && process.arch === 'x64' && existsSync('/proc/sys/kernel/seccomp');
const PYTHON = ['/usr/bin/python3', '/usr/local/bin/python3'].some(existsSync);
/** A program that makes one system call and exits with the error number of the call. */
const attempt = { path: 'attempt', content: launcherCode() ?? Buffer.alloc(0), isExecutable: true };
const EPERM = '1';
const ENOSYS = '38';

/** Each call is written as its number and its arguments, in hexadecimal. */
const CALLS: [call: string, error: string][] = [
  // Keys: keyctl for four keyrings, add_key, request_key.
  ...['fa 0 fffffffd 1', 'fa 0 fffffffc 0', 'fa 0 fffffffb 0', 'fa 1 0', 'f8 0 0 0 0 fffffffd', 'f9'].map((call): [string, string] => [
    call,
    EPERM,
  ]),
  // Other processes and the kernel: bpf, perf_event_open, userfaultfd, ptrace(TRACEME),
  // process_vm_readv, kcmp, pidfd_getfd.
  ...['141', '12a', '143', '65 0', '136', '138', '1b6'].map((call): [string, string] => [call, EPERM]),
  // Namespaces and files: unshare(CLONE_FILES), unshare(CLONE_NEWUSER), setns, mount, fsopen,
  // clone(CLONE_NEWUSER), personality(query), open_by_handle_at.
  ...['110 400', '110 10000000', '134', 'a5', '1ae', '38 10000011', '87 ffffffff', '130'].map((call): [string, string] => [call, EPERM]),
  // Sockets: netlink, packet, algorithms, virtual machines, raw, SCTP.
  ...['29 10 3 0', '29 11 3 0', '29 26 5 0', '29 28 1 0', '29 2 3 1', '29 2 1 84'].map((call): [string, string] => [call, EPERM]),
  // Memory that outlives a process or that no limit counts: memfd_create, shmget, msgget, semget.
  ...['13f', '1d 0 1000 380', '44 0 380', '40 0 1 380'].map((call): [string, string] => [call, EPERM]),
  // Calls that seem to be missing: io_uring_setup, clone3, getpid of x32.
  ...['1a9 1', '1b3', '40000027'].map((call): [string, string] => [call, ENOSYS]),
  // Allowed calls: getpid, socket(AF_UNIX), socket(AF_INET).
  ...['27', '29 1 1 0', '29 2 1 0'].map((call): [string, string] => [call, '0']),
];
const TRY_ALL = CALLS.map(([call]) => `./attempt -c ${call} > /dev/null 2>&1; echo "${call} = $?"`).join('\n');
const ANSWERS = CALLS.map(([call, error]) => `${call} = ${error}\n`).join('');

(hasFilters ? describe.each(USERS) : describe.skip.each(USERS))('a program of a service that runs as %s', (name, uid) => {
  describe.each(CAGES)('%s', (_cage, options) => {
    const { confined: held, run } = useProgramBed(uid, options);

    held('cannot make system calls that reach keys, other processes, namespaces, or unneeded kernel features', async () => {
      expect(exited(await run(TRY_ALL, { files: [attempt] })).stdout).toBe(ANSWERS);
    });

    held('cannot make these system calls through child processes or through the 32-bit interface', async () => {
      const through = 'sh -c "sh -c \\"./attempt -c fa 0 fffffffd 1\\""; echo $?; (setsid ./attempt -c fa 1 0; echo $?) & wait';
      expect(exited(await run(through, { files: [attempt] })).stdout).toBe('1\n1\n');
      if (!PYTHON) return;
      // The machine code calls keyctl through the 32-bit interface: mov eax, 288; int 0x80; ret.
      const code = `import ctypes, mmap
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7); page.write(bytes.fromhex('b820010000cd80c3'))
print(ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))())`;
      expect(exited(await run(code, { language: 'python' })).stdout).toBe(`-${ENOSYS}\n`);
    });

    held('can start threads and processes and open sockets', async () => {
      if (!PYTHON) return;
      const code = `import multiprocessing, socket, subprocess, threading
threads = [threading.Thread(target=lambda: None) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
left, right = socket.socketpair(); left.send(b'pair'); print(right.recv(4).decode())
print(subprocess.run(['echo', 'process'], capture_output=True, text=True).stdout.strip())
print(multiprocessing.get_context('fork').Pool(2).map(abs, [-1, -2]))`;
      expect(exited(await run(code, { language: 'python' }))).toMatchObject({
        stdout: 'pair\nprocess\n[1, 2]\n',
        stderr: '',
        exitCode: 0,
      });
    });

    // Only a service that runs as root can give each program its own user.
    const asRoot = name === 'root' ? held : (_promise: string, _check: () => Promise<void>) => {};

    asRoot('sees only its own, empty keyring', async () => {
      const { stdout } = exited(await run('cat /proc/keys 2>/dev/null; id -u'));
      const lines = stdout.trim().split('\n');
      const user = lines.pop();
      // In a namespace, the list of keys is empty.
      if (lines[0] !== '') for (const line of lines) expect(line).toMatch(new RegExp(` ${user} +${user} keyring +_ses: empty$`));
      expect(Number(user)).toBeGreaterThan(2_000_000_000);
    });

    asRoot('has its own user, also beside programs of another service', async () => {
      const other = await openProgramBed(uid, options);
      const runs = await Promise.all([{ run }, other].flatMap((one) => Array.from({ length: 4 }, () => one.run('id -u'))));
      await other.close();
      const users = runs.map((run) => exited(run).stdout.trim());
      expect(new Set(users).size).toBe(8);
      // Wait, because the kernel frees the keyrings of ended processes with a delay.
      const listed = (user: string) => new RegExp(`^ *${user}:`, 'm').test(readFileSync('/proc/key-users', 'latin1'));
      await until(() => !users.some(listed));
    });
  });
});
