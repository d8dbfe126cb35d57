export type Arch = "x64" | "arm64";

/** Numbers on x64 and arm64. Null if the architecture does not have the call. Tests compare them with the system headers. */
const NUMBERS = {
  _sysctl: [156, null],
  acct: [163, 89],
  add_key: [248, 217],
  adjtimex: [159, 171],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_adjtime: [305, 266],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  close_range: [436, 436],
  connect: [42, 203],
  create_module: [174, null],
  delete_module: [176, 106],
  execveat: [322, 281],
  exit_group: [231, 94],
  fanotify_init: [300, 262],
  fcntl: [72, 25],
  finit_module: [313, 273],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  getpid: [39, 172],
  init_module: [175, 105],
  io_setup: [206, 0],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  lookup_dcookie: [212, 18],
  modify_ldt: [154, null],
  memfd_create: [319, 279],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  nfsservctl: [180, 42],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  openat: [257, 56],
  perf_event_open: [298, 241],
  personality: [135, 92],
  pidfd_getfd: [438, 438],
  pivot_root: [155, 41],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  query_module: [178, null],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  request_key: [249, 218],
  semget: [64, 190],
  setns: [308, 268],
  settimeofday: [164, 170],
  shmget: [29, 194],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  write: [1, 64],
} as const satisfies Record<string, readonly [x64: number, arm64: number | null]>;

export type SyscallName = keyof typeof NUMBERS;

/** @internal The tests compare every number with the kernel's headers. */
export const SYSCALL_NAMES = Object.keys(NUMBERS) as readonly SyscallName[];

export function syscallNumber(arch: Arch, name: SyscallName): number | null {
  return NUMBERS[name][arch === "x64" ? 0 : 1];
}

/** The newest call that was reviewed (removexattrat, Linux 6.13). Numbers in this range are the same on both architectures. */
export const NEWEST_KNOWN_SYSCALL = 466;
