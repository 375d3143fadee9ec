/**
 * Linux, `asm/unistd.h`. A newer call has one number for both architectures. Undefined: arm64 lacks
 * the call.
 */
type Numbers = number | [x64: number, arm64: number | undefined];

/**
 * System calls that are refused with EPERM, by reason. An allow list would break interpreters and
 * libraries when they change the calls they use.
 */
export const REFUSED_CALLS: Record<string, Record<string, Numbers>> = {
  'keys outlive the process that made them and are shared by user id': { add_key: [248, 217], request_key: [249, 218], keyctl: [250, 219] },
  'large parts of the kernel with a history of flaws': {
    bpf: [321, 280],
    perf_event_open: [298, 241],
    userfaultfd: [323, 282],
    modify_ldt: [154, undefined],
    vmsplice: [278, 75],
    fanotify_init: [300, 262],
    fanotify_mark: [301, 263],
    lookup_dcookie: [212, 18],
    remap_file_pages: [216, 234],
    map_shadow_stack: 453,
  },
  'other processes': {
    ptrace: [101, 117],
    process_vm_readv: [310, 270],
    process_vm_writev: [311, 271],
    process_madvise: 440,
    process_mrelease: 448,
    pidfd_getfd: 438,
    kcmp: [312, 272],
    migrate_pages: [256, 238],
    move_pages: [279, 239],
  },
  'namespaces and mounts': {
    unshare: [272, 97],
    setns: [308, 268],
    mount: [165, 40],
    umount2: [166, 39],
    pivot_root: [155, 41],
    chroot: [161, 51],
    open_tree: 428,
    move_mount: 429,
    fsopen: 430,
    fsconfig: 431,
    fsmount: 432,
    fspick: 433,
    mount_setattr: 442,
    statmount: 457,
    listmount: 458,
    open_tree_attr: 467,
  },
  'files by handle, past the root folder': { name_to_handle_at: [303, 264], open_by_handle_at: [304, 265] },
  'memory that no limit of a process counts': {
    memfd_create: [319, 279],
    memfd_secret: 447,
    shmget: [29, 194],
    shmat: [30, 196],
    msgget: [68, 186],
    semget: [64, 190],
    mbind: [237, 235],
    set_mempolicy: [238, 237],
    set_mempolicy_home_node: 450,
  },
  'changed kernel behaviour for programs started later': { personality: [135, 92] },
  'the machine as a whole': {
    kexec_load: [246, 104],
    kexec_file_load: [320, 294],
    reboot: [169, 142],
    init_module: [175, 105],
    finit_module: [313, 273],
    delete_module: [176, 106],
    swapon: [167, 224],
    swapoff: [168, 225],
    acct: [163, 89],
    quotactl: [179, 60],
    quotactl_fd: 443,
    syslog: [103, 116],
    settimeofday: [164, 170],
    clock_settime: [227, 112],
    clock_adjtime: [305, 266],
    adjtimex: [159, 171],
    sethostname: [170, 161],
    setdomainname: [171, 162],
    vhangup: [153, 58],
    iopl: [172, undefined],
    ioperm: [173, undefined],
    nfsservctl: [180, 42],
    uselib: [134, undefined],
    ustat: [136, undefined],
    sysfs: [139, undefined],
    _sysctl: [156, undefined],
  },
};

/**
 * System calls that fail with ENOSYS, so that libraries use other calls. A filter cannot read the
 * arguments of the first four; the others hold memory that no limit counts.
 */
export const MISSING_CALLS: Record<string, Numbers> = {
  clone3: 435,
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  // A pipe or socket keeps whole pages of deleted files, but the kernel counts only the bytes in
  // use.
  splice: [275, 76],
  tee: [276, 77],
  sendfile: [40, 71],
  // Each instance queues 16,384 events with their names.
  inotify_init: [253, undefined],
  inotify_init1: [294, 26],
  // One Landlock ruleset can have a rule for every port and file.
  landlock_create_ruleset: 444,
  landlock_add_rule: 445,
  landlock_restrict_self: 446,
};

/** Network calls, which are refused to a process that needs only its pipes. */
export const SOCKET_CALLS: Record<string, Numbers> = {
  socket: [41, 198],
  bind: [49, 200],
  listen: [50, 201],
  accept: [43, 202],
  accept4: [288, 242],
  connect: [42, 203],
};

/** The numbers of `calls` on one architecture. */
export function numbersOf(calls: Record<string, Numbers>, arch: 'x64' | 'arm64'): number[] {
  return Object.values(calls)
    .map((numbers) => (typeof numbers === 'number' ? numbers : numbers[arch === 'x64' ? 0 : 1]))
    .filter((number) => number !== undefined);
}
