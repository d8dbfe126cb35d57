import { returnValue, assembleBpf, jumpIf, jumpUnless, label, load, type BpfLine } from "./bpf.ts";
import { NEWEST_KNOWN_SYSCALL, syscallNumber, type Arch, type SyscallName } from "./syscall-numbers.ts";

/**
 * System calls that no developer tool needs. They reach rarely used kernel code, other processes, or resources that
 * namespaces do not isolate. Most need a capability anyway, but the filter rejects them before the kernel does any work.
 */
export const REFUSED: readonly SyscallName[] = [
  // other processes
  ...(["ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd"] as const),
  // mounts and namespaces: a process has all capabilities in a new namespace
  ...(["mount", "umount2", "pivot_root", "chroot", "unshare", "setns", "mount_setattr"] as const),
  ...(["open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick"] as const),
  // the user's keyring, which is shared between namespaces
  ...(["keyctl", "add_key", "request_key"] as const),
  // large kernel interfaces with past vulnerabilities; io_uring also bypasses the filter
  ...(["bpf", "perf_event_open", "userfaultfd", "fanotify_init", "lookup_dcookie", "nfsservctl"] as const),
  ...(["io_uring_setup", "io_uring_enter", "io_uring_register"] as const),
  // opens files by inode number, independent of mounts
  ...(["open_by_handle_at"] as const),
  // the machine itself
  ...(["kexec_load", "kexec_file_load", "reboot", "swapon", "swapoff", "acct", "quotactl", "quotactl_fd"] as const),
  ...(["init_module", "finit_module", "delete_module", "create_module", "query_module"] as const),
  ...(["settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "syslog"] as const),
  ...(["ioperm", "iopl", "modify_ldt", "_sysctl"] as const),
];

/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
/**
 * The low half of an argument. Except for sizes, the kernel truncates the arguments we check to 32 bits. Comparing the high
 * half as well would let `0x1_0000_5412` pass as something other than TIOCSTI.
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
/** Marks calls of x64's x32 ABI, which reaches the same calls under different numbers. */
const X32_BIT = 0x4000_0000;
/** CLONE_NEWNS, -CGROUP, -UTS, -IPC, -USER, -PID, -NET. (NEWTIME overlaps with the exit signal, so clone cannot request it.) */
const NEW_NAMESPACES = 0x7e02_0000;
const CLONE_THREAD = 0x1_0000;
const CLONE_FILES = 0x400;
const CLOSE_RANGE_UNSHARE = 2;
const F_SETLEASE = 1024;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
/** Injects input into the terminal as if the user typed it. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const PER_LINUX = 0;
const PERSONALITY_QUERY = 0xffff_ffff;
/** The number of System V shared memory segments in a new IPC namespace. Processes inside cannot change it. */
const MAX_SEGMENTS = 4096;
/** Semaphores per set. This was the kernel's limit for decades; today a set can take megabytes of kernel memory. */
const MAX_SEMAPHORES = 250;

type ArgumentRules = Partial<Record<SyscallName, readonly BpfLine[]>>;

/** Calls that are decided by an argument. Each block starts by loading that argument. */
const ARGUMENT_RULES: ArgumentRules = {
  // A thread with its own file table could keep files open that the supervisor does not find.
  clone: [
    load(argument(0)),
    jumpIf("anyBit", NEW_NAMESPACES, "refuse"),
    jumpUnless("anyBit", CLONE_THREAD, "allow"),
    jumpUnless("anyBit", CLONE_FILES, "refuse"),
    returnValue(ALLOW),
  ],
  // Another way to create such a thread. Programs fall back to closing files one by one.
  close_range: [load(argument(2)), jumpIf("anyBit", CLOSE_RANGE_UNSHARE, "unknown"), returnValue(ALLOW)],
  // A lease makes every other program wait that opens the file, for up to 45 seconds. Read access to an own file is enough.
  fcntl: [load(argument(1)), jumpIf("equals", F_SETLEASE, "invalid"), returnValue(ALLOW)],
  semget: [load(argument(1)), jumpIf("atLeast", MAX_SEMAPHORES + 1, "invalid"), returnValue(ALLOW)],
  personality: [
    load(argument(0)),
    jumpIf("equals", PER_LINUX, "allow"),
    jumpIf("equals", PERSONALITY_QUERY, "allow"),
    returnValue(FAIL | EPERM),
  ],
  // AF_VSOCK and similar families ignore network namespaces; other netlink protocols reach deep into the kernel.
  socket: [
    load(argument(0)),
    jumpIf("equals", AF_UNIX, "allow"),
    jumpIf("equals", AF_INET, "allow"),
    jumpIf("equals", AF_INET6, "allow"),
    jumpUnless("equals", AF_NETLINK, "refuse"),
    load(argument(2)),
    jumpUnless("equals", NETLINK_ROUTE, "refuse"),
    returnValue(ALLOW),
  ],
  socketpair: [load(argument(0)), jumpUnless("equals", AF_UNIX, "refuse"), returnValue(ALLOW)],
  ioctl: [
    load(argument(1)),
    jumpIf("equals", TIOCSTI, "refuse"),
    jumpIf("equals", TIOCLINUX, "refuse"),
    returnValue(ALLOW),
  ],
};

export interface FilterRules {
  readonly executes: boolean;
  /** Limit for all System V shared memory, which belongs to no process and stays after all have detached. */
  readonly sharedBytes: number;
}

/** The system call filter of every command, in the format of `bwrap --seccomp`. */
export function seccompFilter(arch: Arch, { executes, sharedBytes }: FilterRules): Uint8Array {
  const parts: ArgumentRules = { ...ARGUMENT_RULES, shmget: limitSegmentSize(Math.floor(sharedBytes / MAX_SEGMENTS)) };
  const checkedCalls = Object.keys(parts) as SyscallName[];
  return assembleBpf([
    load(ARCHITECTURE),
    jumpUnless("equals", AUDIT_ARCH[arch], "kill"),
    load(NUMBER),
    ...(arch === "x64" ? [jumpIf("atLeast", X32_BIT, "refuse")] : []),
    // Calls of newer kernels are reported as missing until we have reviewed them. Programs fall back.
    jumpIf("atLeast", NEWEST_KNOWN_SYSCALL + 1, "unknown"),
    // Its flags are in memory, which a filter cannot read. libc falls back to clone.
    ...jumpTo(arch, "clone3", "unknown"),
    // The number of requests is limited for the whole machine, not per user. Databases fall back to other ways.
    ...jumpTo(arch, "io_setup", "unknown"),
    // A program in memory is on no mount, so noexec would not apply to it.
    ...(executes ? [] : [...jumpTo(arch, "memfd_create", "unknown"), ...jumpTo(arch, "execveat", "unknown")]),
    ...checkedCalls.flatMap((name) => jumpTo(arch, name, name)),
    ...REFUSED.flatMap((name) => jumpTo(arch, name, "refuse")),
    returnValue(ALLOW),
    ...checkedCalls.flatMap((name) => [label(name), ...(parts[name] ?? [])]),
    label("allow"),
    returnValue(ALLOW),
    label("refuse"),
    returnValue(FAIL | EPERM),
    label("invalid"),
    returnValue(FAIL | EINVAL),
    label("unknown"),
    returnValue(FAIL | ENOSYS),
    label("kill"),
    returnValue(KILL_PROCESS),
  ]);
}

/** The kernel limits the number of segments, so a limit per segment limits the total. The error is the same as for `kernel.shmmax`. */
function limitSegmentSize(bytes: number): readonly BpfLine[] {
  const maxBytes = Math.min(bytes, 0xffff_fffe);
  return [
    load(highHalf(1)),
    jumpUnless("equals", 0, "invalid"),
    load(argument(1)),
    jumpIf("atLeast", maxBytes + 1, "invalid"),
    returnValue(ALLOW),
  ];
}

function jumpTo(arch: Arch, name: SyscallName, to: string): readonly BpfLine[] {
  const number = syscallNumber(arch, name);
  return number === null ? [] : [jumpIf("equals", number, to)];
}
