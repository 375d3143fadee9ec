import { MISSING_CALLS, numbersOf, REFUSED_CALLS, SOCKET_CALLS } from './refused-calls.ts';

/** A runner may open only pairs of local sockets; a program also local streams, TCP and UDP. */
export type Filtered = 'runner' | 'program';

/**
 * The filter of system calls for `launcher.c`: classic BPF in hexadecimal. Undefined for an
 * architecture without a filter.
 */
export function systemCallFilter(filtered: Filtered, arch: string = process.arch): string | undefined {
  if (arch !== 'x64' && arch !== 'arm64') return undefined;
  const refused = Object.values(REFUSED_CALLS).flatMap((calls) => numbersOf(calls, arch));
  const sockets = filtered === 'runner' ? numbersOf(SOCKET_CALLS, arch) : [];
  const { audit, clone, socket, socketpair, setsockopt, fcntl, mmap } = ARCHITECTURES[arch];
  const families = filtered === 'program' ? checkSocket(socket) : [];
  return [
    load(ARCH),
    ...unlessEqual(audit, [answer(ENOSYS)]),
    load(NUMBER),
    // x32 calls have this bit. Every other call has a smaller number.
    ...ifAtLeast(X32_BIT, [answer(ENOSYS)]),
    ...numbersOf(MISSING_CALLS, arch).flatMap((number) => ifEqual(number, [answer(ENOSYS)])),
    ...[...refused, ...sockets].flatMap((number) => ifEqual(number, [answer(EPERM)])),
    ...ifEqual(clone, [load(argument(0)), ...ifAnyBit(NAMESPACE_FLAGS, [answer(EPERM)]), ALLOW]),
    ...families,
    ...checkSocketPair(socketpair),
    ...checkSocketOption(setsockopt),
    ...ifEqual(fcntl, [load(argument(1)), ...ifEqual(F_SETPIPE_SZ, [answer(EPERM)]), ALLOW]),
    ...checkMapping(mmap),
    ALLOW,
  ].join('');
}

/** Linux `asm-generic/errno-base.h`, `errno.h`. */
const EPERM = 1;
const ENOSYS = 38;
/**
 * Offsets in `struct seccomp_data`. On both architectures the low half of an argument comes first.
 */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number) => 16 + 8 * index;
const X32_BIT = 0x4000_0000;
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACE_FLAGS = 0x7e02_0000;
const ARCHITECTURES = {
  x64: { audit: 0xc000_003e, clone: 56, socket: 41, socketpair: 53, setsockopt: 54, fcntl: 72, mmap: 9 },
  arm64: { audit: 0xc000_00b7, clone: 220, socket: 198, socketpair: 199, setsockopt: 208, fcntl: 25, mmap: 222 },
};
const [AF_UNIX, AF_INET, AF_INET6] = [1, 2, 10];
const [SOCK_STREAM, SOCK_DGRAM] = [1, 2];
const SOCK_TYPE_MASK = 0xf;
const [BY_TYPE, TCP, UDP] = [0, 6, 17];
const SOL_SOCKET = 1;
/**
 * SO_REUSEADDR, SO_BROADCAST, SO_KEEPALIVE, SO_OOBINLINE, SO_LINGER, SO_REUSEPORT, SO_PASSCRED;
 * SO_RCVTIMEO and SO_SNDTIMEO, old and new (Linux `asm-generic/socket.h`).
 */
const HARMLESS_OPTIONS = [2, 6, 9, 10, 13, 15, 16, 20, 21, 66, 67];
const F_SETPIPE_SZ = 1031;
/**
 * MAP_SHARED and MAP_ANONYMOUS (`asm-generic/mman-common.h`). MAP_SHARED_VALIDATE contains the bit
 * of MAP_SHARED.
 */
const SHARED_ANONYMOUS = 0x01 | 0x20;

/**
 * Programs do not need other families and protocols of the kernel. Local datagram sockets buffer
 * data of closed senders without limit.
 */
function checkSocket(number: number): string[] {
  return ifEqual(number, [
    load(argument(0)),
    ...ifEqual(AF_UNIX, onlyStreams()),
    ...unlessOneOf([AF_INET, AF_INET6], [answer(EPERM)]),
    load(argument(1)),
    and(SOCK_TYPE_MASK),
    ...unlessOneOf([SOCK_STREAM, SOCK_DGRAM], [answer(EPERM)]),
    load(argument(2)),
    ...unlessOneOf([BY_TYPE, TCP, UDP], [answer(EPERM)]),
    ALLOW,
  ]);
}

function checkSocketPair(number: number): string[] {
  return ifEqual(number, [load(argument(0)), ...unlessOneOf([AF_UNIX], [answer(EPERM)]), ...onlyStreams()]);
}

function onlyStreams(): string[] {
  return [load(argument(1)), and(SOCK_TYPE_MASK), ...unlessEqual(SOCK_STREAM, [answer(EPERM)]), ALLOW];
}

/** The memory of larger buffers and of attached filters would count for no process. */
function checkSocketOption(number: number): string[] {
  return ifEqual(number, [
    load(argument(1)),
    ...unlessEqual(SOL_SOCKET, [ALLOW]),
    load(argument(2)),
    ...unlessOneOf(HARMLESS_OPTIONS, [answer(EPERM)]),
    ALLOW,
  ]);
}

/** Anonymous shared memory counts for no process after unmapping. */
function checkMapping(number: number): string[] {
  return ifEqual(number, [load(argument(3)), and(SHARED_ANONYMOUS), ...ifEqual(SHARED_ANONYMOUS, [answer(EPERM)]), ALLOW]);
}

/** `struct sock_filter`. A jump is the number of instructions to skip. */
function instruction(code: number, jumpTrue: number, jumpFalse: number, constant: number): string {
  const parts: [value: number, digits: number][] = [
    [code, 4],
    [jumpTrue, 2],
    [jumpFalse, 2],
    [constant, 8],
  ];
  return parts.map(([value, digits]) => value.toString(16).padStart(digits, '0')).join('');
}

/**
 * BPF_LD | BPF_W | BPF_ABS, BPF_ALU | BPF_AND, BPF_RET | BPF_K (Linux `bpf_common.h`); return
 * values as in `seccomp.h`.
 */
const load = (offset: number) => instruction(0x20, 0, 0, offset);
const and = (mask: number) => instruction(0x54, 0, 0, mask);
const answer = (errno: number) => instruction(0x06, 0, 0, 0x0005_0000 | errno);
const ALLOW = instruction(0x06, 0, 0, 0x7fff_0000);
/** BPF_JMP with BPF_JEQ, BPF_JGE, BPF_JSET. */
const [EQUAL, AT_LEAST, ANY_BIT] = [0x15, 0x35, 0x45];

const ifEqual = (value: number, then: string[]) => [instruction(EQUAL, 0, then.length, value), ...then];
const ifAtLeast = (value: number, then: string[]) => [instruction(AT_LEAST, 0, then.length, value), ...then];
const ifAnyBit = (mask: number, then: string[]) => [instruction(ANY_BIT, 0, then.length, mask), ...then];
const unlessEqual = (value: number, then: string[]) => [instruction(EQUAL, then.length, 0, value), ...then];
const unlessOneOf = (values: number[], then: string[]) => [
  ...values.map((value, index) => instruction(EQUAL, values.length - 1 - index + then.length, 0, value)),
  ...then,
];
