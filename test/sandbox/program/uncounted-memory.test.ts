import { existsSync } from 'node:fs';
import { SANDBOX_PROGRAM } from '../../../domain/limits.ts';
import { CAGES, exited, USERS, useProgramBed } from './program-bed.ts';

const canTry = ['/proc/sys/kernel/seccomp', '/usr/bin/python3'].every(existsSync) && ['x64', 'arm64'].includes(process.arch);
/** Default buffer size of a socket, in bytes: Linux `net.core.wmem_default`. */
const SOCKET_BYTES = 212_992;

const tries = (prelude: string, attempts: string[]) => `import errno, ctypes, mmap, os, socket, fcntl
${prelude}
for attempt in ${JSON.stringify(attempts)}:
    try:
        exec(attempt)
        print('done')
    except OSError as error:
        print(errno.errorcode[error.errno])`;

test('if all processes fill all sockets that they can open, the memory stays within the limit', () => {
  const { processes, openFiles, memoryMb } = SANDBOX_PROGRAM;
  expect(processes * openFiles * SOCKET_BYTES).toBeLessThanOrEqual(memoryMb * 1024 * 1024);
});

(canTry ? describe.each(USERS) : describe.skip.each(USERS))('a program of a service that runs as %s', (_name, uid) => {
  describe.each(CAGES)('%s', (cage, options) => {
    const { confined: held, run } = useProgramBed(uid, options);
    const inNamespaces = cage === 'in namespaces' ? held : (_promise: string, _check: () => Promise<void>) => {};
    const python = async (code: string) => exited(await run(code, { language: 'python' }));

    held('cannot enlarge the buffer of a socket or pipe, or attach a filter to a socket', async () => {
      // SO_SNDBUF, SO_RCVBUF, SO_SNDBUFFORCE, SO_RCVBUFFORCE, SO_ATTACH_FILTER, SO_ATTACH_BPF,
      // SO_ZEROCOPY.
      const options = [7, 8, 32, 33, 26, 50, 60].map((option) => `left.setsockopt(socket.SOL_SOCKET, ${option}, 1 << 30)`);
      const code = tries('left, right = socket.socketpair(); reader, writer = os.pipe()', [
        ...options,
        'fcntl.fcntl(writer, 1031, 1 << 20)',
        'left.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)',
        'socket.socket().setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)',
        'socket.socket().setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)',
      ]);
      expect((await python(code)).stdout).toBe(`${'EPERM\n'.repeat(8)}${'done\n'.repeat(3)}`);
    });

    held('cannot fill a socket beyond its default buffer', async () => {
      const code = `import socket
left, right = socket.socketpair(); left.setblocking(False); sent = 0
try: left.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)
except OSError: pass
try:
    while sent < 64 << 20: sent += left.send(bytes(1 << 20))
except BlockingIOError: pass
print(sent)`;
      expect(Number((await python(code)).stdout)).toBeLessThanOrEqual(1.25 * SOCKET_BYTES);
    });

    held('has no local datagram sockets, which keep data of closed senders', async () => {
      const types = ['SOCK_DGRAM', 'SOCK_SEQPACKET', 'SOCK_RAW'];
      const code = tries('', [
        ...types.map((type) => `socket.socketpair(socket.AF_UNIX, socket.${type})`),
        ...types.map((type) => `socket.socket(socket.AF_UNIX, socket.${type})`),
      ]);
      expect((await python(code)).stdout).toBe('EPERM\n'.repeat(6));
    });

    inNamespaces('can have one waiting client at a server that does not accept', async () => {
      const code = `import socket
server = socket.socket(socket.AF_UNIX); server.bind('server'); server.listen(4096); waiting = 0
try:
    while waiting < 20:
        client = socket.socket(socket.AF_UNIX); client.setblocking(False)
        client.connect('server'); client.close(); waiting += 1
except BlockingIOError: pass
print(waiting)`;
      expect((await python(code)).stdout).toBe('1\n');
    });

    held('has only files as shared memory', async () => {
      const code = tries('', [
        'mmap.mmap(-1, 4096)',
        'mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)',
        'mmap.mmap(-1, 4096, flags=3 | mmap.MAP_ANONYMOUS)',
        'mmap.mmap(-1, 4096, flags=mmap.MAP_SHARED | mmap.MAP_ANONYMOUS | 0x40000)',
        'mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)',
        'mmap.mmap(os.open("of-a-file", os.O_RDWR | os.O_CREAT), 0) if os.truncate(os.open("of-a-file", os.O_RDWR | os.O_CREAT), 4096) else 0',
      ]);
      expect((await python(code)).stdout).toBe(`${'EPERM\n'.repeat(4)}${'done\n'.repeat(2)}`);
    });

    inNamespaces('cannot map /dev/zero, and can read it', async () => {
      const code = tries('zero = os.open("/dev/zero", os.O_RDWR)', [
        'mmap.mmap(zero, 4096)',
        'mmap.mmap(zero, 4096, prot=mmap.PROT_READ)',
        'assert os.read(zero, 4096) == bytes(4096)',
      ]);
      expect((await python(code)).stdout).toBe('ENODEV\nENODEV\ndone\n');
    });

    held('cannot create inotify queues or Landlock rules, or keep file pages in pipes', async () => {
      const code = tries(
        'libc = ctypes.CDLL(None, use_errno=True); reader, writer = os.pipe(); here = os.open("a", os.O_RDWR | os.O_CREAT)',
        [
          'if libc.inotify_init1(0) < 0: raise OSError(ctypes.get_errno(), "")',
          'if libc.syscall(444, 0, 0, 1) < 0: raise OSError(ctypes.get_errno(), "")',
          'if libc.splice(here, None, writer, None, 1, 0) < 0: raise OSError(ctypes.get_errno(), "")',
          'if libc.tee(reader, writer, 1, 0) < 0: raise OSError(ctypes.get_errno(), "")',
          'os.sendfile(writer, here, 0, 1)',
        ],
      );
      expect((await python(code)).stdout).toBe('ENOSYS\n'.repeat(5));
    });

    held('can use threads, process pools, shared files and databases', async () => {
      const code = `import asyncio, multiprocessing, shutil, sqlite3, ssl, subprocess, threading
from multiprocessing.shared_memory import SharedMemory
ready = threading.Barrier(30)
threads = [threading.Thread(target=ready.wait) for _ in range(29)]
for thread in threads: thread.start()
ready.wait()
for thread in threads: thread.join()
fork = multiprocessing.get_context('fork')
with fork.Pool(8) as pool: print(pool.map(abs, range(-3, 0)))
with fork.Manager() as manager: print(manager.dict(a=1).copy())
queue = fork.Queue(); queue.put('queued'); print(queue.get()); queue.close(); queue.join_thread()
shared = SharedMemory(create=True, size=4096); shared.buf[0] = 7; again = SharedMemory(shared.name); print(again.buf[0])
again.close(); shared.close(); shared.unlink()
value = fork.Value('i', 5); print(value.value)
async def main():
    server = await asyncio.start_unix_server(lambda _, writer: (writer.write(b'served'), writer.close()), 'served')
    print((await (await asyncio.open_unix_connection('served'))[0].read()).decode())
    process = await asyncio.create_subprocess_exec('echo', 'process', stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0].decode().strip())
    server.close()
asyncio.run(main())
database = sqlite3.connect('database'); database.execute('pragma journal_mode=wal'); database.execute('create table t (a)'); database.commit()
ssl.create_default_context()
open('from', 'w').write('copied'); shutil.copyfile('from', 'to'); print(open('to').read())
print(subprocess.run('seq 3 | sort -r | head -n 1', shell=True, capture_output=True, text=True).stdout.strip())`;
      const { stdout, stderr, exitCode } = await python(code);
      expect({ stdout, stderr, exitCode }).toEqual({
        stdout: "[3, 2, 1]\n{'a': 1}\nqueued\n7\n5\nserved\nprocess\ncopied\n3\n",
        stderr: '',
        exitCode: 0,
      });
    });

    inNamespaces('resolves localhost, and has no network', async () => {
      const code = tries('', ['print(socket.gethostbyname("localhost"))', 'socket.create_connection(("127.0.0.1", 9), 2)']);
      expect((await python(code)).stdout).toBe('127.0.0.1\ndone\nENETUNREACH\n');
    });
  });
});
