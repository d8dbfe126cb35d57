import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { RESULT } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Syscall } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, Attempt, Control, Fixture } from "../attack.ts";
import { callAll, refuseUnless, syscallNumber, reachKernel } from "../attacker-tools.ts";

const AT_FDCWD = -100;
const [NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET] = [
  0x2_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
];
const [SIGCHLD, TIOCSTI, TIOCLINUX] = [17, 0x5412, 0x541c];
const [MS_REMOUNT, MS_BIND] = [32, 4096];
const [USER_KEYRING, SESSION_KEYRING] = [-4, -3];
const SHMGET = [29, 194] as const;
const SHMAT = [30, 196] as const;
const INOTIFY_INIT1 = [294, 26] as const;
const SETHOSTNAME = [170, 161] as const;
const SETUID = [105, 146] as const;
const PRCTL = [157, 167] as const;
const [F_SETLEASE, F_RDLCK] = [1024, 0];
const ADDR_NO_RANDOMIZE = 0x4_0000;
const ANY_ADDRESS = 0;
const [IPC_CREAT, MANY_SEMAPHORES, CLOSE_RANGE_UNSHARE] = [0o1600, 10_000, 2];

/** All calls must succeed for the attack to work. */
function syscallAttack(
  name: string,
  options: { numbers?: readonly number[]; control: Control },
  list: (fixture: Fixture) => readonly Syscall[],
): Attempt {
  return {
    kind: "attempt",
    name,
    numbers: options.numbers ?? [],
    control: options.control,
    attempt: (fixture) => callAll(...list(fixture)),
  };
}

const ROOT_ONLY = {
  on: "plain",
  only: "root",
  because: "for other users, the kernel checks permissions first",
} as const;

/** The arguments are wrong on purpose: it is enough that the kernel checks them, and it is harmless. */
function reachAttack(name: string, control: Control, ...list: readonly Syscall[]): Attempt {
  return { kind: "attempt", name: `reach ${name}`, control, attempt: () => reachKernel(...list) };
}

export const attacks: readonly Attack[] = [
  syscallAttack("use io_uring, which bypasses the filter", { numbers: [33], control: "plain" }, () => [
    { call: "io_uring_setup", args: [1, new Uint8Array(120)] },
  ]),
  syscallAttack(
    "reserve asynchronous requests (io_setup), which are limited for the whole machine",
    { control: "plain" },
    () => [{ call: "io_setup", args: [1, new Uint8Array(8)] }],
  ),
  syscallAttack("delay programs that open a file of the user (F_SETLEASE)", { control: "plain" }, () => [
    { call: "openat", args: [AT_FDCWD, "/proc/self/exe", 0, 0] },
    { call: "fcntl", args: [RESULT, F_SETLEASE, F_RDLCK] },
  ]),
  syscallAttack("read the keyring of the user", { numbers: [34], control: "plain" }, () => [
    { call: "keyctl", args: [0, USER_KEYRING, 1] },
  ]),
  syscallAttack("add a key to a keyring", { numbers: [34], control: "plain" }, () => [
    { call: "add_key", args: ["user", "nightshift-attack", "x", 1, SESSION_KEYRING] },
  ]),
  reachAttack("a key by its name (request_key)", "plain", {
    call: "request_key",
    args: ["user", "nightshift-no-such-key", 0, 0],
  }),
  reachAttack("the terminal's input (TIOCSTI)", "plain", { call: "ioctl", args: [0, TIOCSTI, "x"] }),
  reachAttack("the terminal's input with a number whose lower 32 bits are TIOCSTI", "plain", {
    call: "ioctl",
    args: [0, 0x1_0000_5412n, "x"],
  }),
  reachAttack("the console (TIOCLINUX)", "plain", { call: "ioctl", args: [0, TIOCLINUX, "x"] }),
  {
    kind: "attempt",
    name: "open the terminal",
    numbers: [35],
    control: { noneBecause: "tests run without a terminal" },
    attempt() {
      closeSync(openSync("/dev/tty", "r+"));
      return "open";
    },
  },
  ...(
    [
      ["a user namespace", NEWUSER, "plain"],
      ["a mount namespace", NEWUSER | NEWNS, "plain"],
      ["a network namespace", NEWUSER | NEWNET, "plain"],
      ["a PID namespace", NEWUSER | NEWPID, "plain"],
      ["an IPC and a UTS namespace", NEWUSER | NEWIPC | NEWUTS, "plain"],
    ] as const
  ).map(([name, flags, control]) =>
    syscallAttack(`create ${name} with unshare`, { numbers: [36], control }, () => [
      { call: "unshare", args: [flags] },
    ]),
  ),
  syscallAttack("create a user namespace with clone", { numbers: [37], control: "plain" }, () => [
    { call: "clone", args: [NEWUSER | SIGCHLD, 0, 0, 0, 0] },
  ]),
  syscallAttack("create a user namespace with clone3, whose flags a filter cannot read", { control: "plain" }, () => [
    { call: "clone3", args: [{ words: [NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0] }, 64] },
  ]),
  syscallAttack("enter another namespace", { control: "namespace" }, () => [
    { call: "openat", args: [AT_FDCWD, "/proc/self/ns/uts", 0] },
    { call: "setns", args: [RESULT, 0] },
  ]),
  syscallAttack("mount an empty file system", { numbers: [38], control: "namespace" }, ({ work }) => [
    { call: "mount", args: ["none", work, "tmpfs", 0, 0] },
    { call: "umount2", args: [work, 2] },
  ]),
  syscallAttack("mount /proc of the machine", { numbers: [38], control: "namespace" }, ({ work }) => [
    { call: "mount", args: ["proc", work, "proc", 0, 0] },
    { call: "umount2", args: [work, 2] },
  ]),
  syscallAttack("mount an overlay over a read-only directory", { control: "namespace" }, ({ work, readable }) => {
    for (const name of ["upper", "lower", "scratch"]) mkdirSync(join(work, name), { recursive: true });
    const options = `lowerdir=${join(work, "lower")},upperdir=${join(work, "upper")},workdir=${join(work, "scratch")}`;
    return [
      { call: "mount", args: ["overlay", readable, "overlay", 0, options] },
      { call: "umount2", args: [readable, 2] },
    ];
  }),
  syscallAttack("mount one directory over another", { numbers: [38], control: "namespace" }, ({ work, readable }) => [
    { call: "mount", args: [work, readable, 0, MS_BIND, 0] },
    { call: "umount2", args: [readable, 2] },
  ]),
  syscallAttack(
    "remount a read-only directory as writable",
    { numbers: [38], control: "namespace" },
    ({ readable }) => [
      { call: "mount", args: [readable, readable, 0, MS_BIND, 0] },
      { call: "mount", args: [0, readable, 0, MS_REMOUNT | MS_BIND, 0] },
      { call: "umount2", args: [readable, 2] },
    ],
  ),
  reachAttack("umount2 for a protected directory", "namespace", {
    call: "umount2",
    args: ["protected", 2],
  }),
  reachAttack("fsopen", "namespace", { call: "fsopen", args: ["tmpfs", 0] }),
  reachAttack("open_tree", "namespace", { call: "open_tree", args: [AT_FDCWD, "/", 1] }),
  reachAttack("move_mount", "namespace", { call: "move_mount", args: [-1, "", -1, "", 0] }),
  reachAttack("mount_setattr", "namespace", {
    call: "mount_setattr",
    args: [AT_FDCWD, "/", 0, { words: [0, 0, 0, 0] }, 32],
  }),
  reachAttack("pivot_root", "namespace", { call: "pivot_root", args: [".", "."] }),
  syscallAttack("use chroot", { control: "namespace" }, () => [{ call: "chroot", args: ["."] }]),
  reachAttack("files by their handle (open_by_handle_at)", ROOT_ONLY, {
    call: "open_by_handle_at",
    args: [AT_FDCWD, { words: [8n, 0] }, 0],
  }),
  {
    kind: "attempt",
    name: "choose a program that the kernel starts as root (core_pattern)",
    numbers: [39],
    control: { on: "plain", only: "root", because: "other users have no access anyway" },
    attempt() {
      // Opened, but never written.
      closeSync(openSync("/proc/sys/kernel/core_pattern", "r+"));
      return "open";
    },
  },
  {
    kind: "attempt",
    name: "write any kernel setting",
    numbers: [40],
    control: { on: "plain", only: "root", because: "other users cannot write most settings anyway" },
    attempt: () => {
      const writable = [...findWritable("/proc/sys", 5), ...findWritable("/sys", 2)];
      return refuseUnless(writable.length > 0, writable.slice(0, 3).join(", "));
    },
  },
  {
    kind: "attempt",
    name: "open sensitive files in /proc (sysrq-trigger, kcore, kmsg, timer_list)",
    numbers: [40],
    control: { on: "plain", only: "root", because: "other users have no access anyway" },
    attempt() {
      const files = ["sysrq-trigger", "kcore", "kmsg", "timer_list"].map((name) => `/proc/${name}`);
      const open = files.filter((file) => canOpen(file, "r") || canOpen(file, "a"));
      return refuseUnless(open.length > 0, open.join(", "));
    },
  },
  syscallAttack("attach shared memory of the machine", { numbers: [47], control: "plain" }, ({ sharedMemoryKey }) => [
    { call: syscallNumber(SHMGET), args: [sharedMemoryKey, 0, 0] },
    { call: syscallNumber(SHMAT), args: [RESULT, ANY_ADDRESS, 0] },
  ]),
  syscallAttack("allocate kernel memory with semaphores", { control: "namespace" }, () => [
    { call: "semget", args: [0, MANY_SEMAPHORES, IPC_CREAT] },
  ]),
  {
    ...syscallAttack("take more than a quarter of the user's inotify instances", { control: "plain" }, () => {
      const total = Number(readFileSync("/proc/sys/fs/inotify/max_user_instances", "utf8"));
      return Array.from({ length: Math.floor(total / 4) + 1 }, () => ({
        call: syscallNumber(INOTIFY_INIT1),
        args: [0],
      }));
    }),
    // Under root, each run has its own user, for which the kernel counts separately.
    only: "user",
    alone: true,
  },
  syscallAttack("hide open files in a thread with its own descriptor table", { control: "plain" }, () => [
    { call: "close_range", args: [1_000, 1_001, CLOSE_RANGE_UNSHARE] },
  ]),
  { ...reachAttack("bpf", "namespace", { call: "bpf", args: [99, 0, 0] }), numbers: [50] },
  {
    ...reachAttack("performance counters (perf_event_open)", "plain", {
      call: "perf_event_open",
      args: [0, -1, -1, -1, 0],
    }),
    numbers: [50],
  },
  syscallAttack("use userfaultfd", { control: "plain" }, () => [{ call: "userfaultfd", args: [1] }]),
  syscallAttack("turn off address randomization (personality)", { control: "plain" }, () => [
    { call: "personality", args: [ADDR_NO_RANDOMIZE] },
  ]),
  reachAttack("fanotify", "plain", { call: "fanotify_init", args: [0x200, 0] }),
  syscallAttack(
    "use system calls of another ABI (x32)",
    { control: { noneBecause: "most kernels are built without it" } },
    () => [{ call: syscallNumber([0x4000_0027, null]), args: [] }],
  ),
  syscallAttack(
    "use a system call that is newer than the filter",
    { control: { noneBecause: "this kernel has no such call" } },
    () => [{ call: 600, args: [] }],
  ),
  syscallAttack("become root with setuid", { control: "namespace" }, () => [
    { call: syscallNumber(SETUID), args: [0] },
  ]),
  syscallAttack("reset no_new_privs", { control: { noneBecause: "the kernel never allows it" } }, () => [
    { call: syscallNumber(PRCTL), args: [38, 0, 0, 0, 0] },
  ]),
  syscallAttack("change the host name", { control: "namespace" }, () => [
    { call: syscallNumber(SETHOSTNAME), args: ["evil", 4] },
  ]),
  reachAttack("the kernel log (syslog)", ROOT_ONLY, { call: "syslog", args: [10, 0, 0] }),
  reachAttack("the module loader (init_module)", ROOT_ONLY, { call: "init_module", args: [0, 0, 0] }),
  reachAttack("the module loader (finit_module)", ROOT_ONLY, { call: "finit_module", args: [-1, 0, 0] }),
  reachAttack("the module unloader (delete_module)", ROOT_ONLY, {
    call: "delete_module",
    args: ["nightshift_no_such_module", 0],
  }),
  reachAttack("the kernel loader (kexec_load)", ROOT_ONLY, { call: "kexec_load", args: [0, 9999, 0, -1] }),
  reachAttack("reboot", ROOT_ONLY, { call: "reboot", args: [0, 0, 0, 0] }),
  reachAttack("swapon", ROOT_ONLY, { call: "swapon", args: ["/nightshift/no/such/file", 0] }),
  reachAttack("process accounting (acct)", ROOT_ONLY, { call: "acct", args: ["/nightshift/no/such/file"] }),
  reachAttack("the system clock (clock_settime)", ROOT_ONLY, { call: "clock_settime", args: [99, 0] }),
  reachAttack("quotas (quotactl)", "plain", {
    call: "quotactl",
    args: [0x80_0000, "/nightshift/no/such/device", 0, 0],
  }),
  reachAttack("process comparison (kcmp)", "plain", { call: "kcmp", args: [-1, -1, 99, 0, 0] }),
];

function canOpen(path: string, flags: string): boolean {
  try {
    closeSync(openSync(path, flags));
    return true;
  } catch {
    return false;
  }
}

function findWritable(dir: string, depth: number): readonly string[] {
  if (depth === 0 || statSync(dir, { throwIfNoEntry: false }) === undefined) return [];
  try {
    return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = join(dir, entry.name);
      if (entry.isDirectory()) return findWritable(path, depth - 1);
      // Opened for writing, but nothing is written.
      return entry.isFile() && canOpen(path, "r+") ? [path] : [];
    });
  } catch {
    return [];
  }
}
