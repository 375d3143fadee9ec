import { MISSING_CALLS, numbersOf, REFUSED_CALLS, SOCKET_CALLS } from '../../../sandbox/launcher/refused-calls.ts';
import { systemCallFilter } from '../../../sandbox/launcher/system-call-filter.ts';

const ALLOWED = 0x7fff_0000;
const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const ARCHITECTURES = {
  x64: {
    audit: 0xc000_003e,
    clone: 56,
    socket: 41,
    socketpair: 53,
    setsockopt: 54,
    fcntl: 72,
    mmap: 9,
    others: { i386: 0x4000_0003, arm64: 0xc000_00b7 },
  },
  arm64: {
    audit: 0xc000_00b7,
    clone: 220,
    socket: 198,
    socketpair: 199,
    setsockopt: 208,
    fcntl: 25,
    mmap: 222,
    others: { arm: 0x4000_0028, x64: 0xc000_003e },
  },
} as const;
type Arch = keyof typeof ARCHITECTURES;

/** Evaluates the filter as the kernel does. Returns a SECCOMP_RET value. */
function judge(filter: string, audit: number, number: number, args: readonly number[] = []): number {
  const data = [number, audit, 0, 0, ...[0, 1, 2, 3, 4, 5].flatMap((index) => [(args[index] ?? 0) >>> 0, 0])];
  const program = filter.match(/.{16}/g)!.map((text) => ({
    code: Number.parseInt(text.slice(0, 4), 16),
    whenTrue: Number.parseInt(text.slice(4, 6), 16),
    whenFalse: Number.parseInt(text.slice(6, 8), 16),
    k: Number.parseInt(text.slice(8), 16),
  }));
  let value = 0;
  for (let at = 0; at < program.length; at += 1) {
    const { code, whenTrue, whenFalse, k } = program[at]!;
    if (code === 0x06) return k;
    if (code === 0x20) value = data[k / 4]! >>> 0;
    else if (code === 0x54) value = (value & k) >>> 0;
    else {
      const holds = { 21: value === k, 53: value >= k, 69: (value & k) !== 0 }[code];
      if (holds === undefined) throw new Error(`no such instruction: ${code}`);
      at += holds ? whenTrue : whenFalse;
    }
  }
  throw new Error('the filter ends without an answer');
}

describe.each(Object.keys(ARCHITECTURES) as Arch[])('on %s', (arch) => {
  const { audit, clone, socket, socketpair, setsockopt, fcntl, mmap, others } = ARCHITECTURES[arch];
  const [program, runner] = (['program', 'runner'] as const).map((who) => systemCallFilter(who, arch)!);
  const refused = Object.values(REFUSED_CALLS).flatMap((calls) => numbersOf(calls, arch));
  const missing = numbersOf(MISSING_CALLS, arch);

  test.each([
    ['program', program!],
    ['runner', runner!],
  ])('the filter of a %s refuses the listed calls and allows all others', (who, filter) => {
    for (const number of refused) expect([number, judge(filter, audit, number)]).toEqual([number, EPERM]);
    for (const number of missing) expect([number, judge(filter, audit, number)]).toEqual([number, ENOSYS]);
    const special = [...refused, ...missing, ...(who === 'runner' ? numbersOf(SOCKET_CALLS, arch) : []), socket, socketpair];
    for (let number = 0; number < 500; number += 1)
      if (!special.includes(number)) expect([number, judge(filter, audit, number)]).toEqual([number, ALLOWED]);
  });

  test('calls through other binary interfaces are refused', () => {
    for (const other of Object.values(others))
      for (const number of [0, 1, 11, 20, 250]) expect(judge(program!, other, number)).toBe(ENOSYS);
    for (const number of [0x4000_0000, 0x4000_0027, 0x4000_0207, 0xffff_ffff]) expect(judge(program!, audit, number)).toBe(ENOSYS);
  });

  test('new threads and processes are allowed, and new namespaces are refused', () => {
    for (const flags of [0x11, 0x3d0f00, 0x0120_0011]) expect(judge(program!, audit, clone, [flags])).toBe(ALLOWED);
    for (const bit of [0x2_0000, 0x200_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000])
      for (const filter of [program!, runner!]) expect(judge(filter, audit, clone, [bit | 0x11])).toBe(EPERM);
  });

  test('a program may open local, TCP and UDP sockets, and a runner only socket pairs', () => {
    const cloexec = 0o2000000;
    for (const [family, type, protocol] of [
      [1, 1, 0],
      [1, 1 | cloexec, 0],
      ...[2, 10].flatMap((inet) => [
        [inet, 1, 0],
        [inet, 1 | cloexec, 6],
        [inet, 2 | cloexec, 17],
      ]),
    ] as [number, number, number][]) {
      expect(judge(program!, audit, socket, [family, type, protocol])).toBe(ALLOWED);
      expect(judge(runner!, audit, socket, [family, type, protocol])).toBe(EPERM);
    }
    for (let family = 0; family < 50; family += 1)
      if (![1, 2, 10].includes(family)) expect(judge(program!, audit, socket, [family, 1, 0])).toBe(EPERM);
    for (const type of [2, 3, 5, 2 | cloexec]) expect(judge(program!, audit, socket, [1, type, 0])).toBe(EPERM);
    for (const [type, protocol] of [
      ...[3, 5, 6, 10, 3 | cloexec].map((type) => [type, 0]),
      ...[1, 33, 115, 132, 136, 255, 262].map((protocol) => [1, protocol]),
    ] as [number, number][])
      expect(judge(program!, audit, socket, [2, type, protocol])).toBe(EPERM);
    for (const filter of [program!, runner!]) {
      expect(judge(filter, audit, socketpair, [1, 1, 0])).toBe(ALLOWED);
      for (const type of [2, 3, 5, 2 | cloexec]) expect(judge(filter, audit, socketpair, [1, type, 0])).toBe(EPERM);
      for (const family of [2, 16, 30]) expect(judge(filter, audit, socketpair, [family, 1, 0])).toBe(EPERM);
    }
  });

  test('the buffer sizes of sockets and pipes cannot be changed', () => {
    const harmless = [2, 6, 9, 10, 13, 15, 16, 20, 21, 66, 67];
    for (const filter of [program!, runner!]) {
      for (let option = 0; option < 100; option += 1)
        expect([option, judge(filter, audit, setsockopt, [3, 1, option])]).toEqual([option, harmless.includes(option) ? ALLOWED : EPERM]);
      for (const level of [0, 6, 41]) expect(judge(filter, audit, setsockopt, [3, level, 7])).toBe(ALLOWED);
      for (const command of [0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032]) expect(judge(filter, audit, fcntl, [3, command])).toBe(ALLOWED);
      expect(judge(filter, audit, fcntl, [3, 1031, 1 << 20])).toBe(EPERM);
    }
  });

  test('only files can be mapped as shared memory', () => {
    const [shared, priv, validate, anonymous, hugeTables, noReserve] = [1, 2, 3, 0x20, 0x40000, 0x4000];
    for (const filter of [program!, runner!]) {
      for (const flags of [shared, validate, priv, priv | anonymous, priv | anonymous | noReserve])
        expect(judge(filter, audit, mmap, [0, 4096, 3, flags])).toBe(ALLOWED);
      for (const flags of [shared, validate])
        for (const more of [0, hugeTables, noReserve])
          expect(judge(filter, audit, mmap, [0, 4096, 3, flags | anonymous | more])).toBe(EPERM);
    }
  });
});

test('there is no filter for other architectures', () => {
  expect(systemCallFilter('runner', 's390x')).toBeUndefined();
});
