import { answer, assembleBpf, jumpIf, jumpUnless, label, load, type BpfLine } from "./bpf.ts";
import { NEWEST_KNOWN_SYSCALL, syscallNumber, type Arch, type SyscallName } from "./syscall-numbers.ts";

/**
 * Calls that no tool of a developer needs and that reach the kernel's rarely walked parts, other processes, or what
 * namespaces do not divide. Most are refused for want of a capability anyway; here the kernel does not even begin.
 */
export const REFUSED: readonly SyscallName[] = [
  // other processes
  ...(["ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"] as const),
  // mounts and namespaces: whoever makes new ones has capabilities there
  ...(["mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "mount_setattr"] as const),
  ...(["open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick"] as const),
  // the keyring of the user, which namespaces share
  ...(["keyctl", "add_key", "request_key"] as const),
  // large kernel interfaces with a history; io_uring also makes calls that no filter sees
  ...(["bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "nfsservctl"] as const),
  ...(["io_uring_setup", "io_uring_enter", "io_uring_register"] as const),
  // files by inode number, past every mount
  ...(["open_by_handle_at"] as const),
  // the machine itself
  ...(["kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd"] as const),
  ...(["init_module", "finit_module", "delete_module", "create_module", "query_module"] as const),
  ...(["settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "syslog"] as const),
  ...(["ioperm", "iopl", "modify_ldt", "_sysctl"] as const),
];

/** Where the words stand in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/**
 * The low half of an argument. The kernel takes all that we look at as 32-bit values, but for sizes, and cuts the high half
 * off: looking at that too would let `0x1_0000_5412` pass for something else than TIOCSTI.
 */
const argument = (index: number): number => 16 + 8 * index;
const highHalf = (index: number): number => argument(index) + 4;

const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const FAIL = 0x0005_0000;
const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;

const AUDIT_ARCH: Readonly<Record<Arch, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** Set in the numbers of x64's other ABI, which reaches the same calls under other numbers. */
const X32_BIT = 0x4000_0000;
/** CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID, -NET. (NEWTIME is part of the signal's byte here: clone cannot ask for it.) */
const NEW_NAMESPACES = 0x7e02_0000;
const CLONE_THREAD = 0x1_0000;
const CLONE_FILES = 0x400;
const CLOSE_RANGE_UNSHARE = 2;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** Types into the terminal as if the person did. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const PER_LINUX = 0;
const PERSONALITY_QUERY = 0xffff_ffff;
/** How many segments of System V memory a new IPC namespace allows, and nobody inside can change. */
const MOST_SEGMENTS = 4096;
/** Semaphores of one set: as many as kernels allowed for decades, where today a set may take megabytes of the kernel's memory. */
const MOST_SEMAPHORES = 250;

type Judged = Partial<Record<SyscallName, readonly BpfLine[]>>;

/** Judged by an argument: each part stands under its call's name, and begins with loading the argument. */
const JUDGED: Judged = {
  // A thread with open files of its own could keep some that the supervisor does not find.
  clone: [
    load(argument(0)),
    jumpIf("anyBit", NEW_NAMESPACES, "refuse"),
    jumpUnless("anyBit", CLONE_THREAD, "allow"),
    jumpUnless("anyBit", CLONE_FILES, "refuse"),
    answer(ALLOW),
  ],
  // The other way to such a thread; programs close their files one by one where a kernel does not know it.
  close_range: [load(argument(2)), jumpIf("anyBit", CLOSE_RANGE_UNSHARE, "unknown"), answer(ALLOW)],
  semget: [load(argument(1)), jumpIf("atLeast", MOST_SEMAPHORES + 1, "invalid"), answer(ALLOW)],
  personality: [
    load(argument(0)),
    jumpIf("equals", PER_LINUX, "allow"),
    jumpIf("equals", PERSONALITY_QUERY, "allow"),
    answer(FAIL | EPERM),
  ],
  // AF_VSOCK and its like are in no network namespace; netlink's other protocols reach far into the kernel.
  socket: [
    load(argument(0)),
    jumpIf("equals", AF_UNIX, "allow"),
    jumpIf("equals", AF_INET, "allow"),
    jumpIf("equals", AF_INET6, "allow"),
    jumpUnless("equals", AF_NETLINK, "refuse"),
    load(argument(2)),
    jumpUnless("equals", NETLINK_ROUTE, "refuse"),
    answer(ALLOW),
  ],
  socketpair: [load(argument(0)), jumpUnless("equals", AF_UNIX, "refuse"), answer(ALLOW)],
  ioctl: [load(argument(1)), jumpIf("equals", TIOCSTI, "refuse"), jumpIf("equals", TIOCLINUX, "refuse"), answer(ALLOW)],
};

export interface FilterRules {
  readonly executes: boolean;
  /** Of all System V memory: it belongs to no process and stays when all have let go of it. */
  readonly sharedBytes: number;
}

/** The system call filter of every command, as `bwrap --seccomp` reads it. */
export function seccompFilter(arch: Arch, { executes, sharedBytes }: FilterRules): Uint8Array {
  const parts: Judged = { ...JUDGED, shmget: judgeSegment(Math.floor(sharedBytes / MOST_SEGMENTS)) };
  const judged = Object.keys(parts) as SyscallName[];
  return assembleBpf([
    load(ARCHITECTURE),
    jumpUnless("equals", AUDIT_ARCH[arch], "kill"),
    load(NUMBER),
    ...(arch === "x64" ? [jumpIf("atLeast", X32_BIT, "refuse")] : []),
    // What a newer kernel brings is not there for us until somebody has looked at it: programs fall back.
    jumpIf("atLeast", NEWEST_KNOWN_SYSCALL + 1, "unknown"),
    // Its flags are in memory, where no filter sees them; without it, libc falls back to clone.
    ...jumpTo(arch, "clone3", "unknown"),
    // A program in memory stands on no mount that forbids to run it.
    ...(executes ? [] : [...jumpTo(arch, "memfd_create", "unknown"), ...jumpTo(arch, "execveat", "unknown")]),
    ...judged.flatMap((name) => jumpTo(arch, name, name)),
    ...REFUSED.flatMap((name) => jumpTo(arch, name, "refuse")),
    answer(ALLOW),
    ...judged.flatMap((name) => [label(name), ...(parts[name] ?? [])]),
    label("allow"),
    answer(ALLOW),
    label("refuse"),
    answer(FAIL | EPERM),
    label("invalid"),
    answer(FAIL | EINVAL),
    label("unknown"),
    answer(FAIL | ENOSYS),
    label("kill"),
    answer(KILL_PROCESS),
  ]);
}

/** The kernel limits their number, so a limit of each is one of all. It is refused as one above `kernel.shmmax` would be. */
function judgeSegment(bytes: number): readonly BpfLine[] {
  const most = Math.min(bytes, 0xffff_fffe);
  return [
    load(highHalf(1)),
    jumpUnless("equals", 0, "invalid"),
    load(argument(1)),
    jumpIf("atLeast", most + 1, "invalid"),
    answer(ALLOW),
  ];
}

function jumpTo(arch: Arch, name: SyscallName, to: string): readonly BpfLine[] {
  const number = syscallNumber(arch, name);
  return number === null ? [] : [jumpIf("equals", number, to)];
}
