import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runConfined } from "../run-confined.ts";
import { REFUSED, seccompFilter } from "./seccomp.ts";
import { NEWEST_KNOWN_SYSCALL, syscallNumber, type Arch } from "./syscall-numbers.ts";
import { syscallProgram, type Syscall } from "../../../testing/syscalls/syscall-program.ts";

const BWRAP = "/usr/bin/bwrap";
const isHere = process.platform === "linux" && existsSync(BWRAP);
const arch: Arch = process.arch === "arm64" ? "arm64" : "x64";
const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "seccomp-"));
});
afterAll(() => {
  rmSync(dir, { recursive: true });
});

/** Makes each call in a separate process under the real kernel filter and returns its errno. */
async function tryAll(calls: Readonly<Record<string, Syscall>>): Promise<Record<string, number>> {
  const bin = mkdtempSync(join(dir, "bin-"));
  for (const [name, call] of Object.entries(calls))
    writeFileSync(join(bin, name), syscallProgram(arch, [call]), { mode: 0o755 });
  const script = 'for file in *; do "./$file"; echo "$file $?"; done';
  const options = ["--unshare-all", "--uid", "12345", "--ro-bind", "/", "/", "--chdir", bin, "--seccomp", "3"];
  const { stdout } = await runConfined(
    {
      argv: [BWRAP, ...options, "--", "/bin/sh", "-c", script],
      env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
      cwd: "/",
      inputs: [seccompFilter(arch, { executes: true, sharedBytes: 4096 * 100_000 })],
      statusPipes: 0,
      isIsolating: true,
    },
    { timeoutMs: 20_000, graceMs: 1_000 },
  );
  const lines = stdout.trim().split("\n");
  return Object.fromEntries(lines.map((line) => [line.split(" ")[0], Number(line.split(" ")[1])]));
}

test.runIf(isHere)("seccomp: the kernel accepts the filter and refuses every listed call", async () => {
  const known = REFUSED.filter((name) => syscallNumber(arch, name) !== null);
  const errnos = await tryAll(
    Object.fromEntries(known.map((name) => [name, { call: name, args: [0, 0, 0, 0, 0, 0] }])),
  );
  expect(errnos).toEqual(Object.fromEntries(known.map((name) => [name, EPERM])));
});

test.runIf(isHere)("seccomp: the kernel decides by arguments as the table says", async () => {
  const TIOCSTI = 0x5412n;
  const NO_DESCRIPTOR = -1;
  const EBADF = 9;
  const errnos = await tryAll({
    "allowed-call": { call: "getpid", args: [] },
    "allowed-ioctl": { call: "ioctl", args: [NO_DESCRIPTOR, 0x5401, 0] },
    "allowed-netlink": { call: "socket", args: [16, 3, 0] },
    "allowed-memory": { call: "shmget", args: [0, 100_000, 0o1600] },
    "allowed-semaphores": { call: "semget", args: [0, 17, 0o1600] },
    "allowed-personality": { call: "personality", args: [0xffff_ffff] },
    "clone-3": { call: "clone3", args: [0, 0] },
    "clone-user": { call: "clone", args: [0x1000_0000, 0] },
    "ioctl-sti": { call: "ioctl", args: [NO_DESCRIPTOR, TIOCSTI, "x"] },
    "ioctl-sti-disguised": { call: "ioctl", args: [NO_DESCRIPTOR, TIOCSTI | 0x7_0000_0000n, "x"] },
    "much-memory": { call: "shmget", args: [0, 100_001, 0o1600] },
    "more-memory": { call: "shmget", args: [0, 1n << 32n, 0o1600] },
    "many-semaphores": { call: "semget", args: [0, 251, 0o1600] },
    "netlink-audit": { call: "socket", args: [16, 3, 9] },
    "newer-call": { call: NEWEST_KNOWN_SYSCALL + 1, args: [0, 0, 0, 0, 0, 0] },
    "other-personality": { call: "personality", args: [8] },
    vsock: { call: "socket", args: [40, 1, 0] },
    ...(arch === "x64" ? { x32: { call: 0x4000_0000 + 39, args: [] } } : {}),
  });
  expect(errnos).toEqual({
    "allowed-call": 0,
    "allowed-ioctl": EBADF,
    "allowed-netlink": 0,
    "allowed-memory": 0,
    "allowed-semaphores": 0,
    "allowed-personality": 0,
    "clone-3": ENOSYS,
    "clone-user": EPERM,
    "ioctl-sti": EPERM,
    "ioctl-sti-disguised": EPERM,
    "much-memory": EINVAL,
    "more-memory": EINVAL,
    "many-semaphores": EINVAL,
    "netlink-audit": EPERM,
    "newer-call": ENOSYS,
    "other-personality": EPERM,
    vsock: EPERM,
    ...(arch === "x64" ? { x32: EPERM } : {}),
  });
});
