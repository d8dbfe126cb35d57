import { closeSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { RESULT } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Syscall } from "../../../src/testing/syscalls/syscall-program.ts";
import type { Attack, Attempt, Control, Scene } from "../attack.ts";
import { make, need, numberOf, reach } from "../inside.ts";

const AT_FDCWD = -100;
const [NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET] = [
  0x2_0000, 0x400_0000, 0x800_0000, 0x1000_0000, 0x2000_0000, 0x4000_0000,
];
const [SIGCHLD, TIOCSTI, TIOCLINUX] = [17, 0x5412, 0x541c];
const [MS_REMOUNT, MS_BIND] = [32, 4096];
const [USER_KEYRING, SESSION_KEYRING] = [-4, -3];
const SHMGET = [29, 194] as const;
const SHMAT = [30, 196] as const;
const SETHOSTNAME = [170, 161] as const;
const SETUID = [105, 146] as const;
const PRCTL = [157, 167] as const;
const ADDR_NO_RANDOMIZE = 0x4_0000;
const EVERY_ADDRESS = 0;
const [IPC_CREAT, MANY_SEMAPHORES, CLOSE_RANGE_UNSHARE] = [0o1600, 10_000, 2];

/** All calls must succeed for the attack to work. */
function calls(
  name: string,
  how: { numbers?: readonly number[]; control: Control },
  list: (scene: Scene) => readonly Syscall[],
): Attempt {
  return {
    kind: "attempt",
    name,
    numbers: how.numbers ?? [],
    control: how.control,
    attempt: (scene) => make(...list(scene)),
  };
}

const ROOT_ONLY = { on: "plain", only: "root", because: "the kernel asks persons for rights first" } as const;

/** The arguments are wrong on purpose: it is enough that the kernel checks them, and it is harmless. */
function reaches(name: string, control: Control, ...list: readonly Syscall[]): Attempt {
  return { kind: "attempt", name: `reach ${name}`, control, attempt: () => reach(...list) };
}

export const attacks: readonly Attack[] = [
  calls("io_uring, past which no filter sees", { numbers: [33], control: "plain" }, () => [
    { call: "io_uring_setup", args: [1, new Uint8Array(120)] },
  ]),
  calls("the keyring of the user", { numbers: [34], control: "plain" }, () => [
    { call: "keyctl", args: [0, USER_KEYRING, 1] },
  ]),
  calls("put a key into a keyring", { numbers: [34], control: "plain" }, () => [
    { call: "add_key", args: ["user", "nightshift-attack", "x", 1, SESSION_KEYRING] },
  ]),
  reaches("a key of somebody by its name", "plain", {
    call: "request_key",
    args: ["user", "nightshift-no-such-key", 0, 0],
  }),
  reaches("the terminal, to type into it (TIOCSTI)", "plain", { call: "ioctl", args: [0, TIOCSTI, "x"] }),
  reaches("the terminal with a number that only ends like TIOCSTI", "plain", {
    call: "ioctl",
    args: [0, 0x1_0000_5412n, "x"],
  }),
  reaches("the console (TIOCLINUX)", "plain", { call: "ioctl", args: [0, TIOCLINUX, "x"] }),
  {
    kind: "attempt",
    name: "a terminal to write to",
    numbers: [35],
    control: { none: "tests run without a terminal" },
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
      ["a pid namespace", NEWUSER | NEWPID, "plain"],
      ["an ipc and a uts namespace", NEWUSER | NEWIPC | NEWUTS, "plain"],
    ] as const
  ).map(([name, flags, control]) =>
    calls(`${name} by unshare`, { numbers: [36], control }, () => [{ call: "unshare", args: [flags] }]),
  ),
  calls("a user namespace by clone", { numbers: [37], control: "plain" }, () => [
    { call: "clone", args: [NEWUSER | SIGCHLD, 0, 0, 0, 0] },
  ]),
  calls("a user namespace by clone3, whose flags no filter sees", { control: "plain" }, () => [
    { call: "clone3", args: [{ words: [NEWUSER, 0, 0, 0, SIGCHLD, 0, 0, 0] }, 64] },
  ]),
  calls("enter another namespace", { control: "namespace" }, () => [
    { call: "openat", args: [AT_FDCWD, "/proc/self/ns/uts", 0] },
    { call: "setns", args: [RESULT, 0] },
  ]),
  calls("mount an empty file system", { numbers: [38], control: "namespace" }, ({ work }) => [
    { call: "mount", args: ["none", work, "tmpfs", 0, 0] },
    { call: "umount2", args: [work, 2] },
  ]),
  calls("mount the processes of the machine", { numbers: [38], control: "namespace" }, ({ work }) => [
    { call: "mount", args: ["proc", work, "proc", 0, 0] },
    { call: "umount2", args: [work, 2] },
  ]),
  calls("mount an overlay over what is read-only", { control: "namespace" }, ({ work, readable }) => {
    for (const name of ["upper", "lower", "scratch"]) mkdirSync(join(work, name), { recursive: true });
    const options = `lowerdir=${join(work, "lower")},upperdir=${join(work, "upper")},workdir=${join(work, "scratch")}`;
    return [
      { call: "mount", args: ["overlay", readable, "overlay", 0, options] },
      { call: "umount2", args: [readable, 2] },
    ];
  }),
  calls("mount one directory over another", { numbers: [38], control: "namespace" }, ({ work, readable }) => [
    { call: "mount", args: [work, readable, 0, MS_BIND, 0] },
    { call: "umount2", args: [readable, 2] },
  ]),
  calls("make what is read-only writable again", { numbers: [38], control: "namespace" }, ({ readable }) => [
    { call: "mount", args: [readable, readable, 0, MS_BIND, 0] },
    { call: "mount", args: [0, readable, 0, MS_REMOUNT | MS_BIND, 0] },
    { call: "umount2", args: [readable, 2] },
  ]),
  reaches("the mount over a protected directory, to take it off", "namespace", {
    call: "umount2",
    args: ["protected", 2],
  }),
  reaches("the new way to mount: fsopen", "namespace", { call: "fsopen", args: ["tmpfs", 0] }),
  reaches("the new way to mount: open_tree", "namespace", { call: "open_tree", args: [AT_FDCWD, "/", 1] }),
  reaches("the new way to mount: move_mount", "namespace", { call: "move_mount", args: [-1, "", -1, "", 0] }),
  reaches("the new way to mount: mount_setattr", "namespace", {
    call: "mount_setattr",
    args: [AT_FDCWD, "/", 0, { words: [0, 0, 0, 0] }, 32],
  }),
  reaches("pivot_root", "namespace", { call: "pivot_root", args: [".", "."] }),
  calls("chroot, to leave it again", { control: "namespace" }, () => [{ call: "chroot", args: ["."] }]),
  reaches("files by their inode number, past every mount", ROOT_ONLY, {
    call: "open_by_handle_at",
    args: [AT_FDCWD, { words: [8n, 0] }, 0],
  }),
  {
    kind: "attempt",
    name: "set which program the kernel starts as root (core_pattern)",
    numbers: [39],
    control: { on: "plain", only: "root", because: "it is closed to persons anyway" },
    attempt() {
      // Opened, but never written.
      closeSync(openSync("/proc/sys/kernel/core_pattern", "r+"));
      return "open";
    },
  },
  {
    kind: "attempt",
    name: "any setting of the kernel that can be written",
    numbers: [40],
    control: { on: "plain", only: "root", because: "most settings are closed to persons anyway" },
    attempt: () => {
      const writable = [...findWritable("/proc/sys", 5), ...findWritable("/sys", 2)];
      return need(writable.length > 0, writable.slice(0, 3).join(", "));
    },
  },
  {
    kind: "attempt",
    name: "other doors in /proc (sysrq, kcore, kmsg, bus, irq)",
    numbers: [40],
    control: { on: "plain", only: "root", because: "closed to persons anyway" },
    attempt() {
      const doors = ["sysrq-trigger", "kcore", "kmsg", "timer_list"].map((name) => `/proc/${name}`);
      const open = doors.filter((door) => opens(door, "r") || opens(door, "a"));
      return need(open.length > 0, open.join(", "));
    },
  },
  calls("shared memory of the machine", { numbers: [47], control: "plain" }, ({ sharedMemoryKey }) => [
    { call: numberOf(SHMGET), args: [sharedMemoryKey, 0, 0] },
    { call: numberOf(SHMAT), args: [RESULT, EVERY_ADDRESS, 0] },
  ]),
  calls("the kernel's memory, in semaphores", { control: "namespace" }, () => [
    { call: "semget", args: [0, MANY_SEMAPHORES, IPC_CREAT] },
  ]),
  calls("open files that one thread keeps from all who look", { control: "plain" }, () => [
    { call: "close_range", args: [1_000, 1_001, CLOSE_RANGE_UNSHARE] },
  ]),
  { ...reaches("bpf", "namespace", { call: "bpf", args: [99, 0, 0] }), numbers: [50] },
  { ...reaches("performance counters", "plain", { call: "perf_event_open", args: [0, -1, -1, -1, 0] }), numbers: [50] },
  calls("userfaultfd", { control: "plain" }, () => [{ call: "userfaultfd", args: [1] }]),
  calls("another personality: addresses without chance", { control: "plain" }, () => [
    { call: "personality", args: [ADDR_NO_RANDOMIZE] },
  ]),
  reaches("fanotify", "plain", { call: "fanotify_init", args: [0x200, 0] }),
  calls(
    "call numbers of the machine's other ABI (x32)",
    { control: { none: "most kernels are built without it" } },
    () => [{ call: numberOf([0x4000_0027, null]), args: [] }],
  ),
  calls("a call that is newer than the filter", { control: { none: "there is none on this kernel yet" } }, () => [
    { call: 600, args: [] },
  ]),
  calls("become root by setuid", { control: "namespace" }, () => [{ call: numberOf(SETUID), args: [0] }]),
  calls(
    "take off no_new_privs",
    { control: { none: "no process can: it is the kernel's word that is tested" } },
    () => [{ call: numberOf(PRCTL), args: [38, 0, 0, 0, 0] }],
  ),
  calls("rename the machine", { control: "namespace" }, () => [{ call: numberOf(SETHOSTNAME), args: ["evil", 4] }]),
  reaches("the kernel's log", ROOT_ONLY, { call: "syslog", args: [10, 0, 0] }),
  reaches("the loader of modules", ROOT_ONLY, { call: "init_module", args: [0, 0, 0] }),
  reaches("the loader of modules from a file", ROOT_ONLY, { call: "finit_module", args: [-1, 0, 0] }),
  reaches("the removal of modules", ROOT_ONLY, { call: "delete_module", args: ["nightshift_no_such_module", 0] }),
  reaches("the loader of another kernel", ROOT_ONLY, { call: "kexec_load", args: [0, 9999, 0, -1] }),
  reaches("the switch of the machine", ROOT_ONLY, { call: "reboot", args: [0, 0, 0, 0] }),
  reaches("swap", ROOT_ONLY, { call: "swapon", args: ["/nightshift/no/such/file", 0] }),
  reaches("process accounting", ROOT_ONLY, { call: "acct", args: ["/nightshift/no/such/file"] }),
  reaches("the clock", ROOT_ONLY, { call: "clock_settime", args: [99, 0] }),
  reaches("quotas", "plain", { call: "quotactl", args: [0x80_0000, "/nightshift/no/such/device", 0, 0] }),
  reaches("a comparison of two processes (kcmp)", "plain", { call: "kcmp", args: [-1, -1, 99, 0, 0] }),
];

function opens(path: string, flags: string): boolean {
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
      return entry.isFile() && opens(path, "r+") ? [path] : [];
    });
  } catch {
    return [];
  }
}
