import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { quote, type ProbeRule } from "./self-test-probes.ts";
import type { Scene } from "./self-test-scene.ts";
import type { Arch } from "../bubblewrap/syscall-numbers.ts";
import { RESULT, syscallProgram, type Syscall } from "./syscall-program.ts";

const AF_UNIX = 1;
const AF_INET = 2;
const AF_VSOCK = 40;
const SOCK_STREAM = 1;
const CLONE_NEWUSER = 0x1000_0000;
const KEYCTL_GET_KEYRING_ID = 0;
const USER_KEYRING = -4;
const IO_URING_PARAMS_BYTES = 120;
const AT_FDCWD = -100;
const O_WRONLY = 1;
const EPERM = 1;
const ENOSYS = 38;

interface CallProbe {
  readonly name: string;
  readonly calls: (scene: Scene) => readonly Syscall[];
  /** What the kernel may say instead of yes; empty: anything. */
  readonly answers: readonly number[];
  readonly through: string;
  readonly held: string;
}

const REFUSED = [EPERM, ENOSYS];

const CALLS: readonly CallProbe[] = [
  {
    name: "direct network",
    calls: ({ tcpPort }) => [
      { call: "socket", args: [AF_INET, SOCK_STREAM, 0] },
      { call: "connect", args: [RESULT, inetAddress(tcpPort), 16] },
    ],
    answers: [],
    through: "a port of this machine was reached",
    held: "none",
  },
  {
    name: "unix sockets",
    calls: ({ socketPath }) => connectUnix(Buffer.from(`${socketPath}\0`)),
    answers: [],
    through: "a socket outside was reached by its path",
    held: "those outside cannot be reached",
  },
  {
    name: "abstract sockets",
    calls: ({ abstractSocket }) => connectUnix(Buffer.from(`\0${abstractSocket}`)),
    answers: [],
    through: "a socket outside was reached by its name",
    held: "those outside cannot be reached",
  },
  {
    name: "host sockets",
    calls: () => [{ call: "socket", args: [AF_VSOCK, SOCK_STREAM, 0] }],
    answers: REFUSED,
    through: "AF_VSOCK is open, which leads out of a virtual machine",
    held: "AF_VSOCK is refused",
  },
  {
    name: "new namespaces",
    calls: () => [{ call: "unshare", args: [CLONE_NEWUSER] }],
    answers: REFUSED,
    through: "a user namespace could be made, and capabilities with it",
    held: "refused",
  },
  {
    name: "io_uring",
    calls: () => [{ call: "io_uring_setup", args: [1, new Uint8Array(IO_URING_PARAMS_BYTES)] }],
    answers: REFUSED,
    through: "it is open, and no filter sees what goes through it",
    held: "refused",
  },
  {
    name: "keyring",
    calls: () => [{ call: "keyctl", args: [KEYCTL_GET_KEYRING_ID, USER_KEYRING, 0] }],
    answers: REFUSED,
    through: "the keys of the user can be asked for",
    held: "refused",
  },
  {
    name: "kernel settings",
    // Opened, and never written to.
    calls: () => [{ call: "openat", args: [AT_FDCWD, "/proc/sys/kernel/core_pattern", O_WRONLY] }],
    answers: [],
    through: "core_pattern can be written, which is root on this machine",
    held: "cannot be written",
  },
];

export const CALL_PROBES: readonly ProbeRule[] = CALLS.map(({ name, answers, through, held }, index) => ({
  name,
  script: ({ bin }) => `${quote(programFile(bin, index))}; echo "errno $?"`,
  judge: (printed) => {
    const errno = Number(/^errno (\d+)$/m.exec(printed)?.[1] ?? "127");
    if (errno === 0) return through;
    // A shell's words for "not executable", "not found" and "killed by a signal".
    if (errno >= 126) return `could not be tried (${errno})`;
    return answers.length === 0 || answers.includes(errno) ? null : `${through} (errno ${errno})`;
  },
  held,
}));

/** Puts one program per probe where the script finds it. */
export function writeCallPrograms(scene: Scene, arch: Arch): void {
  CALLS.forEach(({ calls }, index) => {
    writeFileSync(programFile(scene.bin, index), syscallProgram(arch, calls(scene)), { mode: 0o755 });
  });
}

function programFile(bin: string, index: number): string {
  return join(bin, `call-${index}`);
}

function connectUnix(path: Uint8Array): readonly Syscall[] {
  const address = Buffer.concat([Uint8Array.of(AF_UNIX, 0), path]);
  return [
    { call: "socket", args: [AF_UNIX, SOCK_STREAM, 0] },
    { call: "connect", args: [RESULT, address, address.length] },
  ];
}

function inetAddress(port: number): Uint8Array {
  const address = Buffer.alloc(16);
  address.writeUInt16LE(AF_INET, 0);
  address.writeUInt16BE(port, 2);
  address.set([127, 0, 0, 1], 4);
  return address;
}
